"""Directives `-- brokerui: {json}`: content that T-SQL cannot express, in comments that only BrokerUI reads.

- `{"hop_limit": 3}`
- `{"instance": {"name": …, "addresses": …, "forwarding": …, "endpoint": …}}`, also `missing_statements`: what follows
  belongs to this instance.
- `{"database": {"name": …, "broker_instance": …, "broker_enabled": …, "mirroring_role": …}}`, likewise,
  also with `transmission_queue` and `conversation_endpoints`: its collected rows.
  `"system_services": false` takes away the services that SQL Server creates in every database, true adds them.
- `{"route": {…}}`, and every other kind of row: some or all columns of the row of this name, as in the estate
  document. A row that does not exist is added.
- `{"drop": {"route": "name"}}`, for every kind, also `instance` and `database`
- `{"place": {"routes": [["name", "the one after it"]]}}`, with null for the end; also `instances`, `databases`

Names are exact here. Without a name, `instance` and `database` mean the current one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from routing.common.errors import Invalid
from routing.common.names import check_name
from routing.common.sentence import say
from routing.documents.collected_json import COLLECTED
from routing.documents.json_decoders import (
    array_of,
    boolean,
    contract_from,
    endpoint_from,
    fields,
    identifier_or_null,
    integer,
    message_type_from,
    missing_statement_from,
    or_null,
    priority_from,
    queue_from,
    remote_service_binding_from,
    route_from,
    service_from,
    string,
)
from routing.documents.writer import route_as_json
from routing.model.address import parse_network_address
from routing.model.catalog_objects import SYSTEM_MADE, BrokerEndpoint
from routing.model.estate import MAX_HOP_LIMIT, MIRROR, PRINCIPAL, Database
from routing.model.missing_statement import MAX_MISSING_STATEMENTS
from routing.model.route import Route
from routing.tsql.draft import DraftDatabase, DraftInstance
from routing.tsql.object_catalog import ObjectCatalog
from routing.tsql.ordering import moved
from routing.tsql.session import ScriptSession, check_identifier

PREFIX = "-- brokerui:"
ROWS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "route": ("routes", route_from),
    "service": ("services", service_from),
    "queue": ("queues", queue_from),
    "contract": ("contracts", contract_from),
    "message_type": ("message_types", message_type_from),
    "priority": ("priorities", priority_from),
    "remote_service_binding": ("remote_service_bindings", remote_service_binding_from),
}
"""By key of the directive: the catalog and the decoder of a row."""


def directive(**content: Any) -> str:
    """The comment line of a directive."""
    text = json.dumps(content, ensure_ascii=False)
    # A comment is one line, for every program that may split this text into lines.
    for code in (0x7F, 0x85, 0x2028, 0x2029):
        text = text.replace(chr(code), f"\\u{code:04x}")
    return f"{PREFIX} {text}"


def row_as_json(member: Any) -> dict[str, Any]:
    """Any row, endpoint or part as in the estate document."""
    if isinstance(member, Route):
        return route_as_json(member)
    found: dict[str, Any] = json.loads(json.dumps(asdict(member)))
    return found


def apply_directive(text: str, session: ScriptSession) -> None:
    """Apply a directive. Raises `Invalid` if it is malformed; `NotApplied` if SQL Server would refuse it."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise Invalid("", say("is not JSON")) from None
    if type(content) is not dict or len(content) != 1:
        raise Invalid("", say("must be an object with one key"))
    [(key, value)] = content.items()
    if key in ROWS:
        _row(session, key, value)
    elif key in _WHOLES:
        _WHOLES[key](session, value)
    else:
        raise Invalid("", say('has the unknown key "{key}"', key=key[:80]))


# ---------------------------------------------------------------- wholes


def _hop_limit(session: ScriptSession, value: Any) -> None:
    limit = integer(value)
    if not 0 <= limit <= MAX_HOP_LIMIT:
        raise Invalid("hop_limit", say("must be 0 to {limit}", limit=MAX_HOP_LIMIT))
    session.draft.hop_limit = limit


_INSTANCE = {
    "name": string,
    "addresses": array_of(lambda value: parse_network_address(string(value))),
    "forwarding": boolean,
    "endpoint": or_null(endpoint_from),
    "missing_statements": array_of(missing_statement_from),
}


