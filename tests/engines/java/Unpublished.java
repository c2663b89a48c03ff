import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.elasticsearch.Build;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.metadata.IndexNameExpressionResolver;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.common.io.stream.NamedWriteableRegistry;
import org.elasticsearch.common.settings.ClusterSettings;
import org.elasticsearch.common.settings.IndexScopedSettings;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.common.settings.SettingsFilter;
import org.elasticsearch.env.Environment;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.index.IndexSettings;
import org.elasticsearch.index.analysis.AnalyzerProvider;
import org.elasticsearch.index.analysis.AnalyzerScope;
import org.elasticsearch.indices.analysis.AnalysisModule.AnalysisProvider;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.AnalysisPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestController;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestResponse;
import org.elasticsearch.rest.RestStatus;

/** What modules that are not on Maven would bring: the answer to `GET /` and the analyzer `english`. */
public final class Unpublished extends Plugin implements ActionPlugin, AnalysisPlugin {
    @Override
    public Map<String, AnalysisProvider<AnalyzerProvider<? extends Analyzer>>> getAnalyzers() {
        return Map.of("english", English::new);
    }

    @Override
    public Collection<RestHandler> getRestHandlers(
            Settings settings, NamedWriteableRegistry writeables, RestController controller,
            ClusterSettings clusterSettings, IndexScopedSettings indexSettings, SettingsFilter filter,
            IndexNameExpressionResolver names, Supplier<DiscoveryNodes> nodes,
            Predicate<NodeFeature> features) {
        return List.of(new Root());
    }

    private static final class English implements AnalyzerProvider<EnglishAnalyzer> {
        private final EnglishAnalyzer analyzer = new EnglishAnalyzer();
        private final String name;

        English(IndexSettings index, Environment environment, String name, Settings settings) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public AnalyzerScope scope() {
            return AnalyzerScope.INDEX;
        }

        @Override
        public EnglishAnalyzer get() {
            return analyzer;
        }
    }

    private static final class Root extends BaseRestHandler {
        @Override
        public String getName() {
            return "root";
        }

        @Override
        public List<Route> routes() {
            return List.of(
                new Route(RestRequest.Method.GET, "/"), new Route(RestRequest.Method.HEAD, "/"));
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
            return channel -> {
                var body = channel.newBuilder().startObject();
                body.field("name", client.getLocalNodeId());
                body.field("cluster_name", "shadowrank");
                body.startObject("version").field("number", Build.current().version());
                body.field("build_flavor", "default").endObject();
                body.field("tagline", "You Know, for Search").endObject();
                channel.sendResponse(new RestResponse(RestStatus.OK, body));
            };
        }
    }
}
