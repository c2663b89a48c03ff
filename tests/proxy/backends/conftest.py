"""What tests of clusters share: certificates, made by openssl for the session."""

from __future__ import annotations

import hashlib
import shutil
import ssl
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

Require = Callable[[object, str, str], None]


@dataclass(frozen=True)
class Certificates:
    """An authority, and what it has signed: a server at 127.0.0.1, one elsewhere, a client."""

    folder: Path

    def __getitem__(self, name: str) -> Path:
        return self.folder / name

    def serving(self, name: str = "server", *, clients: bool = False) -> ssl.SSLContext:
        """The context of a server, which may ask for a certificate of who comes."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self[f"{name}.pem"], self[f"{name}.key"])
        if clients:
            context.load_verify_locations(self["ca.pem"])
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def fingerprint(self, name: str) -> str:
        """The SHA-256 of a certificate, as `openssl x509 -fingerprint` prints it."""
        der = ssl.PEM_cert_to_DER_cert(self[f"{name}.pem"].read_text())
        return ":".join(f"{byte:02X}" for byte in hashlib.sha256(der).digest())


@pytest.fixture(scope="session")
def certificates(require: Require, tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Certificates for a day."""
    openssl = shutil.which("openssl")
    require(openssl, "openssl", "install the package openssl")
    folder = tmp_path_factory.mktemp("certificates")

    def run(*words: str) -> None:
        subprocess.run([str(openssl), *words], cwd=folder, check=True, capture_output=True)

    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    run("req", "-x509", *new, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority",
        "-days", "1")  # fmt: skip
    names = {"server": "IP:127.0.0.1,DNS:localhost", "elsewhere": "DNS:else", "client": "DNS:us"}
    for name, alternative in names.items():
        (folder / f"{name}.ext").write_text(f"subjectAltName={alternative}\n")
        run("req", *new, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        run("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
            "-CAcreateserial", "-out", f"{name}.pem", "-days", "1", "-extfile",
            f"{name}.ext")  # fmt: skip
    return Certificates(folder)
