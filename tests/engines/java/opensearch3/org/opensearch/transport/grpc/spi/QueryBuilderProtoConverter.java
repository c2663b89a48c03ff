package org.opensearch.transport.grpc.spi;

/** The k-NN plugin of OpenSearch 3 loads only beside this interface, whose module is not on Maven. */
public interface QueryBuilderProtoConverter {
}
