from __future__ import annotations

import asyncio
import json
import logging

import pytest

from proxy import connection, door

HEAD = b"GET /v1/fruit/search?q=apple HTTP/1.1\r\nhost: x\r\n"


async def ask(address: tuple[str, int], raw: bytes) -> bytes:
    """All that comes back until the connection ends."""
    reader, writer = await asyncio.open_connection(*address)
    writer.write(raw)
    async with asyncio.timeout(5):
        said = await reader.read()
    writer.close()
    return said


async def ended(reader: asyncio.StreamReader) -> bool:
    """Whether the other side has closed."""
    try:
        async with asyncio.timeout(3):
            return await reader.read() == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize(
    "raw",
    [
        b"secret\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfcsecret",
        b"SECRET / HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /secret HTTP/9.9\r\nhost: x\r\n\r\n",
        b"GET /secret?" + b"secret" * 2000 + b" HTTP/1.1\r\nhost: x\r\n\r\n",
        HEAD + b"x: " + b"secret" * 2000 + b"\r\n\r\n",
        HEAD + b"host: secret\r\n\r\n",
        HEAD + b"sec\x00ret: s\r\n\r\n",
        HEAD + b"content-length: -4\r\nx: secret\r\n\r\n",
        HEAD + b"content-length: 4\r\ntransfer-encoding: chunked\r\nx: secret\r\n\r\n",
        b"GET http://[secret/ HTTP/1.1\r\nhost: x\r\n\r\n",
    ],
)
async def test_what_is_no_http_is_told_in_our_shape(start, fruit, caplog, raw: bytes):
    """
    400 on either port, in JSON, repeating nothing, and nothing of it is in the log.
    """
    caplog.set_level(logging.INFO)
    proxy = await start(fruit)

    for address in (proxy.process.public, proxy.process.private):
        head, _, body = (await ask(address, raw)).partition(b"\r\n\r\n")

        assert b"HTTP/1.1 400 Bad Request" == head.splitlines()[0]
        assert b"application/json" in head
        assert b"server" not in head.lower()
        assert b"secret" not in body.lower()
        assert "bad_request" == json.loads(body)["error"]["code"]
    said = [record for record in caplog.records if record.name.startswith(("proxy", "aiohttp"))]
    assert [] == [record for record in said if record.levelno >= logging.WARNING]
    assert "secret" not in caplog.text.lower()
    cut = {"port": "public", "reason": "malformed"}
    assert 1 == proxy.count("shadowrank_connections_cut_total", **cut)


async def test_a_slow_head_is_not_waited_for(start, fruit, monkeypatch, eventually):
    """
    A byte now and then wins no time, on either port, and other clients don't notice.
    """
    monkeypatch.setattr(door, "HEAD_SECONDS", 0.5)
    proxy = await start(fruit)

    for port, address in (
        ("public", proxy.process.public),
        ("private", proxy.process.private),
    ):
        reader, writer = await asyncio.open_connection(*address)
        waiting = asyncio.create_task(ended(reader))
        for byte in HEAD[:30]:
            if waiting.done():
                break
            writer.write(bytes([byte]))
            await asyncio.sleep(0.1)

        assert await waiting
        writer.close()
        cut = {"port": port, "reason": "late"}
        assert 1 == proxy.count("shadowrank_connections_cut_total", **cut)
    assert (await proxy.search())["hits"]


async def test_a_flood_of_silent_connections_starves_nobody(start, fruit, eventually):
    """
    The public port answers in between, the private one too, and the descriptors in use are bounded.
    """
    fruit["server"]["max_connections"] = 20
    proxy = await start(fruit)
    flood = [await asyncio.open_connection(*proxy.process.public) for _ in range(60)]
    for _, writer in flood:
        writer.write(HEAD[:20])

    assert (await proxy.search())["hits"]
    status, _ = await proxy.ask_admin("GET", "/health/ready", token=None)

    assert 200 == status
    assert 20 >= proxy.count("shadowrank_connections", port="public")
    crowded = {"port": "public", "reason": "crowded"}
    assert 40 <= proxy.count("shadowrank_connections_cut_total", **crowded)
    for _, writer in flood:
        writer.close()
    await eventually(lambda: 1 >= proxy.count("shadowrank_connections", port="public"))


