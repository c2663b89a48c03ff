"""What the rerankers behind HTTP share, on each of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

import pytest

from config.errors import ConfigError
from proxy.answer import DEGRADED_REASONS
from proxy.backends import Question
from proxy.errors import BackendError
from proxy.rerankers import Shortlist
from proxy.rerankers.cohere import Cohere
from proxy.rerankers.jina import Jina
from proxy.rerankers.remote import RemoteReranker
from proxy.rerankers.tei import Tei
from proxy.rerankers.voyage import Voyage
from tests.proxy.models.services import FAULTS, SECRET, Fault, Models, patience, score, secrets_in

TEXT = ("title", "body")
KINDS: Mapping[str, RemoteReranker] = {
    "cohere": Cohere(api_key_env="MODEL_KEY", text=TEXT),
    "jina": Jina(api_key_env="MODEL_KEY", text=TEXT),
    "tei": Tei(url="http://h", model="bge-reranker-base", api_key_env="MODEL_KEY", text=TEXT),
    "voyage": Voyage(api_key_env="MODEL_KEY", text=TEXT),
}
PATHS = {"cohere": "/cohere", "jina": "/jina/v1", "tei": "/tei", "voyage": "/voyage/v1"}
QUESTION = Question("swallowed a fork")
TEXTS = {"a": "a fork", "b": "the moon", "c": "swallowed a fork", "d": "swallowed"}
SHORTLIST = Shortlist(tuple(TEXTS), TEXTS)


@pytest.fixture(params=KINDS)
def recipe(request: pytest.FixtureRequest, models: Models) -> RemoteReranker:
    """Each kind, with the patience of a busy machine."""
    kind = request.param
    return replace(KINDS[kind], url=models.url + PATHS[kind], timeout_ms=5_000)


async def test_a_shortlist_is_judged(models: Models, recipe: RemoteReranker) -> None:
    """
    Every document has the score that the service gave it, whatever the order of its answer.
    """
    async with recipe.open("r", "live") as reranker:
        found = await reranker.score(QUESTION, SHORTLIST, {})

    assert {doc: score(QUESTION.text, text) for doc, text in TEXTS.items()} == found
    assert (TEXT, recipe.top, 5_000) == (reranker.text, reranker.top, reranker.timeout_ms)
    assert reranker.embedder is None
    assert f"Bearer {SECRET}" == models.headers[0]["Authorization"]
    assert 1 == len(models.asked)


@pytest.mark.parametrize(("fault", "reason"), FAULTS.values(), ids=FAULTS)
async def test_every_fault_is_an_error_of_ours(
    models: Models,
    recipe: RemoteReranker,
    fault: Fault,
    reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """
    It has its reason, is not asked for again, and quotes neither text nor key; then all is well.
    """
    caplog.set_level(logging.DEBUG)
    models.fault = fault
    recipe = replace(recipe, timeout_ms=int(1_000 * patience(fault)))
    async with recipe.open("r", "live") as reranker:
        with pytest.raises(BackendError) as caught:
            await reranker.score(QUESTION, SHORTLIST, {})
        models.fault = None
        assert 4 == len(await reranker.score(QUESTION, SHORTLIST, {}))

    assert reason == caught.value.reason
    assert reason in DEGRADED_REASONS
    assert 2 == len(models.asked)
    assert [] == secrets_in(caught.value, "swallowed", "moon")
    assert not any(word in str(vars(each)) for each in caplog.records for word in (SECRET, "moon"))


def _results(answer: Any) -> tuple[list[Any], str]:
    """Where a service's answer has its ranks, and what it calls their scores."""
    if isinstance(answer, list):
        return answer, "score"
    return answer.get("results", answer.get("data")), "relevance_score"


def _without_one(answer: Any) -> Any:
    _results(answer)[0].pop()
    return answer


def _one_twice(answer: Any) -> Any:
    ranks, _ = _results(answer)
    ranks[1] = ranks[0]
    return answer


def _one_more(answer: Any) -> Any:
    ranks, _ = _results(answer)
    ranks.append(ranks[0])
    return answer


def _beyond(answer: Any) -> Any:
    _results(answer)[0][0]["index"] = 4
    return answer


def _below(answer: Any) -> Any:
    _results(answer)[0][0]["index"] = -1
    return answer


