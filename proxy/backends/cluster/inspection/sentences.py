"""What goes wrong at a cluster, as a sentence with the remedy. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from proxy.backends.cluster.session import LARGEST
from proxy.backends.cluster.trouble import PASSING, Kind, Trouble

WHY: Final[Mapping[Kind, str]] = {
    Kind.NAME: "its name is not known here; check `hosts`, and the DNS of this machine",
    Kind.REFUSED: "takes no connection: nothing listens there; check host and port in `hosts`",
    Kind.UNREACHABLE: (
        "made no connection within connect_timeout_ms; check host and port in `hosts`, and the "
        "firewalls between"
    ),
    Kind.UNTRUSTED: (
        "shows a certificate that nobody trusted has signed, or that is for another name; put its "
        "authority into ca_file, or its SHA-256 into fingerprint"
    ),
    Kind.FINGERPRINT: (
        "shows another certificate than fingerprint says; if it was renewed, set the new one's "
        "SHA-256"
    ),
    Kind.TLS: (
        "ends the TLS handshake; if it speaks plain HTTP, write http:// in `hosts`; if it asks for "
        "a client certificate, set client_cert_file and client_key_file"
    ),
    Kind.STALE: "closed the connection before it answered; see its log",
    Kind.HALF: "breaks its answer off; see its log, and that of what stands before it",
    Kind.TIMEOUT: "takes the connection and answers nothing; is it an engine, is it overloaded?",
    Kind.TOO_LARGE: f"answers with more than {LARGEST >> 20} MB; is it an engine?",
    Kind.REDIRECT: "sends us elsewhere, where we don't go; write the final address into `hosts`",
    Kind.NO_JSON: "answers with a page and no JSON; point `hosts` to the engine itself",
    Kind.PRODUCT: (
        "answers without the header X-Elastic-Product: something between takes it out, or it is "
        "no Elasticsearch"
    ),
    Kind.UNSIGNED: (
        "isn't asked: Amazon's credentials can't be renewed; see what the environment says of them"
    ),
}
ENCRYPTED: Final = "ends the connection; if it speaks TLS, write https:// in `hosts`"
BROKEN: Final = "ends the connection; see its log"

PLUGINS: Final[Mapping[str, str]] = {
    "knn": "k-NN",
    "hybrid": "neural-search",
    "neural": "neural-search",
    "neural_sparse": "neural-search",
    "normalization-processor": "neural-search",
    "score-ranker-processor": "neural-search",
    "phase_results_processors": "neural-search",
}
"""Who brings a query or a processor to OpenSearch."""

_UNKNOWN: Final = re.compile(r"unknown (?:query|retriever|field) \[(\w+)\]|no \[(\w+)\] registered")
_PROCESSOR: Final = re.compile(r"[Ii]nvalid processor type ([\w-]+)|type \[([\w-]+)\]")


def unreachable(where: str, trouble: Trouble, login: tuple[str, ...], *, tls: bool) -> str:
    """Why a node can't be asked at all. `login` are the options that say who we are."""
    status, kind = trouble.status, trouble.kind
    if status == 401:
        if not login:
            return f"{where} wants a login; set username_env and password_env, or another one"
        return f"{where} refuses the login; check what the variables of {_all(login)} hold"
    if status == 403:
        return (
            f"{where} knows us and doesn't let us ask what it is; grant `monitor` on the cluster "
            "(OpenSearch: `cluster_monitor`)"
        )
    if status == 429:
        return f"{where} has too much to do: it answered 429; check again when it has less"
    if status in PASSING:
        return f"{where} answered {status}: the engine is not up, or not ready; see its log"
    if kind in (Kind.BROKEN, Kind.NO_HTTP):
        return f"{where} {BROKEN if tls else ENCRYPTED}"
    if kind in WHY:
        return f"{where} {WHY[kind]}"
    return f"{where} answered {status} {trouble.code}".rstrip() + "; point `hosts` to the engine"


def unreadable(where: str, index: str, trouble: Trouble) -> str:
    """Why an index can't be looked at."""
    if trouble.status == 404:
        return f"{where}.index: there is no index, alias or data stream {index!r}; create it first"
    if trouble.status == 403:
        return (
            f"{where}.index: {index!r} may not be read; grant `read` and `view_index_metadata` on "
            "it (OpenSearch: `read`, `indices:admin/mappings/get`, `indices:monitor/settings/get`)"
        )
    return f"{where}.index: {index!r} can't be looked at: {_told(trouble)}"


def refused(where: str, trouble: Trouble) -> str:
    """Why a leg's own request isn't answered. Its text is ours, so the reason may be told."""
    reason = trouble.reason
    if "license" in reason and trouble.status == 403:
        return (
            f"{where}: the cluster's licence has no {_licensed(reason)}; with `fused_by: proxy` "
            "the same is computed here, or get a licence that has it"
        )
    if trouble.status == 403:
        return f"{where}: the login may not search it; grant `read` on the index"
    missing = _missing(reason)
    if missing in PLUGINS:
        return f"{where}: the engine knows no `{missing}`; install its plugin {PLUGINS[missing]}"
    if missing:
        return f"{where}: the engine knows no `{missing}`: this version is too old, or lacks it"
    if trouble.kind is Kind.TIMEOUT:
        return f"{where}: the engine takes too long over it; see its load, raise timeout_ms"
    return f"{where}: the engine can't answer it: {_told(trouble)}"


def red(where: str, index: str) -> str:
    """A primary shard is missing."""
    return (
        f"{where}.index: {index!r} is red: some of its documents are on no node that is up; see "
        "`GET _cluster/allocation/explain`"
    )


def undocumented(node: str, index: str) -> str:
    """It answers, and not as an engine."""
    return f"{node} answers about {index!r} as no engine does; point `hosts` to the engine itself"


def _missing(reason: str) -> str:
    """The query or processor that the engine says it doesn't know."""
    found = _UNKNOWN.search(reason) or (
        _PROCESSOR.search(reason) if "processor" in reason else None
    )
    return next((name for name in found.groups() if name), "") if found else ""


def _licensed(reason: str) -> str:
    found = re.search(r"\[([^\]]+)\]", reason)
    return found[1] if found else "this"


def _told(trouble: Trouble) -> str:
    """What the engine says, in a line."""
    if trouble.status is None:
        return trouble.kind.value
    said = " ".join(trouble.reason.split())[:300]
    return (
        f"{trouble.status} {trouble.code}: {said}" if said else f"{trouble.status} {trouble.code}"
    )


def _all(names: tuple[str, ...]) -> str:
    return " and ".join(names)
