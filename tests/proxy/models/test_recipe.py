"""What every model service's options have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from config.errors import ConfigError
from proxy.models.recipe import Remote


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Remote):
    """A kind of service with an option of its own."""

    kind: ClassVar[str] = "kind"

    own: int = 1


PLAIN = Kind(url="https://api.example/v1", model="m")


@pytest.mark.parametrize(
    "options",
    [
        {"url": "nowhere"}, {"model": ""}, {"timeout_ms": 0}, {"timeout_ms": 60_001},
        {"concurrency": 0}, {"concurrency": 257}, {"max_characters": 0}, {"price_per_1000": -1.0},
        {"price_per_1000": float("nan")}, {"price_per_1000": float("inf")},
    ],
)  # fmt: skip
def test_options_are_within_bounds(options: dict[str, Any]) -> None:
    """
    The message begins with the field, so that the build can say where it stands.
    """
    (name,) = options
    with pytest.raises(ValueError, match=f"^{name}: "):
        replace(PLAIN, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"url": "http://other"}, {"api_key_env": "KEY"}, {"timeout_ms": 1}, {"concurrency": 1},
        {"in_house": True}, {"price_per_1000": 2.0}, {"ca_file": Path("ca.pem")},
    ],
)  # fmt: skip
def test_its_identity_is_the_models(options: dict[str, Any]) -> None:
    """
    Where it runs, how fast it must be and what it costs change no answer.
    """
    assert PLAIN.identity == replace(PLAIN, **options).identity


@pytest.mark.parametrize("options", [{"model": "n"}, {"own": 2}, {"max_characters": 7}])
def test_what_changes_an_answer_changes_the_identity(options: dict[str, Any]) -> None:
    """
    An option that a kind adds counts unless the kind says that it doesn't.
    """
    assert PLAIN.identity != replace(PLAIN, **options).identity


@pytest.mark.parametrize(
    ("outside", "in_house", "expected"),
    [(True, None, True), (True, True, False), (False, None, False), (False, False, True)],
)
def test_whose_service_it_is(outside: bool, in_house: bool | None, expected: bool) -> None:
    """
    The kind says whose it usually is; the operator knows better.
    """

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Other(Remote):
        outside: ClassVar[bool]

    Other.outside = outside

    assert expected == Other(url="http://h", model="m", in_house=in_house).third_party


def test_a_missing_file_is_a_problem_before_anything_is_opened(tmp_path: Path) -> None:
    """
    A path starts at the configuration's folder.
    """
    placed = replace(PLAIN, ca_file=Path("ca.pem")).at(tmp_path, tmp_path / "state")

    assert [f"there is no file '{tmp_path}/ca.pem'"] == placed.problems()
    (tmp_path / "ca.pem").write_text("")
    assert [] == placed.problems()
    assert PLAIN is PLAIN.at(tmp_path, tmp_path)
    assert [] == PLAIN.problems()


def test_the_way_to_it_is_read_when_it_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The key comes from the environment of that moment.
    """
    recipe = replace(PLAIN, url="https://api.example/v1/", api_key_env="MODEL_KEY", timeout_ms=250)
    with pytest.raises(ConfigError, match="'MODEL_KEY' is not set"):
        recipe.access("embedder 'e'")
    monkeypatch.setenv("MODEL_KEY", "sk-1")

    way = recipe.access("embedder 'e'")

    assert ("https://api.example/v1", "sk-1", 0.25, 4) == (
        way.url,
        way.key,
        way.seconds,
        way.concurrency,
    )