def _no_number(answer: Any) -> Any:
    ranks, name = _results(answer)
    ranks[0][name] = float("nan")
    return answer


def _infinite(answer: Any) -> Any:
    ranks, name = _results(answer)
    ranks[0][name] = float("inf")
    return answer


def _no_score(answer: Any) -> Any:
    ranks, name = _results(answer)
    del ranks[0][name]
    return answer


def _words(answer: Any) -> Any:
    ranks, name = _results(answer)
    ranks[0][name] = "very"
    return answer


def _none(answer: Any) -> Any:
    _results(answer)[0].clear()
    return answer


@pytest.mark.parametrize(
    "spoil",
    [
        _without_one, _one_twice, _one_more, _beyond, _below, _no_number, _infinite, _no_score,
        _words, _none, lambda _: {}, lambda _: [], lambda _: None, lambda _: {"error": "no"},
    ],
)  # fmt: skip
async def test_an_answer_in_doubt_is_not_believed(
    models: Models, recipe: RemoteReranker, spoil: Any
) -> None:
    """
    Whatever is wrong with one score, none of the list is taken.
    """
    models.spoil = spoil
    async with recipe.open("r", "live") as reranker:
        with pytest.raises(BackendError) as caught:
            await reranker.score(QUESTION, SHORTLIST, {})

    assert caught.value.reason in ("error", "bad_score")
    assert [] == secrets_in(caught.value, "swallowed", "moon")


async def test_documents_are_cut_to_the_budget(models: Models, recipe: RemoteReranker) -> None:
    """
    Of a long document the model sees the beginning.
    """
    async with replace(recipe, max_characters=9).open("r", "live") as reranker:
        await reranker.score(QUESTION, Shortlist(("a",), {"a": "swallowed whole"}), {})

    ((_, asked),) = models.asked
    assert ["swallowed"] == asked.get("documents", asked.get("texts"))


async def test_who_leaves_ends_the_call(models: Models, recipe: RemoteReranker) -> None:
    """
    A stage that overran its budget leaves nothing running.
    """
    models.delay = 5
    async with replace(recipe, timeout_ms=10_000).open("r", "live") as reranker:
        start = perf_counter()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await reranker.score(QUESTION, SHORTLIST, {})
        assert perf_counter() - start < 1
        async with asyncio.timeout(2):
            while not models.left:
                await asyncio.sleep(0.01)


async def test_a_key_that_is_not_set_is_said_at_start(
    models: Models, recipe: RemoteReranker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Not at the first search.
    """
    monkeypatch.delenv("MODEL_KEY")

    with pytest.raises(ConfigError, match=r"reranker 'r' .*\n.*'MODEL_KEY' is not set"):
        async with recipe.open("r", "live"):
            pass


@pytest.mark.parametrize(
    "options",
    [{"top": 0}, {"top": 1_001}, {"text": ()}, {"text": ("",)}, {"timeout_ms": 0}, {"url": "h"}],
)
@pytest.mark.parametrize("kind", KINDS)
def test_options_are_within_bounds(kind: str, options: dict[str, Any]) -> None:
    """
    The message begins with the field, so that the build can say where it stands.
    """
    (name,) = options
    with pytest.raises(ValueError, match=f"^{name}: "):
        replace(KINDS[kind], **options)


@pytest.mark.parametrize("kind", KINDS)
def test_its_identity_is_the_models(kind: str) -> None:
    """
    A version counts `top` and `text` by itself; the model and the cut are the reranker's.
    """
    plain = KINDS[kind]

    for same in ({"top": 7}, {"text": ("body",)}, {"timeout_ms": 1}, {"url": "http://other"}):
        assert plain.identity == replace(plain, **same).identity  # type: ignore[arg-type]  # of several types
    for other in ({"model": "m"}, {"max_characters": 7}):
        assert plain.identity != replace(plain, **other).identity  # type: ignore[arg-type]  # of several types
    assert 4 == len({each.identity for each in KINDS.values()})


@pytest.mark.parametrize("kind", KINDS)
def test_it_reads_no_leg(kind: str) -> None:
    """
    Documents' texts are enough.
    """
    assert () == KINDS[kind].reads
    assert [] == KINDS[kind].problems()
