"""Tests of config/default.yaml."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

import config
from config.loader import Loaded, load
from config.schema import Part, Settings
from config.section import Section
from proxy.build import SHIPPED

FILE = Path(config.__file__).with_name("default.yaml")
OWN = {"backends", "embedders", "rerankers", "legs", "pipelines", "routes"}
"""Sections that hold examples, not defaults."""


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    """The file, read."""
    return load(FILE, {})


@pytest.fixture(scope="module")
def raw() -> dict[str, Any]:
    """The file, as YAML."""
    return yaml.safe_load(FILE.read_text())  # type: ignore[no-any-return]  # a mapping, as the file is ours


def test_it_loads_and_is_hashable(loaded: Loaded) -> None:
    """
    Frozen to the bottom.
    """

    assert () == loaded.problems
    assert isinstance(hash(loaded.settings), int)


def test_its_values_are_the_defaults(loaded: Loaded) -> None:
    """
    Leaving a knob out is the same as copying it from here.
    """
    settings = loaded.settings
    assert settings is not None
    nothing = Settings(backends=(), legs=(), pipelines=(), routes=())

    assert nothing == settings.model_copy(update=dict.fromkeys(OWN, ()))


def missing(section: type[BaseModel], given: dict[str, Any], where: str) -> Iterator[str]:
    """The keys of a section that a mapping doesn't show."""
    for name, field in section.model_fields.items():
        path = f"{where}.{name}" if where else name
        if name not in given:
            yield path
        elif isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield from missing(field.annotation, given[name], path)


def test_every_knob_stands_in_it(raw: dict[str, Any]) -> None:
    """
    A section's key that isn't here is undocumented.
    """
    route, pipeline = raw["routes"]["faq"], raw["pipelines"]["rrf60"]
    fields = Settings.model_fields

    assert [] == list(missing(Settings, raw, ""))
    for name, entry in (("routes", route), ("pipelines", pipeline)):
        annotation: Any = fields[name].annotation
        assert [] == list(missing(annotation.__args__[0].__args__[1], entry, name))


@pytest.mark.parametrize("section", ["backends", "embedders", "rerankers", "legs"])
def test_every_option_of_every_kind_of_part_stands_in_it(loaded: Loaded, section: str) -> None:
    """
    The classes that the kinds name are the schema, so each kind and each field must be shown.
    """
    parts: dict[str, Part] = {part.kind: part for _, part in getattr(loaded.settings, section)}
    for kind, made in getattr(SHIPPED, section).items():
        assert {field.name for field in dataclasses.fields(made)} == set(dict(parts[kind].options))


def test_every_option_of_every_fusion_stands_in_it(raw: dict[str, Any]) -> None:
    """
    Fusions stand in pipelines.
    """
    shown: dict[str, set[str]] = {}
    for pipeline in raw["pipelines"].values():
        fusion = dict(pipeline.get("fusion") or {"kind": ""})
        shown.setdefault(fusion.pop("kind"), set()).update(fusion)

    for kind, made in SHIPPED.fusions.items():
        assert {field.name for field in dataclasses.fields(made)} == shown[kind]  # type: ignore[arg-type]  # a dataclass


def test_every_knob_has_its_reason() -> None:
    """
    A line that sets a value at the top or in a section of its own says why, or its section does.
    """
    bare = [
        line
        for line in FILE.read_text().splitlines()
        if line and not line.startswith((" ", "#")) and "#" not in line
    ]

    assert ["evaluator:"] == bare
