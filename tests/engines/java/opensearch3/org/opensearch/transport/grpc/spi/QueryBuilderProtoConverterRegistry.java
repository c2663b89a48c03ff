package org.opensearch.transport.grpc.spi;

/** As {@link QueryBuilderProtoConverter}. */
public interface QueryBuilderProtoConverterRegistry {
}
