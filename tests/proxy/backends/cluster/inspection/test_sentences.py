"""Failures with their remedies."""

from __future__ import annotations

import pytest

from proxy.backends.cluster.inspection import sentences
from proxy.backends.cluster.trouble import Kind, Trouble

LOGIN = ("username_env", "password_env")


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (Trouble(Kind.NAME), "check `hosts`, and the DNS"),
        (Trouble(Kind.REFUSED), "nothing listens there; check host and port"),
        (Trouble(Kind.UNREACHABLE), "no connection within connect_timeout_ms"),
        (Trouble(Kind.UNTRUSTED), "put its authority into ca_file"),
        (Trouble(Kind.FINGERPRINT), "another certificate than fingerprint says"),
        (Trouble(Kind.TLS), "write http:// in `hosts`"),
        (Trouble(Kind.NO_HTTP), "ends the connection; see its log"),
        (Trouble(Kind.BROKEN), "ends the connection; see its log"),
        (Trouble(Kind.STALE), "closed the connection before it answered"),
        (Trouble(Kind.HALF), "breaks its answer off"),
        (Trouble(Kind.TIMEOUT), "takes the connection and answers nothing"),
        (Trouble(Kind.TOO_LARGE), "answers with more than 32 MB"),
        (Trouble(Kind.REDIRECT), "write the final address"),
        (Trouble(Kind.NO_JSON, 200), "answers with a page and no JSON"),
        (Trouble(Kind.NO_JSON, 502), "answered 502: the engine is not up"),
        (Trouble(Kind.NO_JSON, 401), "refuses the login"),
        (Trouble(Kind.PRODUCT), "without the header X-Elastic-Product"),
        (Trouble(Kind.UNSIGNED), "credentials can't be renewed"),
        (Trouble(Kind.STATUS, 401), "check what the variables of username_env and password_env"),
        (Trouble(Kind.STATUS, 403), "grant `monitor` on the cluster"),
        (Trouble(Kind.STATUS, 429), "has too much to do"),
        (Trouble(Kind.STATUS, 503, "master_not_discovered_exception"), "is not up, or not ready"),
        (Trouble(Kind.STATUS, 404), "answered 404; point `hosts` to the engine"),
    ],
)
def test_why_a_node_cannot_be_asked(trouble: Trouble, said: str) -> None:
    """
    Each told apart from the others.
    """
    told = sentences.unreachable("es:9200", trouble, LOGIN, tls=True)

    assert told.startswith("es:9200 ")
    assert said in told


def test_every_kind_of_trouble_has_its_sentence() -> None:
    """
    None says no more than that something failed.
    """
    said = {kind: sentences.unreachable("", Trouble(kind), (), tls=True) for kind in Kind}

    assert [Kind.STATUS] == [kind for kind in Kind if "answered None" in said[kind]]


def test_who_has_no_login_is_told_of_one() -> None:
    """
    And who speaks plainly to TLS of that.
    """
    wanting = sentences.unreachable("es", Trouble(Kind.STATUS, 401), (), tls=True)
    plain = sentences.unreachable("es", Trouble(Kind.BROKEN), (), tls=False)

    assert "wants a login; set username_env" in wanting
    assert "write https:// in `hosts`" in plain


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (Trouble(Kind.STATUS, 404, "index_not_found_exception"), "there is no index"),
        (Trouble(Kind.STATUS, 403, "security_exception"), "grant `read` and `view_index_metadata`"),
        (Trouble(Kind.STATUS, 500, "x", "went  wrong\n"), "looked at: 500 x: went wrong"),
        (Trouble(Kind.HALF), "looked at: the answer broke off"),
    ],
)
def test_why_an_index_cannot_be_looked_at(trouble: Trouble, said: str) -> None:
    """
    It isn't there, we may not, or something else.
    """
    assert said in sentences.unreadable("legs.a", "faq", trouble)


LICENSE = "current license is non-compliant for [Reciprocal Rank Fusion (RRF)]"


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (Trouble(Kind.STATUS, 403, "security_exception", LICENSE),
         "licence has no Reciprocal Rank Fusion (RRF); with `fused_by: proxy`"),
        (Trouble(Kind.STATUS, 403, "security_exception", "action [read] is unauthorized"),
         "the login may not search it"),
        (Trouble(Kind.STATUS, 400, "parsing_exception", "unknown query [hybrid]"),
         "install its plugin neural-search"),
        (Trouble(Kind.STATUS, 400, "parsing_exception", "unknown query [knn]"),
         "install its plugin k-NN"),
        (Trouble(Kind.STATUS, 400, "illegal_argument_exception",
                 "Invalid processor type normalization-processor"),
         "install its plugin neural-search"),
        (Trouble(Kind.STATUS, 400, "parsing_exception", "unknown retriever [rrf]"),
         "knows no `rrf`: this version is too old, or lacks it"),
        (Trouble(Kind.STATUS, 400, "query_shard_exception", "wrong"),
         "can't answer it: 400 query_shard_exception: wrong"),
        (Trouble(Kind.TIMEOUT), "takes too long over it"),
    ],
)  # fmt: skip
def test_why_a_leg_is_refused(trouble: Trouble, said: str) -> None:
    """
    By licence, by rights, by what isn't installed, or by what is wrong with it.
    """
    told = sentences.refused("legs.a", trouble)

    assert told.startswith("legs.a: ")
    assert said in told


def test_the_rest() -> None:
    """
    A red index, an answer of no engine.
    """
    assert "'faq' is red" in sentences.red("legs.a", "faq")
    assert "as no engine does" in sentences.undocumented("es", "faq")
