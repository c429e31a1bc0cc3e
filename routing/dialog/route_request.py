"""MATCH-4 at run time: request a missing route once for all conversations of a database with a service.

A request is a dialog of the database itself with the dynamic routing service, which creates a route or not, and ends
the dialog. While the dialog lasts the request is pending: conversations continue with MATCH-5 or wait with status 9770.
When it ends, by the service, by an error or by its lifetime, waiting conversations are retried at once; a route that is
still missing is requested again.
"""

from __future__ import annotations

from typing import Final

from routing.common.event_subclasses import ConversationSubclass
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
"""Maximum pending requests of one instance. Peers can name any number of services, and each would be a dialog."""


def settle_requests(work: UnitOfWork) -> None:
    """Before a commit: request the missing routes and end the answered requests."""
    for key, identifier in work.missing_routes.items():
        if len(work.batch.requests) + len(work.changes.requests) < MAX_PENDING_REQUESTS:
            _begin_request(work, key, identifier)
    work.missing_routes.clear()
    for handle in tuple(work.answered_requests):
        _end_request(work, handle)
    work.answered_requests.clear()


def missing_route_body(service: str, identifier: str | None) -> bytes:
    """Return the request body in UTF-8: the service, and the broker identifier if a conversation gives one."""
    broker = f"<BROKER_INSTANCE>{identifier}</BROKER_INSTANCE>" if identifier else ""
    named = f"<SERVICE_NAME>{xml_text(service)}</SERVICE_NAME>"
    return f'<MissingRoute xmlns="{MISSING_ROUTE_TYPE}">{named}{broker}</MissingRoute>'.encode()


def _begin_request(work: UnitOfWork, key: RouteRequestKey, identifier: str | None) -> None:
    database, service = key
    endpoint = _begin_system_dialog(work, database)
    work.changes.requests[key] = endpoint.conversation_handle
    work.apply_input(endpoint, SEND)
    body = missing_route_body(service, identifier)
    work.report(ConversationSubclass.SEND_MESSAGE, endpoint, endpoint.send_sequence, len(body))
    enqueue(work, endpoint, MISSING_ROUTE_TYPE, body)


def _begin_system_dialog(work: UnitOfWork, database: str) -> Endpoint:
    here = work.context.directory(database)
    endpoint = Endpoint(
        conversation_handle=work.choices.identifier(),
        conversation_id=work.choices.identifier(),
        is_initiator=True,
        database=database,
        service_name=SYSTEM_SERVICE,
        queue=SYSTEM_QUEUE,
        far_service=DYNAMIC_ROUTING_SERVICE,
        far_broker_instance=None,
        service_contract_name=NOTICE_CONTRACT,
        conversation_group_id=work.choices.identifier(),
        lifetime=work.now_ms + MAX_LIFETIME_S * 1000,
        state=NONE,
        priority=here.priority(NOTICE_CONTRACT, SYSTEM_SERVICE, DYNAMIC_ROUTING_SERVICE),
        encryption=False,
    )
    work.apply_input(endpoint, BEGIN_DIALOG)
    work.add(endpoint)
    work.report(ConversationSubclass.BEGIN_DIALOG, endpoint)
    return endpoint


def _end_request(work: UnitOfWork, handle: str) -> None:
    """End a request whose dialog was ended by the service or by an error; retry the waiting conversations."""
    end_conversation(work, handle)
    for key, request in (*work.batch.requests.items(), *work.changes.requests.items()):
        if request == handle:
            work.changes.requests[key] = None
            work.changes.retry_services.add(key)
