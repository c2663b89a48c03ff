import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.opensearch.Version;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.PluginInfo;

/**
 * An OpenSearch node whose plugins lie on the class path. Arguments: HOME, then NAME=VALUE for each
 * setting and a class name for each plugin. It writes the port it listens on to HOME/port.
 */
public final class OpenSearchServer extends Node {
    @SuppressWarnings({"unchecked", "rawtypes"}) // the element type is another in each major version
    private OpenSearchServer(Environment environment, Collection plugins) {
        super(environment, plugins, false);
    }

    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[0]).toAbsolutePath();
        Settings.Builder settings = Settings.builder().put("path.home", home.toString());
        List<Object> plugins = new ArrayList<>();
        for (String argument : List.of(arguments).subList(1, arguments.length)) {
            int equals = argument.indexOf('=');
            if (equals < 0) {
                plugins.add(plugin(argument));
            } else {
                settings.put(argument.substring(0, equals), argument.substring(equals + 1));
            }
        }
        Environment environment = InternalSettingsPreparer.prepareEnvironment(
            settings.build(), Map.of(), home.resolve("config"), () -> "node");
        Node node = new OpenSearchServer(environment, plugins);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(node)));
        node.start();
        HttpServerTransport http = node.injector().getInstance(HttpServerTransport.class);
        int port = http.boundAddress().publishAddress().getPort();
        Path written = Files.writeString(home.resolve("port.partial"), Integer.toString(port));
        Files.move(written, home.resolve("port"));
        Thread.currentThread().join();
    }

    private static Object plugin(String name) throws ClassNotFoundException {
        if (Version.CURRENT.major < 3) {
            return Class.forName(name);
        }
        return new PluginInfo(
            name, "on the class path", "0", Version.CURRENT, "21", name, null, List.of(), false);
    }

    private static void end(Node node) {
        try {
            node.close();
        } catch (Exception failure) {
            failure.printStackTrace();
        }
    }
}
