package org.opensearch.protobufs;

/** As {@link org.opensearch.transport.grpc.spi.QueryBuilderProtoConverter}. */
public class QueryContainer {
    public enum QueryContainerCase {
        KNN
    }
}
