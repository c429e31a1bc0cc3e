"""MATCH-4 at run time: a route that is missing is asked for, once for all conversations of a database with a service.

A request is a dialog of the database itself with the dynamic routing service, which makes a route, or not, and ends it.
As long as the dialog lasts, and that may be as long as a dialog can, the request is pending: conversations go on with
MATCH-5, or wait with the status 9770. When it ends, by the other side, by an error or by its lifetime, those that wait
are taken up at once; a route that is still missing is asked for anew.
"""

from __future__ import annotations

from typing import Final

from routing.common.broker_events import ConversationSubclass
from routing.common.names import DYNAMIC_ROUTING_SERVICE
from routing.dialog.batch import RouteRequestKey
from routing.dialog.end_conversation import end_conversation
from routing.dialog.endpoint import MAX_LIFETIME_S, Endpoint
from routing.dialog.error_message import xml_text
from routing.dialog.outbound import enqueue
from routing.dialog.states import BEGIN_DIALOG, NONE, SEND
from routing.dialog.system_names import MISSING_ROUTE_TYPE, NOTICE_CONTRACT, SYSTEM_QUEUE, SYSTEM_SERVICE
from routing.dialog.unit_of_work import UnitOfWork

MAX_PENDING_REQUESTS: Final = 1_000
"""Pending in one instance. Strangers may name as many services as they like, and each would be a dialog."""


def settle_requests(work: UnitOfWork) -> None:
    """Before a commit: ask for the routes that were missed, and end the requests that were answered."""
    for asked, identifier in work.missing.items():
        if len(work.batch.requests) + len(work.changes.requests) < MAX_PENDING_REQUESTS:
            _begin_request(work, asked, identifier)
    work.missing.clear()
    for handle in tuple(work.answered):
        _end_request(work, handle)
    work.answered.clear()


def missing_route_body(service: str, identifier: str | None) -> bytes:
    """The body of the question, UTF-8: the service, and the identifier if a conversation gives one."""
    broker = f"<BROKER_INSTANCE>{identifier}</BROKER_INSTANCE>" if identifier else ""
    named = f"<SERVICE_NAME>{xml_text(service)}</SERVICE_NAME>"
    return f'<MissingRoute xmlns="{MISSING_ROUTE_TYPE}">{named}{broker}</MissingRoute>'.encode()


def _begin_request(work: UnitOfWork, asked: RouteRequestKey, identifier: str | None) -> None:
    database, service = asked
    endpoint = _begin_system_dialog(work, database)
    work.changes.requests[asked] = endpoint.conversation_handle
    work.step(endpoint, SEND)
    body = missing_route_body(service, identifier)
    work.tell(ConversationSubclass.SEND_MESSAGE, endpoint, endpoint.send_sequence, len(body))
    enqueue(work, endpoint, MISSING_ROUTE_TYPE, body)


def _begin_system_dialog(work: UnitOfWork, database: str) -> Endpoint:
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
        work.now + MAX_LIFETIME_S * 1000,
        NONE,
        here.priority(NOTICE_CONTRACT, SYSTEM_SERVICE, DYNAMIC_ROUTING_SERVICE),
        encryption=False,
    )
    work.step(endpoint, BEGIN_DIALOG)
    work.add(endpoint)
    work.tell(ConversationSubclass.BEGIN_DIALOG, endpoint)
    return endpoint


def _end_request(work: UnitOfWork, handle: str) -> None:
    """The other side has ended the dialog of a request, or it has met an error."""
    end_conversation(work, handle)
    for asked, request in (*work.batch.requests.items(), *work.changes.requests.items()):
        if request == handle:
            work.changes.requests[asked] = None
            work.changes.retry_services.add(asked)
