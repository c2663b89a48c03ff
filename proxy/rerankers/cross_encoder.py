"""The onnx reranker: a cross-encoder run here, from a folder that the operator supplies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import file_digest
from pathlib import Path
from typing import Final, Self

from config.errors import ConfigError
from config.problems import problem
from proxy.errors import BackendError
from proxy.legs import Leg
from proxy.model import Role
from proxy.models.onnx_model import OnnxModel
from proxy.models.recipe import within
from proxy.rerankers import Reranker
from proxy.rerankers.judge import Judge
from proxy.rerankers.remote import check
from proxy.sharing import Shared

FILES: Final = ("model.onnx", "tokenizer.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossEncoder:
    """The first `top` candidates judged by the model in the folder `path`.

    It reads query and document as one text of at most `max_tokens`, the longer of the two cut
    first, `batch` of them at a time and `threads` of these at once.
    """

    path: Path
    model: str
    text: tuple[str, ...]
    top: int = 50
    timeout_ms: int = 250
    max_tokens: int = 512
    max_characters: int = 4_000
    batch: int = 8
    threads: int = 1
    price_per_1000: float | None = None

    def __post_init__(self) -> None:
        check(self.text, self.top)
        if not self.model:
            raise ValueError("model: is empty")
        within("timeout_ms", self.timeout_ms, 1, 60_000)
        within("max_tokens", self.max_tokens, 8, 32_768)
        within("max_characters", self.max_characters, 1, 1_000_000)
        within("batch", self.batch, 1, 1_000)
        within("threads", self.threads, 1, 64)

    @property
    def identity(self) -> str:
        """The content of its files, and where texts are cut."""
        hashes = " ".join(_hash(self.path / name) for name in FILES)
        return f"onnx {self.model!r} {hashes} {self.max_tokens} {self.max_characters}"

    @property
    def third_party(self) -> bool:
        """It runs here."""
        return False

    @property
    def reads(self) -> Sequence[Leg]:
        """Documents' texts, which no leg reads."""
        return ()

    def units(self, documents: int) -> int:
        """The documents."""
        return documents

    def problems(self) -> list[str]:
        """A file that isn't there."""
        missing = [path for path in self._files() if not path.is_file()]
        return [f"there is no file {str(path)!r}" for path in missing]

    def at(self, folder: Path, state_dir: Path) -> Self:
        """The same with its path starting at the configuration's folder."""
        return replace(self, path=folder / self.path)

    @asynccontextmanager
    async def open(self, name: str, role: Role) -> AsyncIterator[Reranker]:
        """Load the model off the loop, and try it. Raises ConfigError for one that can't judge."""
        threads = ThreadPoolExecutor(self.threads, thread_name_prefix=f"{name}-{role}")
        try:
            loop = asyncio.get_running_loop()
            weights, tokenizer = self._files()
            model = await loop.run_in_executor(
                threads, _load, f"reranker {name!r}", weights, tokenizer, self.max_tokens
            )
            ask = partial(_ask, model, threads, self.batch)
            yield Judge(ask, self.top, self.timeout_ms, self.text, self.max_characters)
        finally:
            threads.shutdown(wait=False, cancel_futures=True)

    def _files(self) -> tuple[Path, Path]:
        weights, tokenizer = FILES
        return self.path / weights, self.path / tokenizer


# Immutable in use: live and shadow share the weights and no thread.
_MODELS: Final = Shared[OnnxModel]()


def _load(where: str, weights: Path, tokenizer: Path, max_tokens: int) -> OnnxModel:
    """The model, once it has judged something."""
    try:
        model = _MODELS.get(
            (_hash(weights), _hash(tokenizer), max_tokens),
            lambda: OnnxModel(weights, tokenizer, max_tokens),
        )
        _scores(model, "query", ["document", "of words"])
    except BackendError as exc:
        raise ConfigError(where, [problem("path", str(exc), str(weights.parent))]) from exc
    return model


async def _ask(
    model: OnnxModel, threads: Executor, batch: int, query: str, documents: Sequence[str]
) -> Sequence[tuple[int, float]]:
    """(index, score) of every document. Those of a length go together: padding costs as much."""
    loop = asyncio.get_running_loop()
    order = sorted(range(len(documents)), key=lambda at: len(documents[at]))
    parts = [order[start : start + batch] for start in range(0, len(order), batch)]
    judging = [
        loop.run_in_executor(threads, _scores, model, query, [documents[at] for at in part])
        for part in parts
    ]
    judged = await asyncio.gather(*judging)
    return [
        pair
        for part, found in zip(parts, judged, strict=True)
        for pair in zip(part, found, strict=True)
    ]


def _scores(model: OnnxModel, query: str, documents: Sequence[str]) -> list[float]:
    """The model's score of each document. Raises BackendError for anything but one number each."""
    found = model.run(model.tokens([(query, document) for document in documents]))
    if found.shape not in ((len(documents), 1), (len(documents),)):
        raise BackendError(f"scores of shape {found.shape}, not one a document")
    return [float(score) for score in found.reshape(-1)]


def _hash(file: Path) -> str:
    """The beginning of the hash of what is in a file; one that isn't there has a name as well."""
    try:
        stat = file.stat()
    except OSError:
        return "missing"
    return _hash_of(file, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=64)
def _hash_of(file: Path, size: int, changed: int) -> str:
    """Read again only when the file has changed: weights can be large."""
    with file.open("rb") as content:
        return file_digest(content, "sha256").hexdigest()[:16]
