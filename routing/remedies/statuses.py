"""Remedies for the cause that a transmission status tells: T-SQL for the server on which it is to run.

Statuses of routing are not among them: the engine finds what mends those (`routing.remedies.conversation`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from routing.common.names import MSDB
from routing.lint.linted_objects import HostedDatabase
from routing.lint.remedy import (
    alter_database,
    alter_endpoint,
    alter_queue_on,
    bracketed,
    create_endpoint,
    use,
)
from routing.model.address import DEFAULT_PORT
from routing.model.estate import Database, Estate, Instance
from routing.remedies.security_sql import (
    active_certificates,
    certificate_of_endpoint,
    certificate_of_owner,
    certificate_of_peer,
    compared_endpoints,
    connect_permission,
    dated_certificate_of_endpoint,
    is_of_dates,
    listening_endpoint,
    lost_users,
    master_key,
    master_key_database,
    remote_service_binding,
    unprotected_key,
)
from routing.rules.decision import DELIVERED
from routing.rules.explanation import Explanation


class StatusStatement(NamedTuple):
    """T-SQL, and the instance on which it is to run."""

    instance: str
    sql: str
    is_query: bool = False
    """True for a query, which changes nothing and shows where to look."""
    can_be_tried: bool = False
    """An estate has what it changes: queues, endpoints and brokers; none has certificates, keys or permissions."""


@dataclass(frozen=True, slots=True)
class HeldConversation:
    """A conversation whose messages wait with a status."""

    sender: HostedDatabase
    from_service: str | None
    to_service: str
    target: HostedDatabase | None
    """The one database that the routes lead to."""
    next_hop: Instance | None
    """The first other instance on the way."""
    text: str
    """The status."""
    at: datetime


def status_statement(
    explanation: Explanation, estate: Estate, number: int, text: str, from_service: str | None = None
) -> StatusStatement | None:
    """The T-SQL for a status with this number and text; None where there is nothing to run. `from_service` is the
    sending service where the question did not name it."""
    origin = explanation.origin
    make = _STATEMENTS.get(number)
    if origin is None or make is None:
        return None
    held = _held(explanation, estate, origin, text)
    made = make(replace(held, from_service=held.from_service or from_service))
    return made if made is None else made._replace(is_query=number in _SHOWN, can_be_tried=number in _TRIED)


def _held(explanation: Explanation, estate: Estate, origin: Database, text: str) -> HeldConversation:
    conversation = explanation.forward.conversation
    return HeldConversation(
        HostedDatabase(estate.instances[conversation.instance], origin),
        conversation.from_service,
        conversation.to_service,
        _target(explanation, estate),
        _next_hop(explanation, estate),
        text,
        explanation.forward.at,
    )


def _target(explanation: Explanation, estate: Estate) -> HostedDatabase | None:
    ends = explanation.forward.outcomes
    if len(ends) != 1 or ends[0].kind != DELIVERED:
        return None
    instance = estate.instances[ends[0].instance]
    return HostedDatabase(instance, instance.databases[ends[0].detail])


def _next_hop(explanation: Explanation, estate: Estate) -> Instance | None:
    instance = explanation.forward.conversation.instance
    hops = {end.legs[0].send.to for end in explanation.forward.ends if end.legs} - {None, instance}
    return estate.instances[str(hops.pop())] if len(hops) == 1 else None


_Make = Callable[[HeldConversation], StatusStatement | None]


def _at_sender(make: Callable[[HeldConversation], str | None]) -> _Make:
    def made(held: HeldConversation) -> StatusStatement | None:
        sql = make(held)
        return None if sql is None else StatusStatement(held.sender.instance.name, sql)

    return made


def _at_next_hop(make: Callable[[HeldConversation], str]) -> _Make:
    def made(held: HeldConversation) -> StatusStatement | None:
        return None if held.next_hop is None else StatusStatement(held.next_hop.name, make(held))

    return made


def _at_target(make: Callable[[HeldConversation, HostedDatabase], str | None]) -> _Make:
    def made(held: HeldConversation) -> StatusStatement | None:
        sql = None if held.target is None else make(held, held.target)
        return None if held.target is None or sql is None else StatusStatement(held.target.instance.name, sql)

    return made


def _binding(held: HeldConversation) -> str | None:
    """None where the database has one by now."""
    bindings = held.sender.database.remote_service_bindings
    if any(one.remote_service_name == held.to_service for one in bindings):
        return None
    return remote_service_binding(held.sender.database.name, held.to_service)


def _endpoint(held: HeldConversation) -> str:
    here = held.sender.instance
    if here.endpoint is not None:
        return alter_endpoint("STATE = STARTED")
    return create_endpoint(here.addresses[0].port if here.addresses else DEFAULT_PORT)


def _queue_on(database: Database, service: str | None) -> str | None:
    name = next((one.queue for one in database.services if one.name == service), None)
    return None if name is None else use(database.name, (alter_queue_on(name),))


def _owner(_held: HeldConversation, target: HostedDatabase) -> str:
    return f"ALTER AUTHORIZATION ON DATABASE::{bracketed(target.database.name)} TO [sa];"


def _master_key_named(held: HeldConversation) -> str:
    return master_key(master_key_database(held.text) or held.sender.database.name)


def _option(option: str) -> Callable[[HeldConversation, HostedDatabase], str]:
    return lambda _held, target: alter_database(target.database.name, option)


def _peer(held: HeldConversation) -> str:
    """Give the peer a certificate of its own that is valid now, or this server's public one."""
    if is_of_dates(held.text):
        return dated_certificate_of_endpoint(held.at)
    return certificate_of_peer(held.sender.instance.name)


