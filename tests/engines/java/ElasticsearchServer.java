import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.http.HttpServerTransport;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginsLoader;

/**
 * An Elasticsearch node whose modules lie in HOME/modules. Arguments: HOME, then NAME=VALUE for
 * each setting. It writes the port it listens on to HOME/port.
 */
public final class ElasticsearchServer {
    public static void main(String[] arguments) throws Exception {
        LogConfigurator.loadLog4jPlugins();
        LogConfigurator.configureESLogging();
        Path home = Path.of(arguments[0]).toAbsolutePath();
        Settings.Builder settings = Settings.builder().put("path.home", home.toString());
        for (String argument : List.of(arguments).subList(1, arguments.length)) {
            int equals = argument.indexOf('=');
            settings.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
        Environment environment = InternalSettingsPreparer.prepareEnvironment(
            settings.build(), Map.of(), home.resolve("config"), () -> "node");
        PluginsLoader modules = PluginsLoader.createPluginsLoader(
            PluginsLoader.loadModulesBundles(home.resolve("modules")), Set.of(), Map.of(), false);
        Node node = new Node(environment, modules);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(node)));
        node.start();
        HttpServerTransport http = node.injector().getInstance(HttpServerTransport.class);
        int port = http.boundAddress().publishAddress().getPort();
        Path written = Files.writeString(home.resolve("port.partial"), Integer.toString(port));
        Files.move(written, home.resolve("port"));
        Thread.currentThread().join();
    }

    private static void end(Node node) {
        try {
            node.close();
        } catch (Exception failure) {
            failure.printStackTrace();
        }
    }
}