def _instance(session: ScriptSession, value: Any) -> None:
    found = fields(value, _INSTANCE, ())
    if "name" in found:
        check_name(found["name"], "name", 256)
        session.connect(session.draft.instance(found["name"], exactly=True), is_named=True)
    instance = session.instance
    instance.has_msdb = False
    for key in ("addresses", "forwarding"):
        if key in found:
            setattr(instance, key, found[key])
    if "missing_statements" in found:
        instance.missing = found["missing_statements"][:MAX_MISSING_STATEMENTS]
    if "endpoint" in found:
        _set_endpoint(instance, found["endpoint"])


def _set_endpoint(instance: DraftInstance, endpoint: BrokerEndpoint | None) -> None:
    instance.endpoint = endpoint
    if endpoint is None:
        instance.endpoint_name = None


_DATABASE = {
    "name": string,
    "broker_instance": identifier_or_null,
    "broker_enabled": boolean,
    "mirroring_role": or_null(string),
    "system_services": boolean,
    **COLLECTED,
}


def _database(session: ScriptSession, value: Any) -> None:
    found = fields(value, _DATABASE, ())
    if found.get("mirroring_role") not in (None, PRINCIPAL, MIRROR):
        raise Invalid("mirroring_role", say("must be null, PRINCIPAL or MIRROR"))
    database = _named(session, found.pop("name", None))
    enabled = found.get("broker_enabled", database.broker_enabled)
    if enabled:
        check_identifier(session.instance, database, found.get("broker_instance", database.broker_instance))
    if (wanted := found.pop("system_services", None)) is not None:
        _set_system_services(database, wanted=wanted)
    for key, member in found.items():
        setattr(database, key, member)
    session.instance.remember_identifier(database)
    database.listed = True
    if database.name not in session.instance.databases:
        session.instance.databases.put(database)
    session.use(database)


def _set_system_services(database: DraftDatabase, *, wanted: bool) -> None:
    for service in SYSTEM_MADE:
        if wanted and service.name not in database.services:
            database.services.put(service)
        elif not wanted and service.name in database.services:
            database.services.drop(service.name)


def _named(session: ScriptSession, name: str | None) -> DraftDatabase:
    if name is not None:
        check_name(name, "name")
        return session.instance.databases.exactly(name) or DraftDatabase(Database(name))
    return _current(session)


def _current(session: ScriptSession) -> DraftDatabase:
    if session.database is None:
        raise Invalid("", say("belongs to a database that could not be read"))
    return session.database


# ---------------------------------------------------------------- rows


def _row(session: ScriptSession, key: str, value: Any) -> None:
    kind, convert = ROWS[key]
    database = _current(session)
    catalog = database.catalog(kind)
    if type(value) is not dict or type(value.get("name")) is not str:
        raise Invalid("name", say("is missing"))
    before = catalog.exactly(value["name"])
    catalog.put(convert({**row_as_json(before), **value} if before is not None else value))
    database.listed = True


def _drop(session: ScriptSession, value: Any) -> None:
    if type(value) is not dict or len(value) != 1:
        raise Invalid("drop", say("must be an object with one key"))
    [(key, name)] = value.items()
    catalog = _catalog(session, ROWS[key][0] if key in ROWS else f"{key}s")
    if catalog is None or type(name) is not str or name not in catalog:
        raise Invalid("drop", say('there is no {kind} "{name}"', kind=str(key)[:80], name=str(name)[:80]))
    catalog.drop(name)


def _place(session: ScriptSession, value: Any) -> None:
    if type(value) is not dict or len(value) != 1:
        raise Invalid("place", say("must be an object with one key"))
    [(kind, pairs)] = value.items()
    catalog = _catalog(session, kind)
    if catalog is None:
        raise Invalid("place", say('has the unknown key "{key}"', key=kind[:80]))
    try:
        catalog.arrange(moved(catalog.names, [(string(name), or_null(string)(after)) for name, after in pairs]))
    except (KeyError, TypeError, ValueError):
        raise Invalid("place", say("must be pairs of names that are there")) from None


def _catalog(session: ScriptSession, kind: str) -> ObjectCatalog[Any] | None:
    if kind == "instances":
        return session.draft.instances
    if kind == "databases":
        return session.instance.databases
    if any(kind == known for known, _ in ROWS.values()):
        return _current(session).catalog(kind)
    return None


_WHOLES: Mapping[str, Callable[[ScriptSession, Any], None]] = {
    "hop_limit": _hop_limit,
    "instance": _instance,
    "database": _database,
    "drop": _drop,
    "place": _place,
}