_PEER = _at_next_hop(_peer)
_OWN = _at_sender(lambda held: certificate_of_endpoint(held.at))
_COMPARED = _at_sender(lambda held: compared_endpoints())
_CONNECT = _at_next_hop(lambda held: connect_permission(held.text))
_LISTENING = _at_next_hop(lambda held: listening_endpoint())
_CERTIFICATE = _at_sender(lambda held: certificate_of_owner(held.sender.database.name, held.from_service, held.at))
_USERS = _at_sender(lambda held: lost_users(held.sender.database.name, held.to_service))
_KEY = _at_sender(lambda held: master_key(held.sender.database.name))
_TARGET_QUEUE = _at_target(lambda held, target: _queue_on(target.database, held.to_service))

_SHOWN = frozenset((9728, 9730, 9768, 28027, 28038, 9649, 9751, 9754, 9757, 10061, 1225, 10060, 121))
"""Statuses whose statement is a query."""
_TRIED = frozenset((9748, 9666, 9617, 11219, 9618, 9791, 28013, 9789))
_STATEMENTS: dict[int, _Make] = {
    **dict.fromkeys((9731, 9733, 9734, 28024, 28025), _CERTIFICATE),
    **dict.fromkeys((9728, 9730, 9768), _USERS),
    **dict.fromkeys((28050, 28051, 9652), _KEY),
    **dict.fromkeys((28034, 9752), _CONNECT),
    **dict.fromkeys((28035, 28045), _PEER),
    **dict.fromkeys((28036, 28037, 9762), _OWN),
    **dict.fromkeys((28027, 28038, 9649, 9751), _COMPARED),
    **dict.fromkeys((9748, 9666), _at_sender(_endpoint)),
    **dict.fromkeys((9754, 9757, 10061, 1225, 10060, 121), _LISTENING),
    **dict.fromkeys((9617, 11219), _TARGET_QUEUE),
    **dict.fromkeys((15404, 15517, 33009), _at_target(_owner)),
    **dict.fromkeys((28014, 3906), _at_target(_option("READ_WRITE"))),
    9727: _at_sender(_binding),
    9737: _at_sender(lambda held: unprotected_key(held.sender.database.name)),
    9767: _at_sender(lambda held: active_certificates(held.sender.database.name)),
    28054: _at_sender(_master_key_named),
    15581: _at_target(lambda _held, target: master_key(target.database.name)),
    9618: _at_sender(lambda held: _queue_on(held.sender.database, held.from_service)),
    9791: _at_sender(lambda held: alter_database(held.sender.database.name, "ENABLE_BROKER")),
    28075: _at_sender(lambda held: alter_database(held.sender.database.name, "MULTI_USER")),
    28013: _at_target(_option("ENABLE_BROKER")),
    28015: _at_target(_option("MULTI_USER")),
    9789: _at_next_hop(lambda _held: alter_database(MSDB, "ENABLE_BROKER")),
}
"""By number of the status, as the catalogue of statuses has it."""
