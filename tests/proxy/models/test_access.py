"""Addresses, keys and certificates of model services."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from config.errors import ConfigError
from proxy.errors import BackendError
from proxy.models import cohere_sdk, service
from proxy.models.access import Access, check_url, key, tls
from tests.proxy.models.services import serving


def test_a_key_is_read_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Space around it, which a file of secrets often ends in, isn't part of it.
    """
    monkeypatch.setenv("MODEL_KEY", " sk-1\n")

    assert "sk-1" == key("embedder 'e'", "MODEL_KEY")
    assert key("embedder 'e'", None) is None


@pytest.mark.parametrize("value", ["", " ", "two words", "caf\xe9", "a\x01b"])
def test_what_is_no_key_is_said_without_it(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """
    The variable is named and its value is not.
    """
    monkeypatch.setenv("MODEL_KEY", value)

    with pytest.raises(ConfigError, match="'MODEL_KEY'") as caught:
        key("embedder 'e'", "MODEL_KEY")

    assert not value.strip() or value not in str(caught.value)


def test_a_key_is_never_shown() -> None:
    """
    Nor is it in what a log line or a failed assertion would print.
    """
    assert "sk-1" not in repr(Access("http://h", "sk-1", tls("e", None), 1, 1))


@pytest.mark.parametrize(
    "url", ["https://api.example", "http://127.0.0.1:8080/v1", "http://[::1]:80", "https://h/a/b/"]
)
def test_an_address_is_a_host_and_perhaps_a_path(url: str) -> None:
    """
    Below it the kinds put their own paths.
    """
    check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "", "api.example", "ftp://h", "unix:///s", "https://", "http://h:99999", "http://h:0",
        "https://u:p@h", "https://h?key=1", "https://h#a", "http://[::1", "file:///etc/passwd",
    ],
)  # fmt: skip
def test_anything_else_is_refused(url: str) -> None:
    """
    A key has no place in it.
    """
    with pytest.raises(ValueError, match=r"^url: ") as caught:
        check_url(url)

    assert "u:p" not in str(caught.value)


def test_certificates_are_verified() -> None:
    """
    By the system's authorities where no file names others.
    """
    context = tls("embedder 'e'", None)

    assert (ssl.CERT_REQUIRED, True) == (context.verify_mode, context.check_hostname)


@pytest.fixture
def certificate(tmp_path: Path, require: Callable[[object, str, str], None]) -> Path:
    """A certificate of this machine's loopback that signed itself, with its key beside it."""
    openssl = shutil.which("openssl")
    require(openssl, "openssl", "install OpenSSL's command")
    command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=test"
    names = "-addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out certificate.pem"
    words = [str(openssl), *command.split(), *names.split()]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    return tmp_path / "certificate.pem"


@pytest.mark.parametrize("client", ["aiohttp", "cohere"])
async def test_a_service_is_believed_by_its_certificate(certificate: Path, client: str) -> None:
    """
    One that signed its own is reached with it as `ca_file`, and by nobody else.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))

    async def ask(url: str, ca_file: Path | None) -> object:
        access = Access(url, "sk-1", tls("test", ca_file), 5, 1)
        if client == "aiohttp":
            access = replace(access, url=f"{url}/tei")
            async with service.opened(access) as plain:
                return await plain.post("/embed", {"inputs": ["a"]}, list[list[float]])
        access = replace(access, url=f"{url}/cohere")
        async with cohere_sdk.opened(access) as sdk:
            return await sdk.rerank("m", "a", ["a"])

    async with serving(context) as models:
        assert await ask(models.url, certificate)
        with pytest.raises(BackendError, match=r"certificate|no connection"):
            await ask(models.url, None)

        assert 1 == len(models.asked)


def test_a_file_without_an_authority_is_refused(tmp_path: Path) -> None:
    """
    At start, not at the first call.
    """
    file = tmp_path / "ca.pem"
    file.write_text("nothing")

    with pytest.raises(ConfigError, match=r"ca\.pem"):
        tls("embedder 'e'", file)
    with pytest.raises(ConfigError, match="FileNotFoundError"):
        tls("embedder 'e'", tmp_path / "none.pem")
