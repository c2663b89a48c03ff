"""What index expressions stand for, over time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from proxy.backends.cluster.caller import Caller
from proxy.backends.cluster.indices import UNSEEN, Indices, version
from proxy.backends.cluster.requests import Engine
from proxy.backends.opensearch import OpenSearch
from proxy.errors import BackendError, BackendRefused
from tests.toxic import ROOTS, Behaviour, Toxic, in_turn, reply, toxic

SETTINGS = "/_settings/index.uuid"


def standing(**uuids: str) -> Behaviour:
    """The settings of these indices; `ds_` begins one behind a data stream."""
    return reply(
        {
            name.replace("ds_", ".ds-"): {"settings": {"index.uuid": uuid}}
            for name, uuid in uuids.items()
        }
    )


@asynccontextmanager
async def watching(
    settings: Behaviour, root: Behaviour | None = None, refresh: float = 3600
) -> AsyncIterator[tuple[Indices, Toxic]]:
    """The indices of such a cluster."""
    paths = {SETTINGS: settings} | ({"/": root} if root else {})
    async with toxic(paths=paths) as server, AsyncExitStack() as stack:
        nodes = await OpenSearch(hosts=(server.url,)).opened("live", stack)
        indices = Indices(Caller(nodes, "live"), "opensearch", "id", refresh)
        keeping = asyncio.create_task(indices.keep())
        try:
            yield indices, server
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, indices.close(), return_exceptions=True)


@pytest.mark.parametrize(
    ("index", "settings", "several"),
    [
        ("faq", standing(faq="u"), False),
        ("alias", standing(faq="u"), False),
        ("alias", standing(faq="u", more="v"), True),
        ("logs-*", standing(logs="u"), True),
        ("faq,more", standing(faq="u", more="v"), True),
        ("_all", standing(faq="u"), True),
        ("stream", standing(ds_stream="u"), True),
    ],
)
async def test_what_needs_the_index_in_a_documents_name(
    index: str, settings: Behaviour, several: bool
) -> None:
    """
    What reads several indices today, or may tomorrow.
    """
    async with watching(settings) as (indices, _):
        target = await indices.target(index)

    assert (several, index, "id") == (
        target.reach.several, target.reach.index, target.reach.id_field,
    )  # fmt: skip
    assert Engine("opensearch", (2, 19)) == target.engine


async def test_all_who_come_first_wait_for_one_look() -> None:
    """
    And whoever comes later for none; who leaves takes nothing from the others.
    """
    async with watching(standing(faq="u")) as (indices, server):
        leaving, *staying = (asyncio.create_task(indices.target("faq")) for _ in range(20))
        await asyncio.sleep(0)
        leaving.cancel()
        targets = await asyncio.gather(*staying)
        await indices.target("faq")

        assert (1, 1) == (server.to(SETTINGS), server.to("/"))
        assert 1 == len(set(targets))


async def test_a_version_is_of_what_was_seen_last() -> None:
    """
    A reindex shows by itself, without a search that waits for it.
    """
    settings = in_turn(standing(faq="u"), standing(faq="v"))
    async with watching(settings, refresh=0.05) as (indices, _):
        before = indices.version("faq")
        first = (await indices.target("faq")).version
        async with asyncio.timeout(5):
            while indices.version("faq") == first:
                await asyncio.sleep(0.01)

        assert (UNSEEN, version({"faq": "u"}), version({"faq": "v"})) == (
            before, first, indices.version("faq"),
        )  # fmt: skip


async def test_a_look_that_fails_keeps_what_was_known(caplog: pytest.LogCaptureFixture) -> None:
    """
    Searches go on; the log says why the version may be old.
    """
    settings = in_turn(standing(faq="u"), reply({}, 500))
    async with watching(settings, refresh=0.05) as (indices, server):
        await indices.target("faq")
        async with asyncio.timeout(5):
            while server.to(SETTINGS) < 3:
                await asyncio.sleep(0.01)

        assert version({"faq": "u"}) == (await indices.target("faq")).version
    assert "index not looked up" in caplog.messages


async def test_a_first_look_that_fails_is_tried_again() -> None:
    """
    By the next who asks.
    """
    settings = in_turn(
        reply({"error": {"type": "index_not_found_exception"}}, 404), standing(f="u")
    )
    async with watching(settings) as (indices, _):
        with pytest.raises(BackendRefused, match="404 index_not_found_exception"):
            await indices.target("faq")

        assert not (await indices.target("f")).reach.several


@pytest.mark.parametrize(
    ("settings", "root", "said"),
    [
        (standing(faq="u"), reply(ROOTS["elasticsearch"]), "use `kind: elasticsearch`"),
        (reply({"faq": 1}), None, "not as documented"),
        (reply([]), None, "not as documented"),
    ],
)
async def test_what_cannot_be_asked_is_said(
    settings: Behaviour, root: Behaviour | None, said: str
) -> None:
    """
    Another product, or another's answer.
    """
    async with watching(settings, root) as (indices, _):
        with pytest.raises(BackendError, match=said):
            await indices.target("faq")
