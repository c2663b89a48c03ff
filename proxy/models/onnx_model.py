"""A model of two files, run here: weights for onnxruntime and the tokenizer they were trained with.

The one file that knows both libraries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from proxy.errors import BackendError, BackendRefused

# onnxruntime has no types, and its errors have no base of their own.
_onnxruntime: Final[Any] = import_module("onnxruntime")
_state: Final[Any] = _onnxruntime.capi.onnxruntime_pybind11_state
_FAILURES: Final[tuple[type[Exception], ...]] = (
    ValueError,  # an input that the model has besides
    *(
        kind
        for kind in vars(_state).values()
        if isinstance(kind, type) and issubclass(kind, Exception)
    ),
)
_PADDINGS: Final = ("[PAD]", "<pad>")


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Texts or pairs as numbers, each row as long as the longest: (texts, tokens)."""

    ids: NDArray[np.int64]
    mask: NDArray[np.int64]
    types: NDArray[np.int64]


class OnnxModel:
    """The model in memory, used from any thread: each call runs on its caller's thread alone."""

    def __init__(self, weights: Path, tokenizer: Path, max_tokens: int | None = None) -> None:
        """Read both files; `max_tokens` None leaves it to the tokenizer's file where to cut.

        Raises BackendError for a file that isn't what it should be.
        """
        options = _onnxruntime.SessionOptions()
        # More threads are slower as soon as another process runs, and would be shared by the roles.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            self._session = _onnxruntime.InferenceSession(
                str(weights), options, providers=["CPUExecutionProvider"]
            )
        except _FAILURES as exc:
            raise BackendError(f"onnxruntime: {exc}") from exc
        self._inputs = {each.name for each in self._session.get_inputs()}
        self._tokenizer = _tokenizer(tokenizer, max_tokens)
        known = map(self._tokenizer.token_to_id, _PADDINGS)
        self._padding = next((number for number in known if number is not None), 0)

    def tokens(self, texts: Sequence[tuple[str, str | None]]) -> Tokens:
        """Texts, or pairs of them, as numbers. Raises BackendRefused for what isn't Unicode."""
        try:
            encoded = [self._tokenizer.encode(text, beside) for text, beside in texts]
        except (TypeError, ValueError) as exc:
            raise BackendRefused("the text can't be tokenized") from exc
        shape = (len(encoded), max(len(each.ids) for each in encoded))
        ids = np.full(shape, self._padding, np.int64)
        mask, types = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, each in enumerate(encoded):
            length = len(each.ids)
            ids[row, :length] = each.ids
            mask[row, :length] = each.attention_mask
            types[row, :length] = each.type_ids
        return Tokens(ids, mask, types)

    def run(self, tokens: Tokens, output: str | None = None) -> Any:
        """What the model makes of them: the output of that name, or the first."""
        fed = {"input_ids": tokens.ids, "attention_mask": tokens.mask}
        if "token_type_ids" in self._inputs:
            fed["token_type_ids"] = tokens.types
        try:
            return self._session.run(None if output is None else [output], fed)[0]
        except _FAILURES as exc:
            raise BackendError(f"onnxruntime: {exc}") from exc


def _tokenizer(file: Path, max_tokens: int | None) -> Tokenizer:
    try:
        made = Tokenizer.from_buffer(file.read_bytes())
    except (OSError, ValueError) as exc:
        raise BackendError(f"{file.name}: {exc}") from exc
    made.no_padding()
    if max_tokens is not None:
        made.enable_truncation(max_tokens)
    return made
