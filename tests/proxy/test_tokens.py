from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.tokens import MAX_CHARS, Issuer, Token

OLD, NEW = b"the older key of the two", b"the newer key of the two"
TOKEN = Token(b"0123456789abcdef", "faq", 3, 1_700_000_000_123)


@given(
    st.binary(min_size=16, max_size=16),
    st.from_regex(r"[a-z0-9_-]{1,32}", fullmatch=True),
    st.integers(0, 255),
    st.integers(0, 2**48 - 1),
    st.binary(min_size=16, max_size=100),
)
def test_what_is_written_is_read(nonce: bytes, route: str, shard: int, issued: int, key: bytes):
    """
    A query id says what it was made of, in at most a hundred characters.
    """
    token, issuer = Token(nonce, route, shard, issued), Issuer([key])

    text = issuer.write(token)

    assert token == issuer.read(text)
    assert len(text) <= MAX_CHARS


def test_an_old_key_is_still_accepted():
    """
    Keys rotate: the newest signs, the older ones are read.
    """
    text = Issuer([OLD]).write(TOKEN)

    assert TOKEN == Issuer([NEW, OLD]).read(text)
    assert Issuer([NEW, OLD]).write(TOKEN) == Issuer([NEW]).write(TOKEN)


def test_a_key_that_is_gone_is_unknown():
    """
    What another key has signed is told apart from a forgery.
    """
    assert "key" == Issuer([NEW]).read(Issuer([OLD]).write(TOKEN))


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_no_changed_byte_is_accepted(place: int, flip: int):
    """
    Whatever is changed, it is no query id of ours any more.
    """
    issuer = Issuer([NEW])
    text = issuer.write(TOKEN)
    raw = bytearray(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    raw[place % len(raw)] ^= flip

    forged = urlsafe_b64encode(raw).rstrip(b"=").decode()

    assert issuer.read(forged) in ("key", "mac")


@pytest.mark.parametrize(
    "text", ["", "a", "ä" * 40, "=" * 40, "a b", "A" * 40, "A" * 101, "A" * 45, "AAAA\n" * 10]
)
def test_what_has_not_the_shape(text: str):
    """
    Neither too short nor too long a text, nor one of other characters, is a query id.
    """
    assert Issuer([NEW]).read(text) in ("shape", "key")


@given(st.text())
def test_no_text_makes_it_raise(text: str):
    """
    A stranger's text is refused with a reason.
    """
    assert Issuer([NEW]).read(text) in ("shape", "key", "mac")


def test_an_issuer_needs_a_key():
    """
    Without a key everybody could write query ids.
    """
    with pytest.raises(ValueError, match="key"):
        Issuer([])
