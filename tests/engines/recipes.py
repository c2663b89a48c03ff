"""The engines that tests run on: what each is made of and which Java it wants."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

Kind = Literal["elasticsearch", "opensearch"]
JAVA_SOURCES: Final = Path(__file__).parent / "java"
COMPILER: Final = "org.eclipse.jdt:ecj:3.42.0"
"""A Java compiler that is a jar: with it a Java runtime of the engine's version is enough."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one engine is made of what its makers publish on Maven, without Docker."""

    name: str
    kind: Kind
    version: str
    java: range
    jars: tuple[str, ...]
    zips: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    able: str = ""

    @property
    def java_sources(self) -> tuple[Path, ...]:
        """What is compiled on to the class path."""
        if self.kind == "elasticsearch":
            return (JAVA_SOURCES / "ElasticsearchServer.java",)
        more = JAVA_SOURCES / self.name.replace("-", "")
        return (JAVA_SOURCES / "OpenSearchServer.java", *sorted(more.rglob("*.java")))

    @property
    def module_sources(self) -> tuple[Path, ...]:
        """What is compiled to a module of its own, which only Elasticsearch has."""
        return (JAVA_SOURCES / "Unpublished.java",) if self.kind == "elasticsearch" else ()

    @property
    def folder(self) -> str:
        """The name of its folder in the cache: another when any of this changes."""
        digest = hashlib.sha256(repr(self).encode())
        builder = Path(__file__).with_name("building.py")
        for path in (*self.java_sources, *self.module_sources, builder):
            digest.update(path.read_bytes())
        return f"{self.name}-{self.version}-{digest.hexdigest()[:8]}"


def _opensearch(
    version: str,
    java: range,
    suffix: str,
    *zips: str,
    jars: tuple[str, ...],
    instead: Mapping[str, str] = MappingProxyType({}),
) -> Recipe:
    modules = {
        "transport-netty4-client": "transport.Netty4",
        "lang-painless": "painless.Painless",
        "analysis-common": "analysis.common.CommonAnalysis",
        "reindex-client": "index.reindex.Reindex",
        "lang-mustache-client": "script.mustache.Mustache",
        "rank-eval-client": "index.rankeval.RankEval",
        "mapper-extras-client": "index.mapper.MapperExtras",
    }
    plugins = {
        "opensearch-knn": "org.opensearch.knn.plugin.KNNPlugin",
        "neural-search": "org.opensearch.neuralsearch.plugin.NeuralSearch",
    }
    names = [f"org.opensearch.{stem}{suffix}" for stem in modules.values()]
    return Recipe(
        name=f"opensearch-{version[0]}",
        kind="opensearch",
        version=version,
        java=java,
        jars=(
            f"org.opensearch:opensearch:{version}",
            *(f"org.opensearch.plugin:{module}:{version}" for module in modules),
            *jars,
        ),
        zips=tuple(f"org.opensearch.plugin:{name}:{version}.0:zip" for name in zips),
        plugins=(
            *(instead.get(name, name) for name in names),
            *(plugins[name] for name in zips),
        ),
        able=", ".join(zips),
    )


def _elasticsearch(version: str, java: range) -> Recipe:
    return Recipe(
        name=f"elasticsearch-{version[0]}",
        kind="elasticsearch",
        version=version,
        java=java,
        jars=(
            f"org.elasticsearch:elasticsearch:{version}",
            f"org.elasticsearch.plugin:transport-netty4:{version}",
        ),
        able="the server alone: knn, the retrievers standard, knn and rescorer; no licence asked",
    )


RECIPES: Final = {
    recipe.name: recipe
    for recipe in (
        _opensearch(
            "2.19.1", range(17, 24), "Plugin", "opensearch-knn", "neural-search",
            jars=("org.apache.logging.log4j:log4j-core:2.21.0",),
        ),
        _opensearch(
            "3.5.0", range(21, 100), "ModulePlugin", "opensearch-knn",
            jars=(
                "org.apache.logging.log4j:log4j-core:2.25.3",
                "com.google.guava:guava:33.2.1-jre",
            ),
            instead={
                "org.opensearch.analysis.common.CommonAnalysisModulePlugin": "AnalysisWithoutThai",
            },
        ),
        _elasticsearch("8.19.0", range(17, 24)),
        _elasticsearch("9.2.0", range(21, 100)),
    )
}  # fmt: skip