async def test_a_full_port_refuses_in_a_moment(start, scripted, eventually):
    """
    503 and the time to come back, while those who are served are let be; health is had elsewhere.
    """
    config = scripted({"live": 0.4})
    config["server"]["max_connections"] = 2
    proxy = await start(config)
    engine = proxy.service.generation.lease.live.backends["main"]
    served = [asyncio.create_task(ask(proxy.process.public, HEAD + b"connection: close\r\n\r\n"))
              for _ in range(2)]  # fmt: skip
    await eventually(lambda: len(engine.asked) == 2)

    refused = await ask(proxy.process.public, b"")
    status, _ = await proxy.ask_admin("GET", "/health/live", token=None)

    assert refused.startswith(b"HTTP/1.1 503 ")
    assert b"Retry-After: 1\r\n" in refused
    assert 200 == status
    assert all(said.startswith(b"HTTP/1.1 200 OK\r\n") for said in await asyncio.gather(*served))
    full = {"port": "public", "reason": "full"}
    assert 1 == proxy.count("shadowrank_connections_cut_total", **full)


async def test_who_reads_nothing_is_cut_off(start, fruit, monkeypatch, eventually):
    """
    What waits for a client that doesn't read isn't kept for ever.
    """
    monkeypatch.setattr(connection, "UNREAD_SECONDS", 0.3)
    proxy = await start(fruit)
    _, writer = await asyncio.open_connection(*proxy.process.private, limit=1)
    writer.transport.pause_reading()

    async def ask_on() -> None:
        while True:
            writer.write(b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n" * 50)
            await writer.drain()
            await asyncio.sleep(0.01)

    asking = asyncio.create_task(ask_on())
    unread = {"port": "private", "reason": "unread"}
    await eventually(lambda: 1 == proxy.count("shadowrank_connections_cut_total", **unread))
    await eventually(lambda: 0 == proxy.count("shadowrank_connections", port="private"))

    asking.cancel()
    writer.transport.abort()


async def test_requests_may_follow_each_other_without_waiting(start, fruit):
    """
    Pipelined and in pieces: each is answered in order on one connection.
    """
    proxy = await start(fruit)
    reader, writer = await asyncio.open_connection(*proxy.process.public)
    one = HEAD + b"\r\n"

    writer.write(one * 3 + one[:25])
    await asyncio.sleep(0.05)
    writer.write(one[25:] + HEAD + b"connection: close\r\n\r\n")
    async with asyncio.timeout(5):
        said = await reader.read()
    writer.close()

    assert 5 == said.count(b"HTTP/1.1 200 OK\r\n")


async def test_a_connection_is_kept_between_requests(start, fruit, monkeypatch):
    """
    Being idle for longer than a head may take is no fault.
    """
    monkeypatch.setattr(door, "HEAD_SECONDS", 0.2)
    proxy = await start(fruit)
    reader, writer = await asyncio.open_connection(*proxy.process.public)

    for _ in range(2):
        writer.write(HEAD + b"\r\n")
        assert b"HTTP/1.1 200 OK\r\n" == await reader.readline()
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.splitlines() if line.startswith(b"Content-Length"))
        await reader.readexactly(int(length.split()[1]))
        await asyncio.sleep(1.5)

    assert not reader.at_eof()
    writer.close()


async def test_a_client_that_leaves_is_no_error(start, scripted, caplog, eventually):
    """
    Nothing is logged as one.
    """
    proxy = await start(scripted({"live": 0.4}))
    engine = proxy.service.generation.lease.live.backends["main"]
    _, writer = await asyncio.open_connection(*proxy.process.public)
    writer.write(HEAD + b"\r\n")
    await eventually(lambda: engine.asked)
    writer.transport.abort()
    await eventually(lambda: engine.cancelled)

    assert [] == [record for record in caplog.records if record.levelno >= logging.ERROR]
