"""Rows of the product's views of messaging, as JSON: its columns, in its order, with its values.

`instance` and `database` stand before the columns of the product, and a few of BrokerUI's own after them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any
from uuid import UUID

from redis import Redis

from brokerui.estate.numbering import ObjectNumbers, database_numbers, numbers_of
from brokerui.estate.selectors import estate_current
from brokerui.messaging.activation.selectors import activated_tasks, queue_monitors
from brokerui.messaging.exchange.forwarded_messages import forwarded_messages
from brokerui.messaging.exchange.lists import connections
from brokerui.messaging.selectors import EndpointRow, GroupRow, TransmissionRow
from routing.common.moment import from_milliseconds
from routing.common.names import MSDB
from routing.dialog.states import STATES
from routing.dialog.system_names import SYSTEM_SERVICE
from routing.model.estate import Database, Estate

Json = dict[str, Any]
NO_NUMBERS = numbers_of(Database(MSDB))
"""Object numbers in a database that the estate no longer has: those of objects that SQL Server itself creates."""


def _at(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else from_milliseconds(milliseconds).isoformat()


def _numbers(rows: Sequence[Any], estate: Estate) -> Callable[[Any], ObjectNumbers]:
    """Return the function that gives the numbers of a row's database; they are made once for each database."""
    found: dict[tuple[str, str], ObjectNumbers] = {}
    for place in {(row.instance, row.database) for row in rows}:
        instance = estate.instances.get(place[0])
        database = instance.databases.get(place[1]) if instance else None
        found[place] = numbers_of(database) if database else NO_NUMBERS
    return lambda row: found[row.instance, row.database]


def _databases(rows: Sequence[Any], estate: Estate) -> Callable[[Any], int | None]:
    """Return the function that gives the database_id of a row; None: the estate has no such database any more."""
    instances = estate.instances
    found = {name: database_numbers(instances[name]) for name in {row.instance for row in rows} & instances.keys()}
    return lambda row: found.get(row.instance, {}).get(row.database)


def endpoints_as_json(rows: Sequence[EndpointRow]) -> list[Json]:
    numbers = _numbers(rows, estate_current().estate)
    return [_endpoint(row, numbers(row)) for row in rows]


def _endpoint(row: EndpointRow, numbers: ObjectNumbers) -> Json:
    return {
        "instance": row.instance,
        "database": row.database,
        "conversation_handle": row.conversation_handle,
        "conversation_id": row.conversation_id,
        "is_initiator": int(row.is_initiator),
        "service_contract_id": numbers.contracts.get(row.service_contract_name),
        "conversation_group_id": row.conversation_group_id,
        "service_id": numbers.services.get(row.service_name),
        "lifetime": _at(row.lifetime),
        "state": row.state,
        "state_desc": STATES[row.state],  # type: ignore[index]  # the table has no others
        "far_service": row.far_service,
        "far_broker_instance": row.far_broker_instance,
        "principal_id": None,
        "far_principal_id": None,
        "outbound_session_key_identifier": session_key_identifier(row, from_initiator=row.is_initiator),
        "inbound_session_key_identifier": session_key_identifier(row, from_initiator=not row.is_initiator),
        "security_timestamp": _at(row.security_timestamp),
        "dialog_timer": _at(row.dialog_timer),
        "send_sequence": row.send_sequence,
        "last_send_tran_id": None,
        "end_dialog_sequence": row.end_dialog_sequence,
        "receive_sequence": row.receive_sequence,
        "receive_sequence_frag": row.receive_sequence_frag,
        "system_sequence": 0,  # messages of the broker itself have no other number
        "first_out_of_order_sequence": row.first_out_of_order_sequence,
        "last_out_of_order_sequence": row.last_out_of_order_sequence,
        "last_out_of_order_frag": row.last_out_of_order_frag,
        "is_system": row.service_name == SYSTEM_SERVICE,
        "priority": row.priority,
        "service_name": row.service_name,
        "service_contract_name": row.service_contract_name,
        "outgoing": row.outgoing,
    }


def session_key_identifier(row: EndpointRow, *, from_initiator: bool) -> str | None:
    """Return the identifier of the session key of one direction, the same on both sides; None: there is no key yet."""
    if not any(row.key_id):
        return None
    text = b"".join((row.key_id, row.conversation_id.encode(), bytes((from_initiator,))))
    return str(UUID(bytes=blake2b(text, digest_size=16).digest()))


def groups_as_json(rows: Sequence[GroupRow]) -> list[Json]:
    numbers = _numbers(rows, estate_current().estate)
    return [
        {
            "instance": row.instance,
            "database": row.database,
            "conversation_group_id": row.conversation_group_id,
            "service_id": numbers(row).services.get(row.service_name),
            "is_system": row.service_name == SYSTEM_SERVICE,
            "service_name": row.service_name,
            "queue": row.queue,
            "conversations": row.conversations,
        }
        for row in rows
    ]


def transmissions_as_json(rows: Sequence[TransmissionRow]) -> list[Json]:
    found = []
    for row in rows:
        columns = row._asdict() | {"enqueue_time": _at(row.enqueue_time)}
        before = list(columns).index("transmission_status")
        items = list(columns.items())
        found.append(dict([*items[:before], ("message_body", None), *items[before:]]))
    return found


def connections_as_json(client: Redis) -> list[Json]:
    columns = [row._asdict() for row in connections(client)]
    return [{"instance": row.pop("instance"), **row} for row in columns]


def forwarded_as_json(client: Redis) -> list[Json]:
    return [{"instance": instance, **row._asdict()} for instance, row in forwarded_messages(client)]


def monitors_as_json(_client: Redis) -> list[Json]:
    rows = queue_monitors()
    estate = estate_current().estate
    numbers, databases = _numbers(rows, estate), _databases(rows, estate)
    return [
        {
            "instance": row.instance,
            "database": row.database,
            "database_id": databases(row),
            "queue_id": numbers(row).queues.get(row.queue),
            "state": row.state,
            "last_empty_rowset_time": _at(row.last_empty_rowset_time),
            "last_activated_time": _at(row.last_activated_time),
            "tasks_waiting": row.tasks_waiting,
            "queue": row.queue,
        }
        for row in rows
    ]


def activated_as_json(_client: Redis) -> list[Json]:
    rows = activated_tasks()
    estate = estate_current().estate
    numbers, databases = _numbers(rows, estate), _databases(rows, estate)
    return [
        {
            "instance": row.instance,
            "database": row.database,
            "spid": row.spid,
            "database_id": databases(row),
            "queue_id": numbers(row).queues.get(row.queue),
            "procedure_name": row.procedure_name,
            "execute_as": None,
            "queue": row.queue,
            "host": row.host,
            "since": _at(row.since),
        }
        for row in rows
    ]
