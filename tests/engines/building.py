"""Makes an engine of its Maven artefacts, once, in a folder of the cache."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.engines.recipes import COMPILER, Recipe
from tests.engines.runtimes import Missing, cache, find

Say = Callable[[str], None]

MAVEN: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
POM: Final = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion>
<groupId>shadowrank</groupId><artifactId>engine</artifactId><version>1</version>
<dependencies>{}</dependencies>
</project>
"""
DEPENDENCY: Final = """
<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"""
LOGGING: Final = """\
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
"""
DESCRIPTOR: Final = """\
name={name}
description={name}
classname={classname}
version={version}
elasticsearch.version={version}
java.version=17
"""


def built(recipe: Recipe, say: Say = print) -> Path:
    """The engine's folder, made if it isn't there. Half a folder never has this name."""
    folder = cache() / recipe.folder
    if folder.is_dir():
        return folder
    with _locked(cache() / "lock", say):
        if not folder.is_dir():  # whoever held the lock may have made it
            partial = cache() / f"{recipe.folder}.partial"
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            _make(recipe, partial, say)
            partial.rename(folder)
    return folder


@contextmanager
def _locked(path: Path, say: Say) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another process that is building an engine")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make(recipe: Recipe, folder: Path, say: Say) -> None:
    find(recipe.java)  # what is missing shows before anything is fetched
    lib, tool, classes = (folder / name for name in ("lib", "compiler", "classes"))
    say(f"{recipe.name} {recipe.version}: fetching it from Maven (about 60 MB the first time)")
    _copy(folder, recipe.jars, lib)
    _copy(folder, (COMPILER,), tool)
    for plugin in recipe.zips:
        say(f"{recipe.name} {recipe.version}: fetching {plugin.split(':')[1]}")
        _maven(folder, "copy", f"-Dartifact={plugin}", f"-DoutputDirectory={tool}")
    for packed in tool.glob("*.zip"):
        _unpack(packed, lib)
    say(f"{recipe.name} {recipe.version}: compiling")
    _compile(recipe, folder, recipe.java_sources, classes)
    (classes / "log4j2.properties").write_text(LOGGING)
    if recipe.module_sources:
        _modules(recipe, folder)
    shutil.rmtree(tool)


def _copy(folder: Path, coordinates: Iterable[str], target: Path) -> None:
    rows = "".join(DEPENDENCY.format(*each.split(":")) for each in coordinates)
    (folder / "pom.xml").write_text(POM.format(rows))
    _maven(folder, "copy-dependencies", f"-DoutputDirectory={target}")


def _maven(folder: Path, goal: str, *options: str) -> None:
    program = shutil.which("mvn")
    if program is None:
        raise Missing("Maven", "apt-get install maven")
    command = [program, "--batch-mode", "--quiet", f"{MAVEN}:{goal}", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        said = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        raise Missing("what Maven should fetch", f"is its repository reachable? It said:\n{said}")


def _unpack(packed: Path, lib: Path) -> None:
    """Take the plugin's jars, save those that the engine brings itself."""
    with zipfile.ZipFile(packed) as archive:
        for name in archive.namelist():
            if name.endswith(".jar") and "/" not in name and not (lib / name).exists():
                archive.extract(name, lib)


def _compile(recipe: Recipe, folder: Path, sources: Iterable[Path], target: Path) -> None:
    java = find(recipe.java)
    (compiler,) = (folder / "compiler").glob("ecj-*.jar")
    command = [
        str(java.program), "-jar", str(compiler), f"-{recipe.java.start}", "-nowarn",
        "-classpath", os.pathsep.join(map(str, sorted((folder / "lib").glob("*.jar")))),
        "-d", str(target), *map(str, sources),
    ]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        said = f"{done.stdout}{done.stderr}"
        raise RuntimeError(f"{recipe.name} does not compile ({done.returncode}):\n{said}")


def _modules(recipe: Recipe, folder: Path) -> None:
    """Lay out what Elasticsearch loads by itself: its transport, and what isn't published."""
    transport = folder / "modules" / "transport-netty4"
    unpublished = folder / "modules" / "unpublished"
    transport.mkdir(parents=True)
    unpublished.mkdir()
    _compile(recipe, folder, recipe.module_sources, folder / "unpublished")
    with zipfile.ZipFile(unpublished / "unpublished.jar", "w") as jar:
        for path in (folder / "unpublished").glob("*.class"):
            jar.write(path, path.name)
    shutil.rmtree(folder / "unpublished")
    for pattern in ("netty-*.jar", "transport-netty4-*.jar"):
        for path in (folder / "lib").glob(pattern):
            path.rename(transport / path.name)
    for target, classname in (
        (transport, "org.elasticsearch.transport.netty4.Netty4Plugin"),
        (unpublished, "Unpublished"),
    ):
        text = DESCRIPTOR.format(name=target.name, classname=classname, version=recipe.version)
        (target / "plugin-descriptor.properties").write_text(text)
