"""Base of the views of messaging: problems of the verbs, and requests that a client may send again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from django.utils.translation import gettext as _
from rest_framework.request import Request

from brokerui.accounts.levels import Level, Permission
from brokerui.api.base import ApiView
from brokerui.api.idempotency import another_request, read_key
from brokerui.api.parsers import JsonParser, json_of, read_bounded
from brokerui.api.problems import ApiProblem
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import read_query
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
from routing.dialog.problems import VerbError

MAX_JSON_BYTES: Final = 32 << 20
"""Bytes of a request with messages. Larger ones are sent in Python: their bodies may have up to 256 MB."""
NOT_FOUND: Final = 8426
NOT_NOW: Final = frozenset((954, 8427, 8429, 8438, 8458, 8461, 9617))
"""The product's numbers for what the state of a conversation or of a queue does not allow."""
_MISSING = (NotHostedError, NoSuchDatabaseError, NoSuchQueueError, NoSuchReceiptError)


class MessagesParser(JsonParser):
    """JSON with bodies of messages."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """Return the value; raises a problem where the body is not JSON."""
        return json_of(read_bounded(stream, MAX_JSON_BYTES))


class BusyProblem(ApiProblem):
    """A problem that another try may not have."""

    wait = 0
    """Seconds, rounded up: `Retry-After`."""


class MessagingView(ApiView):
    """A verb: it takes the level of operators."""

    write: ClassVar[Permission] = Level.OPERATE
    parser_classes = [MessagesParser]

    def handle_exception(self, exc: Exception) -> Any:
        """Answer what a verb refuses with a problem document that has the product's number."""
        if isinstance(exc, VerbError):
            return super().handle_exception(refused(exc))
        if isinstance(exc, MessagingError):
            return super().handle_exception(not_done(exc))
        return super().handle_exception(exc)


def refused(error: VerbError) -> ApiProblem:
    """Return the problem of a refusal. 404: no such conversation; 409: not in this state; 422: never."""
    status = 404 if error.number == NOT_FOUND else 409 if error.number in NOT_NOW else 422
    return ApiProblem(status, error.render(_), code="refused", number=error.number)


def not_done(error: MessagingError) -> ApiProblem:
    """Return the problem of a verb that could not be done."""
    detail = f"{error.number}: {error.problem.render(_)}" if error.number else error.problem.render(_)
    if isinstance(error, BusyError):
        return BusyProblem(409, detail, code="busy")
    if isinstance(error, LeaseOverError):
        return ApiProblem(410, detail)
    number: dict[str, Any] = {"number": error.number} if error.number else {}
    return ApiProblem(404 if isinstance(error, _MISSING) else 409, detail, **number)


def done_once(request: Request, verb: str, make: Callable[[], tuple[str, int, Any]]) -> Any:
    """Do a verb and return its response, in one transaction with the count of its use.

    `make` does it, and returns the instance, the number of messages and the response. With an Idempotency-Key it is
    done once, however often the client sends it.
    """
    read_query(request, NoQuery)
    author = request.user.get_username()

    def make_and_count() -> Any:
        instance, messages, answer = make()
        use_count(author=author, verb=verb, instance=instance, messages=messages)
        return answer

    try:
        return answered_once(_token(request, author), _digest(request), make_and_count)
    except AnotherRequestError:
        raise another_request() from None


def _token(request: Request, author: str) -> str:
    key = read_key(request)
    return token_of(author, f"messaging\0{key}") if key else ""


def _digest(request: Request) -> str:
    text = json.dumps([request.path, request.data], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
