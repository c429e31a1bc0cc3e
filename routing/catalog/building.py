"""Builds the objects of an estate from the rows of one database. A row that no estate can hold becomes a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from routing.catalog.shapes import Row
from routing.catalog.snapshot import Rows
from routing.common.errors import Invalid
from routing.common.identifier import parse_identifier
from routing.common.moment import parse_moment
from routing.common.names import is_system_service
from routing.common.sentence import Sentence, say
from routing.model.address import parse_address
from routing.model.catalog_objects import (
    SYSTEM_MADE,
    Activation,
    Contract,
    ContractMessage,
    MessageType,
    Priority,
    Queue,
    RemoteServiceBinding,
    Service,
)
from routing.model.estate import Database
from routing.model.route import Route
from routing.model.route_table import RouteTable

FIRST_OWN_ID = 65_536
"""Services, contracts and message types with smaller ids exist in every database."""
_SHIPPED_NAME = "DEFAULT"
_DBO = 1

Refused = Callable[[str, str | None, Sentence], None]
"""Called with a row that could not be read: the part, the object, the reason."""
Parts = Mapping[str, Rows]
_T = TypeVar("_T")


def fields_of(parts: Parts, known: Database, refused: Refused) -> dict[str, Any]:
    """The fields of a database that these parts contain; `known` is its state before."""
    found: dict[str, Any] = {}
    for part, (field, build) in _BUILDERS.items():
        if part in parts:
            found[field] = tuple(_unique(part, build(parts, known, refused), refused))
    if "routes" in found:
        found["table"] = RouteTable(found.pop("routes"))
    return found


def own_rows(part: str, rows: Rows) -> Iterator[Row]:
    """The rows without those that SQL Server creates in every database."""
    key = _IDS.get(part)
    for row in rows:
        number = row.get(key) if key else None
        named = is_system_service(row["name"]) or row["name"] == _SHIPPED_NAME
        shipped = row.get("is_ms_shipped") or (number < FIRST_OWN_ID if number is not None else key and named)
        if not shipped:
            yield row


_IDS = {
    "services": "service_id",
    "service_contracts": "service_contract_id",
    "service_message_types": "message_type_id",
}


def _unique(part: str, members: Iterable[Any], refused: Refused) -> Iterator[Any]:
    seen: set[str] = set()
    for member in members:
        if member.name in seen:
            refused(part, member.name, say("is there twice, with different values; the first was used"))
        else:
            seen.add(member.name)
            yield member


def _each(part: str, parts: Parts, build: Callable[[Row], _T], refused: Refused) -> Iterator[_T]:
    for row in own_rows(part, parts[part]):
        try:
            yield build(row)
        except Invalid as fault:
            problem = say("{path}: {problem}", path=fault.path, problem=fault.problem) if fault.path else fault.problem
            refused(part, row["name"], problem)


def _at(column: str, parse: Callable[[str], _T], text: str | None) -> _T | None:
    """The value of a column; None for NULL."""
    try:
        return None if text is None else parse(text)
    except Invalid as fault:
        raise fault.below(column) from None


def _needed(column: str, value: _T | None) -> _T:
    if value is None:
        raise Invalid(column, say("is missing"))
    return value


# ---------------------------------------------------------------- routes and services


def _routes(parts: Parts, known: Database, refused: Refused) -> Iterator[Route]:
    return _each("routes", parts, _route, refused)


def _route(row: Row) -> Route:
    return Route(
        row["name"],
        row.get("remote_service_name"),
        _at("broker_instance", parse_identifier, row.get("broker_instance")),
        _at("lifetime", parse_moment, row.get("lifetime")),
        _needed("address", _at("address", parse_address, row.get("address"))),
        _at("mirror_address", parse_address, row.get("mirror_address")),
    )


def _services(parts: Parts, known: Database, refused: Refused) -> Iterator[Service]:
    before = {service.name: service for service in known.services}
    contracts = _grouped(parts.get("service_contract_usages", ()), "service_name")

    def build(row: Row) -> Service:
        old = before.get(row["name"], Service(row["name"]))
        queue = _dotted(row.get("schema_name"), row["queue_name"]) if "queue_name" in row else old.queue
        if "service_contract_usages" not in parts:
            # A queue without contracts would say that the service accepts none, which nobody has told.
            return Service(row["name"], queue if old.contracts or old.queue else None, old.contracts)
        used = (usage["service_contract_name"] for usage in contracts.get(row["name"], ()))
        return Service(row["name"], queue, tuple(dict.fromkeys(used)))

    yield from SYSTEM_MADE
    yield from _each("services", parts, build, refused)


def _grouped(rows: Rows, key: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row[key], []).append(row)
    return found


def _dotted(schema: str | None, name: str | None) -> str | None:
    return name if name is None or schema is None else f"{schema}.{name}"


# ---------------------------------------------------------------- queues


def _queues(parts: Parts, known: Database, refused: Refused) -> Iterator[Queue]:
    before = {queue.name: queue for queue in known.queues}

    def build(row: Row) -> Queue:
        name = f"{_schema(row)}.{row['name']}"
        old = before.get(name, Queue(name))
        return Queue(
            name,
            _bit(row, "is_receive_enabled", old.enabled) and _bit(row, "is_enqueue_enabled", True),
            _bit(row, "is_retention_enabled", old.retention),
            _bit(row, "is_poison_message_handling_enabled", old.poison_handling),
            _activation(row) if "activation_procedure" in row else old.activation,
        )

    return _each("service_queues", parts, build, refused)


def _schema(row: Row) -> str:
    schema: str | None = row.get("schema_name")
    if schema is None and row.get("schema_id") == _DBO:
        return "dbo"
    return _needed("schema_name", schema)


def _bit(row: Row, column: str, default: bool) -> bool:
    value: bool | None = row.get(column)
    return default if value is None else value


def _activation(row: Row) -> Activation | None:
    procedure = row["activation_procedure"]
    if procedure is None:
        return None
    readers = row.get("max_readers")
    return Activation(_unquoted(procedure), 1 if readers is None else readers, _bit(row, "is_activation_enabled", True))


def _unquoted(name: str) -> str:
    """`schema.procedure` of `[database].[schema].[procedure]`; other texts stay as they are."""
    if not (name.startswith("[") and name.endswith("]")):
        return name
    parts = [part.replace("]]", "]") for part in name[1:-1].split("].[")]
    return ".".join(parts[-2:])


# ---------------------------------------------------------------- contracts, message types, priorities, bindings


def _contracts(parts: Parts, known: Database, refused: Refused) -> Iterator[Contract]:
    before = {contract.name: contract.messages for contract in known.contracts}
    usages = _grouped(parts.get("service_contract_message_usages", ()), "service_contract_name")

    def build(row: Row) -> Contract:
        if "service_contract_message_usages" not in parts:
            return Contract(row["name"], before.get(row["name"], ()))
        return Contract(row["name"], tuple(_usage(usage) for usage in usages.get(row["name"], ())))

    return _each("service_contracts", parts, build, refused)


def _usage(row: Row) -> ContractMessage:
    if row["is_sent_by_initiator"]:
        return ContractMessage(row["message_type_name"], "ANY" if row["is_sent_by_target"] else "INITIATOR")
    return ContractMessage(row["message_type_name"], "TARGET")


_VALIDATION: Mapping[str, str] = {"N": "NONE", "E": "EMPTY", "X": "WELL_FORMED_XML"}


def _message_types(parts: Parts, known: Database, refused: Refused) -> Iterator[MessageType]:
    def build(row: Row) -> MessageType:
        letter: str = row["validation"].strip()
        validation = _VALIDATION.get(letter, letter)
        collection = row.get("xml_collection_name")
        if validation == "WELL_FORMED_XML" and collection is not None:
            return MessageType(row["name"], "VALID_XML", collection)
        return MessageType(row["name"], validation, collection)

    return _each("service_message_types", parts, build, refused)


def _priorities(parts: Parts, known: Database, refused: Refused) -> Iterator[Priority]:
    def build(row: Row) -> Priority:
        contract, local, remote = (
            row.get(f"{what}_name") for what in ("service_contract", "local_service", "remote_service")
        )
        return Priority(row["name"], contract, local, remote, row["priority"])

    return _each("conversation_priorities", parts, build, refused)


def _bindings(parts: Parts, known: Database, refused: Refused) -> Iterator[RemoteServiceBinding]:
    def build(row: Row) -> RemoteServiceBinding:
        return RemoteServiceBinding(
            row["name"], row["remote_service_name"], row.get("user_name"), _bit(row, "is_anonymous_on", False)
        )

    return _each("remote_service_bindings", parts, build, refused)


_Build = Callable[[Parts, Database, Refused], Iterator[Any]]
_BUILDERS: Mapping[str, tuple[str, _Build]] = {
    "routes": ("routes", _routes),
    "services": ("services", _services),
    "service_queues": ("queues", _queues),
    "service_contracts": ("contracts", _contracts),
    "service_message_types": ("message_types", _message_types),
    "conversation_priorities": ("priorities", _priorities),
    "remote_service_bindings": ("remote_service_bindings", _bindings),
}
"""By part: the field of a database, and how to build it."""
FIELDS = {part: field for part, (field, _) in _BUILDERS.items()}
