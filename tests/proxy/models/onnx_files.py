"""A tiny cross-encoder in two files: ONNX's protobuf written by hand, and a tokenizer of words.

Its score of a pair is the sum of the worths of the document's words; what a word is worth is known
to the test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing

FLOAT, INT64 = 1, 7


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _field(number: int, value: int | str | bytes) -> bytes:
    """A field of a protobuf message: a number, or what has a length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _named(name: str, kind: int, *axes: int | str) -> bytes:
    """A ValueInfoProto: a tensor of this kind; an axis has a length or a name."""
    dimensions = b"".join(
        _field(1, _field(1 if isinstance(axis, int) else 2, axis)) for axis in axes
    )
    tensor = _field(1, kind) + _field(2, dimensions)
    return _field(1, name) + _field(2, _field(1, tensor))


def _tensor(name: str, kind: int, values: Sequence[float], *axes: int) -> bytes:
    """A TensorProto with its values as raw bytes."""
    raw = np.array(values, np.float32 if kind == FLOAT else np.int64).tobytes()
    return b"".join(_field(1, axis) for axis in axes) + (
        _field(2, kind) + _field(8, name) + _field(9, raw)
    )


def _node(operator: str, inputs: str, output: str, **attributes: int) -> bytes:
    """A NodeProto; every attribute is a whole number (AttributeProto type 2)."""
    made = b"".join(_field(1, name) for name in inputs.split())
    made += _field(2, output) + _field(4, operator)
    for name, value in attributes.items():
        made += _field(5, _field(1, name) + _field(3, value) + _field(20, 2))
    return made


def weights(worths: Sequence[float], *, columns: int = 1, needs: str = "") -> bytes:
    """A ModelProto: (texts, tokens) ids, masks and types to (texts, `columns`) scores.

    The types are 1 for the document's tokens. `needs` is one input more, which nobody feeds.
    """
    names = ("input_ids", "attention_mask", "token_type_ids", *needs.split())
    table = [worth for worth in worths for _ in range(columns)]
    nodes = (
        _node("Gather", "table input_ids", "worth", axis=0),
        _node("Mul", "attention_mask token_type_ids", "counts"),
        _node("Cast", "counts", "weight", to=FLOAT),
        _node("Unsqueeze", "weight last", "weights"),
        _node("Mul", "worth weights", "weighed"),
        _node("ReduceSum", "weighed middle", "logits", keepdims=0),
    )
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, "tiny")
    graph += _field(5, _tensor("table", FLOAT, table, len(worths), columns))
    graph += _field(5, _tensor("last", INT64, [2], 1)) + _field(5, _tensor("middle", INT64, [1], 1))
    graph += b"".join(_field(11, _named(name, INT64, "texts", "tokens")) for name in names)
    graph += _field(12, _named("logits", FLOAT, "texts", columns))
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 13))


def save(folder: Path, worths: Mapping[str, float], **options: int | str) -> Path:
    """Both files in `folder`. Words beyond those named are worth nothing."""
    words = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3}
    words |= {word: at for at, word in enumerate(worths, len(words))}
    tokenizer = Tokenizer(WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    # A padding's worth would show in a score if it were not masked.
    table = [1000.0, 0.0, 0.0, 0.0, *worths.values()]
    (folder / "model.onnx").write_bytes(weights(table, **options))  # type: ignore[arg-type]  # the options of `weights`
    return folder
