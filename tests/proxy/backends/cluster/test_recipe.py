"""What both recipes refuse before anything is opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from config.errors import ConfigError
from proxy.backends.elasticsearch import Elasticsearch
from proxy.backends.opensearch import Aws, OpenSearch
from proxy.backends.registry import BACKENDS
from proxy.fusion.es_rrf import ElasticsearchRRF
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.legs.pushdown import Pushdown
from proxy.model import Terms

PLAIN, SECURE = ("http://es:9200",), ("https://es:9200",)
SHA = "ab" * 32


@pytest.fixture(params=["elasticsearch", "opensearch"])
def kind(request: pytest.FixtureRequest) -> str:
    """Which recipe it is."""
    name: str = request.param
    return name


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "hosts: "),
        ({"hosts": ("es:9200",)}, "hosts.0: 'es:9200' is no URL of a node"),
        ({"hosts": ("http://u:p@es:9200",)}, "hosts.0: holds a name or a password"),
        ({"hosts": PLAIN, "username_env": "U"}, "password_env: is missing beside username_env"),
        ({"hosts": PLAIN, "password_env": "P"}, "username_env: is missing beside password_env"),
        ({"hosts": PLAIN, "username_env": "U", "password_env": "P", "bearer_env": "B"},
         "bearer_env: contradicts username_env"),
        ({"hosts": PLAIN, "ca_file": Path("ca.pem")}, "ca_file: is of no use"),
        ({"hosts": PLAIN, "fingerprint": SHA}, "fingerprint: is of no use"),
        ({"hosts": SECURE, "fingerprint": "ab"}, "fingerprint: 'ab' is no SHA-256"),
        ({"hosts": SECURE, "client_key_file": Path("k")}, "client_key_file: is the key of no"),
        ({"hosts": PLAIN, "pool": 0}, "pool: 0 is not 1 to 10000"),
        ({"hosts": PLAIN, "connect_timeout_ms": 1}, "connect_timeout_ms: 1 is not"),
        ({"hosts": PLAIN, "fetch_timeout_ms": 1}, "fetch_timeout_ms: 1 is not"),
        ({"hosts": PLAIN, "refresh": 0.1}, "refresh: 0.1 is not 1 to 3600"),
    ],
)  # fmt: skip
def test_what_contradicts_itself(kind: str, options: dict[str, Any], said: str) -> None:
    """
    The option is named.
    """
    with pytest.raises(ValueError, match=said.replace("[", r"\[")):
        BACKENDS[kind](**options)


@pytest.mark.parametrize(
    ("made", "options", "said"),
    [
        (Elasticsearch, {"hosts": PLAIN, "api_key_env": "A", "bearer_env": "B"},
         "bearer_env: contradicts api_key_env"),
        (Elasticsearch, {"hosts": PLAIN, "cloud_id_env": "C"}, "hosts: or cloud_id_env"),
        (OpenSearch, {"hosts": PLAIN, "aws": Aws("eu-west-1"), "bearer_env": "B"},
         "aws: contradicts bearer_env"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_in_one_of_them(
    made: type, options: dict[str, Any], said: str
) -> None:
    """
    Ways in that only one of the engines has.
    """
    with pytest.raises(ValueError, match=said):
        made(**options)


def test_files_are_read_from_the_configurations_folder(kind: str, tmp_path: Path) -> None:
    """
    Those that aren't there are told before anything is opened.
    """
    (tmp_path / "ca.pem").write_text("")
    recipe = BACKENDS[kind](
        hosts=SECURE,
        ca_file=Path("ca.pem"),
        client_cert_file=Path("c.pem"),
        client_key_file=Path("k.pem"),
    )

    faults = recipe.at(tmp_path, tmp_path).faults()

    assert ["client_cert_file", "client_key_file"] == [line.partition(":")[0] for line in faults]
    assert hash(recipe) == hash(recipe.at(Path(), Path()))


def test_what_no_version_can_be_asked(kind: str) -> None:
    """
    A fusion of the other engine; fields are the cluster's to know.
    """
    legs = (("a", Lexical("m", "faq", ("t",))), ("b", Knn("m", "faq", "v")))
    fused = Pushdown("m", "faq", legs, ElasticsearchRRF(), None, 10, 300)
    recipe = BACKENDS[kind](hosts=PLAIN)

    told = [recipe.problems(leg) for leg in (legs[0][1], legs[1][1], fused)]

    assert [0, 0, int(kind == "opensearch")] == [len(lines) for lines in told]
    assert [] == list(recipe.filter_problems("faq", Terms("x", ())))
    assert recipe.dimension("faq") is None


async def test_certificates_that_are_none_end_the_start(kind: str, tmp_path: Path) -> None:
    """
    And are told by an inspection.
    """
    (tmp_path / "ca.pem").write_text("no")
    recipe = BACKENDS[kind](hosts=SECURE, ca_file=tmp_path / "ca.pem")

    with pytest.raises(ConfigError, match=r"backends.main.ca_file: .* holds no certificates"):
        async with recipe.open("main", "live"):
            pass

    assert ["ca_file"] == [line.partition(":")[0] for line in await recipe.inspect("main", ())]
