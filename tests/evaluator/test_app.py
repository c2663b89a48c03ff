"""The private port."""

from __future__ import annotations

from aiohttp.test_utils import TestClient, TestServer
from redis.asyncio import Redis

from evaluator.app import private
from tests.evaluator.made import write
from tests.evaluator.test_route import recent
from tests.evaluator.test_service import service


async def test_health_and_metrics(redis_url: str, client: Redis) -> None:
    """
    Live from the start, ready after a round, and then with numbers.
    """
    await write(client, recent(3))
    async with service(redis_url) as (made, _), TestClient(TestServer(private(made))) as web:
        assert 200 == (await web.get("/health/live")).status
        assert 503 == (await web.get("/health/ready")).status
        assert "Server" not in (await web.get("/health/live")).headers
        await made.round()

        assert 200 == (await web.get("/health/ready")).status
        answer = await web.get("/metrics")
        assert answer.headers["Content-Type"].startswith("text/plain")
        text = await answer.text()
        assert 'shadowrank_served_relevance_samples{measure="RR",route="faq"} 3.0' in text
        assert "nan" not in text.lower()
