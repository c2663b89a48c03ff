"""Every deliberate error of the proxy: one class per decision that somebody takes."""

from __future__ import annotations

from collections.abc import Sequence


class SearchError(Exception):
    """A search that ends in an error answer. `status` is HTTP's, `outcome` the metric's label."""

    status = 500
    outcome = "error"
    code = "error"


class BadRequest(SearchError):
    """The caller's fault; names the field, the value (cut at 100 characters) and the choices."""

    status = 400
    outcome = "bad_request"
    code = "bad_request"

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        value: object = None,
        choices: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.value = None if value is None else str(value)[:100]
        self.choices = tuple(choices)


class UnknownRoute(BadRequest):
    """The path names a route that the configuration does not have."""

    status = 404
    outcome = "not_found"
    code = "unknown_route"


class TooLarge(BadRequest):
    """The body is larger than a search may be."""

    status = 413
    outcome = "too_large"
    code = "too_large"


class NoLegAnswered(SearchError):
    """Every leg of the live pipeline failed or overran: there is nothing to show."""

    status = 503
    outcome = "no_leg"
    code = "no_leg_answered"


class Overloaded(SearchError):
    """As many searches run as may: this one is refused before it costs anything."""

    status = 503
    outcome = "overloaded"
    code = "overloaded"


class BackendError(SearchError):
    """An engine or a model failed. The pipeline absorbs it: its stage is degraded, others go on.

    `reason` is one of `model.DEGRADED_REASONS`.
    """

    status = 502
    outcome = "backend"
    code = "backend_error"
    reason = "error"


class BackendTimeout(BackendError):
    """It was slow."""

    reason = "timeout"


class BackendRefused(BackendError):
    """It refused our question: the question is wrong and somebody must look."""

    reason = "refused"


class NotAsked(BackendError):
    """It wasn't asked, because the request lacks what the question needs."""

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason
