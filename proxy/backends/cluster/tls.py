"""TLS to a cluster: who it must be, and who we are. Verification has no off switch."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Final

from config.problems import problem

MISMATCH: Final = "the certificate has another fingerprint"


@dataclass(frozen=True, slots=True)
class Trust:
    """Whose certificates are believed, and the certificate that we show.

    A `fingerprint` (SHA-256, 64 hexadecimal digits) names the one certificate that is believed;
    without `ca_file` beside it nothing else is asked of that certificate.
    """

    ca_file: Path | None = None
    fingerprint: str | None = None
    client_cert_file: Path | None = None
    client_key_file: Path | None = None


def digits(fingerprint: str) -> str:
    """The digits of a fingerprint as tools print it: without colons, in lower case."""
    return fingerprint.replace(":", "").replace(" ", "").lower()


def context(trust: Trust) -> ssl.SSLContext:
    """The context that holds connections to `trust`. Raises ValueError("option: what")."""
    made = _believing(trust.ca_file)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    if trust.fingerprint is not None:
        made.sslobject_class = _pinned(bytes.fromhex(digits(trust.fingerprint)))
        if trust.ca_file is None:  # a pinned certificate may be self-signed and for another name
            made.check_hostname = False
            made.verify_mode = ssl.CERT_NONE
    if trust.client_cert_file is not None:
        try:
            # An empty password is none: without it OpenSSL would ask for one on the terminal.
            made.load_cert_chain(trust.client_cert_file, trust.client_key_file, password="")
        except (OSError, ValueError) as exc:
            what = "and client_key_file hold no certificate with its key, unencrypted"
            raise ValueError(problem("client_cert_file", what)) from exc
    return made


def _believing(ca_file: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=None if ca_file is None else str(ca_file))
    except (OSError, ValueError) as exc:
        raise ValueError(problem("ca_file", "holds no certificates (PEM)", str(ca_file))) from exc


def _pinned(expected: bytes) -> type[ssl.SSLObject]:
    """A TLS connection that ends in its handshake unless the certificate is the expected one.

    It is a matter of the context so that both vendors' clients, which pin in ways of their own
    (one loses the client certificate over it), do the same.
    """

    class Pinned(ssl.SSLObject):
        def do_handshake(self) -> None:
            super().do_handshake()
            shown = self.getpeercert(binary_form=True)
            if shown is None or not compare_digest(sha256(shown).digest(), expected):
                raise ssl.SSLCertVerificationError(MISMATCH)

    return Pinned
