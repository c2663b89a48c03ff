"""TLS to a cluster, through both clients to a server with real certificates."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proxy.backends.cluster.node import Call
from proxy.backends.cluster.tls import MISMATCH, Trust, context, digits
from proxy.backends.cluster.trouble import Kind, Trouble
from proxy.backends.registry import BACKENDS
from tests.toxic import toxic

if TYPE_CHECKING:
    from tests.proxy.backends.conftest import Certificates

SEARCH = Call("POST", "/faq/_search", b"{}")


@pytest.fixture(params=["elasticsearch", "opensearch"])
def kind(request: pytest.FixtureRequest) -> str:
    """Whose client it is."""
    name: str = request.param
    return name


async def asked(kind: str, url: str, **options: Any) -> Kind | None:
    """What goes wrong when a node there is asked; None if nothing does."""
    async with AsyncExitStack() as stack:
        (node,) = await BACKENDS[kind](hosts=(url,), **options).opened("live", stack)
        try:
            await node.ask(SEARCH)
        except Trouble as trouble:
            return trouble.kind
    return None


async def test_an_authority_of_ones_own(kind: str, certificates: Certificates) -> None:
    """
    Whom it signed is believed, by name; without it nobody believes them.
    """
    ca = certificates["ca.pem"]
    async with toxic(kind=kind, tls=certificates.serving()) as server:
        with_it = await asked(kind, server.url, ca_file=ca)
        without = await asked(kind, server.url)
    async with toxic(kind=kind, tls=certificates.serving("elsewhere")) as server:
        of_another_name = await asked(kind, server.url, ca_file=ca)

    assert (None, Kind.UNTRUSTED, Kind.UNTRUSTED) == (with_it, without, of_another_name)


async def test_a_fingerprint_names_one_certificate(kind: str, certificates: Certificates) -> None:
    """
    Whoever signed it and whatever its name; with an authority beside, both have to hold.
    """
    right = certificates.fingerprint("elsewhere")
    wrong = certificates.fingerprint("server")
    async with toxic(kind=kind, tls=certificates.serving("elsewhere")) as server:
        seen = [
            await asked(kind, server.url, fingerprint=right),
            await asked(kind, server.url, fingerprint=digits(right)),
            await asked(kind, server.url, fingerprint=wrong),
            await asked(kind, server.url, fingerprint=right, ca_file=certificates["ca.pem"]),
        ]

    assert [None, None, Kind.FINGERPRINT, Kind.UNTRUSTED] == seen


@pytest.mark.parametrize("pinned", [False, True])
async def test_a_client_certificate_is_shown(
    kind: str, pinned: bool, certificates: Certificates
) -> None:
    """
    Also to a server whose own certificate is pinned.
    """
    trusted: dict[str, Any] = (
        {"fingerprint": certificates.fingerprint("server")}
        if pinned
        else {"ca_file": certificates["ca.pem"]}
    )
    ours = {
        "client_cert_file": certificates["client.pem"],
        "client_key_file": certificates["client.key"],
    }
    async with toxic(kind=kind, tls=certificates.serving(clients=True)) as server:
        shown = await asked(kind, server.url, **trusted, **ours)
        hidden = await asked(kind, server.url, **trusted)

    assert None is shown
    assert hidden in (Kind.TLS, Kind.BROKEN)


async def test_plain_and_encrypted_are_told_apart(kind: str, certificates: Certificates) -> None:
    """
    In either direction.
    """
    async with toxic(kind=kind, tls=certificates.serving()) as server:
        plainly = await asked(kind, server.url.replace("https", "http"))
    async with toxic(kind=kind) as server:
        encrypted = await asked(kind, server.url.replace("http", "https"))

    assert plainly in (Kind.BROKEN, Kind.NO_HTTP)
    assert Kind.TLS is encrypted


@pytest.mark.parametrize("option", ["ca_file", "client_cert_file"])
def test_files_that_are_no_certificates(option: str, tmp_path: Path) -> None:
    """
    The option is named, and what the file holds isn't repeated.
    """
    (tmp_path / "no.pem").write_text("secret")

    with pytest.raises(ValueError, match=f"^{option}: ") as caught:
        context(Trust(**{option: tmp_path / "no.pem"}))

    assert "secret" not in str(caught.value)
    assert MISMATCH not in str(caught.value)
