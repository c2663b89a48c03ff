"""What tests share: a real Redis, optional data, a sound configuration; and what is missing."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from redis import Redis

from config.errors import ConfigError
from config.loader import Loaded, load
from proxy.build import build
from proxy.events.redis_server import EMBEDDED, RedisMissing, find_server, opened
from proxy.plan import Plan

Require = Callable[[object, str, str], None]


def _require(found: object, what: str, remedy: str) -> None:
    """Go on only with what was found: skip on a laptop; fail in CI, which leaves nothing out."""
    if found:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing: {remedy}", pytrace=False)
    pytest.skip(f"{what} is missing: {remedy}")


@pytest.fixture(scope="session")
def require() -> Require:
    """`require(found, what, remedy)`: skip the test unless `found`; in CI, fail it."""
    return _require


@pytest.fixture(scope="session")
def redis_server(require: Require) -> str:
    """The path of a real `redis-server`."""
    try:
        return find_server()
    except RedisMissing as exc:
        require(None, "redis-server", str(exc))
        raise


@pytest.fixture(scope="session")
def _session_redis(redis_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("redis")
    server = opened(EMBEDDED, folder)
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        url = runner.run(server.__aenter__())
        yield url
        runner.run(server.__aexit__(None, None, None))


@pytest.fixture
def redis_url(_session_redis: str) -> str:
    """The URL of a real and empty Redis, one server for the whole run."""
    with Redis.from_url(_session_redis) as client:
        client.flushall()
    return _session_redis


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of public corpora and judgments, which a clone need not have."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SHADOWRANK_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no data in {folder} (SHADOWRANK_DATA names another folder)")
    return folder


FIELDS = {
    "title": {"type": "text"},
    "text": {"type": "text", "analyzer": "english"},
    "course": {"type": "keyword"},
    "year": {"type": "number"},
}
SOUND: dict[str, Any] = {
    "backends": {
        "main": {
            "kind": "embedded",
            "indices": {
                "faq": {"corpus": "faq.jsonl", "vectors": "faq.npy", "fields": FIELDS},
            },
        }
    },
    "rerankers": {
        "near": {"kind": "embedding", "backend": "main", "index": "faq", "field": "embedding"}
    },
    "legs": {
        "dense": {"kind": "knn", "backend": "main", "index": "faq", "field": "embedding"},
        "text": {
            "kind": "lexical",
            "backend": "main",
            "index": "faq",
            "fields": ["text"],
            "window": 40,
        },
        "bm25": {
            "kind": "lexical",
            "backend": "main",
            "index": "faq",
            "fields": ["title^3", "text"],
        },
    },
    "pipelines": {
        "rrf": {
            "legs": ["text", "dense", "bm25"],
            "fusion": {"kind": "rrf", "weights": {"bm25": 2}},
        },
        "near": {"legs": ["dense", "bm25"], "fusion": {"kind": "rrf"}, "rerank": "near"},
        "alone": {"legs": ["dense"]},
    },
    "routes": {"faq": {"live": {"alone": 0.25, "near": 0.75}, "shadows": {"rrf": 0.5}}},
}


@pytest.fixture
def sound() -> dict[str, Any]:
    """Every section of a sound configuration, to be changed at will."""
    return deepcopy(SOUND)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a corpus of one document and its vectors of three numbers."""
    (tmp_path / "faq.jsonl").write_text(json.dumps({"id": "1", "title": "a", "text": "b"}))
    np.save(tmp_path / "faq.npy", np.ones((1, 3), dtype=np.float32))
    return tmp_path


@pytest.fixture
def loaded(folder: Path) -> Callable[[dict[str, Any]], Loaded]:
    """Writes sections to a file beside the corpus and loads it."""

    def write(sections: dict[str, Any]) -> Loaded:
        path = folder / "c.yaml"
        path.write_text(yaml.safe_dump(sections, sort_keys=False))
        return load(path, {})

    return write


@pytest.fixture
def planned(loaded: Callable[[dict[str, Any]], Loaded]) -> Callable[[dict[str, Any]], Plan]:
    """The plan that sections come to."""
    return lambda sections: build(loaded(sections))


@pytest.fixture
def problems(loaded: Callable[[dict[str, Any]], Loaded]) -> Callable[[dict[str, Any]], list[str]]:
    """What is wrong with sections, line by line."""

    def found(sections: dict[str, Any]) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            build(loaded(sections))
        return list(caught.value.problems)

    return found
