import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.opensearch.analysis.common.CommonAnalysisModulePlugin;
import org.opensearch.index.analysis.AnalyzerProvider;
import org.opensearch.index.analysis.PreBuiltAnalyzerProviderFactory;
import org.opensearch.indices.analysis.AnalysisModule.AnalysisProvider;

/** Every index makes every analyzer, and a Java runtime with few locales can't make the Thai one. */
public final class AnalysisWithoutThai extends CommonAnalysisModulePlugin {
    @Override
    public Map<String, AnalysisProvider<AnalyzerProvider<? extends Analyzer>>> getAnalyzers() {
        var analyzers = new HashMap<>(super.getAnalyzers());
        analyzers.remove("thai");
        return analyzers;
    }

    @Override
    public List<PreBuiltAnalyzerProviderFactory> getPreBuiltAnalyzerProviderFactories() {
        return super.getPreBuiltAnalyzerProviderFactories().stream()
            .filter(factory -> !factory.getName().equals("thai"))
            .toList();
    }
}
