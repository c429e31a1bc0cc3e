"""What the views of messaging share: what the verbs refuse as problem documents, requests that may be sent again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from django.utils.translation import gettext as _
from rest_framework.request import Request

from brokerui.accounts.levels import Level
from brokerui.api.base import ApiView
from brokerui.api.parameters import given
from brokerui.api.parsers import JsonParser, json_of, read_bounded
from brokerui.api.problems import Problem, in_body
from brokerui.messaging.errors import (
    BusyError,
    MessagingError,
    NoSuchDatabaseError,
    NoSuchQueueError,
    NotHostedError,
)
from brokerui.messaging.leases.answers import AnotherRequestError, answered_once, token_of
from brokerui.messaging.leases.errors import LeaseOverError, NoSuchReceiptError
from brokerui.messaging.leases.uses import use_count
from routing.common.errors import Invalid
from routing.common.sentence import say
from routing.dialog.problems import VerbError

LARGEST: Final = 32 << 20
"""Bytes of a request with messages. Larger ones are sent in Python: their bodies may have up to 256 MB."""
KEY: Final = 64
"""Characters of an Idempotency-Key."""
NOT_FOUND: Final = 8426
NOT_NOW: Final = frozenset((954, 8427, 8429, 8438, 8458, 8461, 9617))
"""The product's numbers for what the state of a conversation or of a queue does not allow."""
_MISSING = (NotHostedError, NoSuchDatabaseError, NoSuchQueueError, NoSuchReceiptError)


class MessagesParser(JsonParser):
    """JSON with bodies of messages."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """The value; a problem where there is none."""
        return json_of(read_bounded(stream, LARGEST))


class BusyProblem(Problem):
    """Worth another try."""

    wait = 0
    """Seconds, rounded up: `Retry-After`."""


class MessagingView(ApiView):
    """Who runs what is there may send and receive."""

    write: ClassVar[Level] = Level.OPERATE
    parser_classes = [MessagesParser]

    def handle_exception(self, exc: Exception) -> Any:
        """What the product refuses, with its number."""
        if isinstance(exc, VerbError):
            return super().handle_exception(refused(exc))
        if isinstance(exc, MessagingError):
            return super().handle_exception(not_done(exc))
        return super().handle_exception(exc)


def refused(error: VerbError) -> Problem:
    """404: no such conversation; 409: not now; 422: never."""
    status = 404 if error.number == NOT_FOUND else 409 if error.number in NOT_NOW else 422
    return Problem(status, error.render(_), code="refused", number=error.number)


def not_done(error: MessagingError) -> Problem:
    detail = f"{error.number}: {error.problem.render(_)}" if error.number else error.problem.render(_)
    if isinstance(error, BusyError):
        return BusyProblem(409, detail, code="busy")
    if isinstance(error, LeaseOverError):
        return Problem(410, detail)
    number: dict[str, Any] = {"number": error.number} if error.number else {}
    return Problem(404 if isinstance(error, _MISSING) else 409, detail, **number)


def done_once(request: Request, verb: str, make: Callable[[], tuple[str, int, Any]]) -> Any:
    """The answer of a verb, in one transaction with what it does and the count of it.

    `make` does it, and gives the instance, the number of messages and the answer. With an Idempotency-Key it is done
    once, however often it is sent.
    """
    given(request, ())
    author = request.user.get_username()

    def make_and_count() -> Any:
        instance, messages, answer = make()
        use_count(author=author, verb=verb, instance=instance, messages=messages)
        return answer

    try:
        return answered_once(_token(request, author), _digest(request), make_and_count)
    except AnotherRequestError:
        raise in_body(Invalid("", say("is not what was sent with this Idempotency-Key before"))) from None


def _token(request: Request, author: str) -> str:
    key = request.headers.get("Idempotency-Key", "")
    if len(key) > KEY or not key.isprintable():
        raise Problem(400, _("Idempotency-Key may have up to %(count)s printable characters.") % {"count": KEY})
    return token_of(author, f"messaging\0{key}") if key else ""


def _digest(request: Request) -> str:
    text = json.dumps([request.path, request.data], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
