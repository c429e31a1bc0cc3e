"""MATCH-4 at run time: a route that is missing is asked for, once for all conversations of a database with a service.

A request is a dialog of the database itself with the dynamic routing service, which makes a route, or not, and ends it.
As long as the dialog lasts, and that may be as long as a dialog can, the request is pending: conversations go on with
MATCH-5, or wait with the status 9770. When it ends, by the other side, by an error or by its lifetime, those that wait
are taken up at once; a route that is still missing is asked for anew.
"""

from __future__ import annotations

from typing import Final

from routing.common.broker_events import OfConversation
from routing.common.names import DYNAMIC_ROUTING_SERVICE
from routing.dialog.batch import Asked
from routing.dialog.delivering import put
from routing.dialog.end_conversation import end_conversation
from routing.dialog.endpoint import LONGEST_LIFETIME_S, Endpoint
from routing.dialog.error_message import as_xml
from routing.dialog.states import BEGIN_DIALOG, NONE, SEND
from routing.dialog.system import MISSING_ROUTE_TYPE, NOTICE_CONTRACT, SYSTEM_QUEUE, SYSTEM_SERVICE
from routing.dialog.work import Work

MOST_REQUESTS: Final = 1_000
"""Pending in one instance. Strangers may name as many services as they like, and each would be a dialog."""


def settle(work: Work) -> None:
    """Before a commit: ask for the routes that were missed, and end the requests that were answered."""
    for asked, identifier in work.missing.items():
        if len(work.batch.requests) + len(work.changes.requests) < MOST_REQUESTS:
            _ask(work, asked, identifier)
    work.missing.clear()
    for handle in tuple(work.answered):
        _end(work, handle)
    work.answered.clear()


def missing_route(service: str, identifier: str | None) -> bytes:
    """The body of the question, UTF-8: the service, and the identifier if a conversation gives one."""
    broker = f"<BROKER_INSTANCE>{identifier}</BROKER_INSTANCE>" if identifier else ""
    named = f"<SERVICE_NAME>{as_xml(service)}</SERVICE_NAME>"
    return f'<MissingRoute xmlns="{MISSING_ROUTE_TYPE}">{named}{broker}</MissingRoute>'.encode()


def _ask(work: Work, asked: Asked, identifier: str | None) -> None:
    database, service = asked
    endpoint = _begun(work, database)
    work.changes.requests[asked] = endpoint.conversation_handle
    work.step(endpoint, SEND)
    body = missing_route(service, identifier)
    work.tell(OfConversation.SEND_MESSAGE, endpoint, endpoint.send_sequence, len(body))
    put(work, endpoint, MISSING_ROUTE_TYPE, body)


def _begun(work: Work, database: str) -> Endpoint:
    here = work.around.directory(database)
    endpoint = Endpoint(
        work.choices.identifier(),
        work.choices.identifier(),
        True,
        database,
        SYSTEM_SERVICE,
        SYSTEM_QUEUE,
        DYNAMIC_ROUTING_SERVICE,
        None,
        NOTICE_CONTRACT,
        work.choices.identifier(),
        work.now + LONGEST_LIFETIME_S * 1000,
        NONE,
        here.priority(NOTICE_CONTRACT, SYSTEM_SERVICE, DYNAMIC_ROUTING_SERVICE),
        encryption=False,
    )
    work.step(endpoint, BEGIN_DIALOG)
    work.add(endpoint)
    work.tell(OfConversation.BEGIN_DIALOG, endpoint)
    return endpoint


def _end(work: Work, handle: str) -> None:
    """The other side has ended the dialog of a request, or it has met an error."""
    end_conversation(work, handle)
    for asked, request in (*work.batch.requests.items(), *work.changes.requests.items()):
        if request == handle:
            work.changes.requests[asked] = None
            work.changes.retry_services.add(asked)
