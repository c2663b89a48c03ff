from __future__ import annotations

import doctest
from pathlib import Path

from config.loader import load
from config.named import Pairs
from proxy import redacted as module
from proxy.redacted import HIDDEN, redacted

EXAMPLE = Path(__file__).parents[2] / "config" / "examples" / "hybrid.yaml"


def test_its_examples_are_true():
    """
    The docstring says what it does.
    """
    assert 0 == doctest.testmod(module).failed


def test_a_configuration_looks_like_its_file():
    """
    Sections are mappings again and a part's options stand beside its kind.
    """
    shown = redacted(load(EXAMPLE, {}).settings)

    assert isinstance(shown, dict)
    assert {"legs": ["bm25"]} == {"legs": shown["pipelines"]["bm25only"]["legs"]}
    assert "embedded" == shown["backends"]["local"]["kind"]
    assert {"rrf60": 0.9, "bm25only": 0.1} == shown["routes"]["faq"]["live"]


def test_secrets_are_hidden_and_their_variables_are_not():
    """
    What is named like a secret isn't shown; which variable holds it is.
    """
    shown = redacted(Pairs([("password", "x"), ("password_env", "PW"), ("token", ("a", "b"))]))

    assert {"password": HIDDEN, "password_env": "PW", "token": [HIDDEN, HIDDEN]} == shown
