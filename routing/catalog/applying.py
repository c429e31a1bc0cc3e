"""Applies a catalog snapshot of an instance to an estate: what it contains replaces the known state, the rest stays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from routing.catalog.availability import Replica, listening
from routing.catalog.building import FIELDS, fields_of, own_rows
from routing.catalog.collecting import collected_of
from routing.catalog.endpoint import endpoint_from, forwards
from routing.catalog.notes import Notes
from routing.catalog.shapes import Row
from routing.catalog.snapshot import CatalogSnapshot
from routing.common.errors import InputError, Invalid
from routing.common.finding import ERROR, INFO, WARNING, Finding
from routing.common.identifier import parse_identifier
from routing.common.names import MSDB
from routing.common.sentence import Sentence, say
from routing.model.address import DEFAULT_PORT, Address, parse_address
from routing.model.catalog_objects import SYSTEM_MADE
from routing.model.estate import MIRROR, PRINCIPAL, Database, Estate, Instance
from routing.model.route import AUTO_CREATED_LOCAL
from routing.model.route_table import RouteTable
from routing.tsql.refusal import ADDRESS_UNKNOWN, ROLE_UNKNOWN, SEVERITY

ONLINE = "ONLINE"
_NOT_IN_HOSTS = frozenset(" /:[],;@")
QUIET = ("master", "model", "tempdb")
"""Databases of SQL Server itself, added to an estate only if they contain Service Broker objects."""


@dataclass(frozen=True, slots=True)
class Applied:
    """An estate after an input, with its findings."""

    estate: Estate
    findings: tuple[Finding, ...]


def apply_snapshot(
    estate: Estate, name: str, snapshot: CatalogSnapshot, address: Address | None = None, *further: Address
) -> Applied:
    """Apply a snapshot to the instance `name` of an estate, which may be new; `address` and `further` are addresses
    of it.

    Raises `InputError` if no estate can hold the result.
    """
    try:
        known = _known(estate, name)
        notes = Notes(snapshot.where, known.name)
        new = _instance(known, snapshot, notes)
        given = () if address is None else (address, *further)
        placed = _placed(estate, new, given, notes)
        reached = _reached_by_listeners(placed, name=new.name, snapshot=snapshot, given=given, notes=notes)
        return Applied(reached, tuple(notes.findings))
    except Invalid as fault:
        raise InputError(snapshot.where, fault.path, fault.problem) from None


def _known(estate: Estate, name: str) -> Instance:
    """The instance of this name, or the only one whose name differs in case alone, or a new one."""
    if name in estate.instances:
        return estate.instances[name]
    alike = [instance for instance in estate.instances.values() if instance.name.casefold() == name.casefold()]
    return alike[0] if len(alike) == 1 else Instance(name)


def _instance(known: Instance, snapshot: CatalogSnapshot, notes: Notes) -> Instance:
    notes.unread(snapshot)
    databases = _databases(known, snapshot, notes)
    if snapshot.complete:
        known = replace(known, missing_statements=())  # the instance itself tells what its scripts left open
    if snapshot.endpoints is None:
        return replace(known, databases=databases)
    rows = snapshot.endpoints
    try:
        endpoint = endpoint_from(rows[0]) if rows else None
    except Invalid as fault:
        notes.refused("endpoints", rows[0]["name"], say("{path}: {problem}", path=fault.path, problem=fault.problem))
        endpoint = known.endpoint
    return replace(known, databases=databases, endpoint=endpoint, forwarding=bool(rows) and forwards(rows[0]))


# ---------------------------------------------------------------- addresses


def _placed(estate: Estate, new: Instance, given: tuple[Address, ...], notes: Notes) -> Estate:
    """The estate with the instance at its addresses: the known ones, the given one, or the one derived from its
    name."""
    if wanted := tuple(address for address in given if address not in new.addresses):
        new = replace(new, addresses=(*wanted, *new.addresses))
    if not new.addresses:
        new = replace(new, addresses=_own_address(estate, new, notes))
    return estate.with_instance(new)


def _reached_by_listeners(
    estate: Estate, name: str, snapshot: CatalogSnapshot, given: tuple[Address, ...], notes: Notes
) -> Estate:
    """Add the listeners of availability groups to the addresses of the instance with the primary replicas.

    Does nothing if the instance's endpoint is unknown: listeners only have the port for queries.
    """
    here = estate.instances[name]
    if here.endpoint is None:
        return estate
    others = listening(snapshot.replicas.values(), MIRROR, here.endpoint.port)
    leading = listening(snapshot.replicas.values(), PRINCIPAL, here.endpoint.port)
    stays = [a for a in here.addresses if a in given or a.key not in others or a.key in leading]
    addresses = list(stays or here.addresses)
    for address in leading.values():
        holder = estate.resolve(address)
        if holder is None:
            addresses.append(address)
        elif holder != name:
            reason = say(
                '{address} is an address of "{other}" already; none was taken', address=address.key, other=holder
            )
            notes.add("already-exists", WARNING, reason)
    return (
        estate
        if tuple(addresses) == here.addresses
        else estate.with_instance(replace(here, addresses=tuple(addresses)))
    )


def _own_address(estate: Estate, new: Instance, notes: Notes) -> tuple[Address, ...]:
    """`tcp://NAME:PORT`, unless that is no address or belongs to another instance."""
    own = _derived_address(new)
    if own is None:
        reason = say("no address can be made of the name of the instance; give it one, tcp://HOST:PORT")
        notes.add(ADDRESS_UNKNOWN, SEVERITY[ADDRESS_UNKNOWN], reason)
        return ()
    holder = estate.resolve(own)
    if holder not in (None, new.name):
        reason = say('{address} is an address of "{other}" already; none was taken', address=own.key, other=holder)
        notes.add("already-exists", WARNING, reason)
        return ()
    return (own,)


def _derived_address(new: Instance) -> Address | None:
    """A named instance is at the host before its backslash; None if the name contains no host."""
    host = new.name.partition("\\")[0]
    if not host or _NOT_IN_HOSTS & set(host):
        return None
    try:
        return parse_address(f"tcp://{host}:{new.endpoint.port if new.endpoint else DEFAULT_PORT}")
    except Invalid:
        return None


# ---------------------------------------------------------------- databases


def _databases(known: Instance, snapshot: CatalogSnapshot, notes: Notes) -> dict[str, Database]:
    """The known databases in their places, then the new ones."""
    rows: dict[str, Row] = {row["name"]: row for row in snapshot.databases or ()}
    rows |= {name: {"name": name} for name in snapshot.parts if name not in rows}
    names = _names_now(known, rows)
    after: dict[str, Database] = {}
    for old in known.databases.values():
        if old.name in names:
            row = rows.pop(names[old.name])
            after[row["name"]] = _database(old, row, snapshot, notes)
        elif snapshot.complete:
            notes.gone(old.name, None)
        else:
            after[old.name] = old
    for name, row in rows.items():
        if not _quiet(name, snapshot):
            after[name] = _database(None, row, snapshot, notes)
    if after and not known.databases and MSDB not in after and not snapshot.complete:
        # Grids of a new instance: it gets an msdb, which decides for messages from outside.
        after[MSDB] = _database(None, {"name": MSDB}, snapshot, notes)
    return after


def _names_now(known: Instance, rows: Mapping[str, Row]) -> dict[str, str]:
    """By name of a known database: its name on the instance, which may differ in case."""
    names = {name: name for name in known.databases if name in rows}
    new = {name.casefold(): name for name in rows if name not in names}
    for name in known.databases:
        if name not in names and name.casefold() in new:
            names[name] = new.pop(name.casefold())
    return names


def _quiet(name: str, snapshot: CatalogSnapshot) -> bool:
    """True for a database of SQL Server itself without Service Broker objects."""
    if name.lower() not in QUIET:
        return False
    for part, rows in snapshot.parts.get(name, {}).items():
        if part in FIELDS and any(
            part != "routes" or row["name"] != "AutoCreatedLocal" for row in own_rows(part, rows)
        ):
            return False
    return True


def _database(old: Database | None, row: Row, snapshot: CatalogSnapshot, notes: Notes) -> Database:
    name: str = row["name"]
    known = replace(old, name=name) if old is not None else _new_database(name)
    parts = snapshot.parts.get(name, {})
    new = replace(
        known,
        **_facts(known, row, snapshot.replicas.get(name), notes),
        **fields_of(parts, known, notes.below(name)),
        **collected_of(parts, snapshot.collected_at, notes.below(name)),
    )
    _report_missing(old, new, row, snapshot, notes)
    if old is not None:
        for field in (FIELDS[part] for part in parts if part in FIELDS):
            for member in _gone(old, new, field):
                notes.gone(name, member)
    return new


def _new_database(name: str) -> Database:
    """A database as SQL Server creates it."""
    return Database(name, services=SYSTEM_MADE, table=RouteTable((AUTO_CREATED_LOCAL,)))


def _facts(known: Database, row: Row, replica: Replica | None, notes: Notes) -> dict[str, Any]:
    """Identifier, broker and role. A database that is not online counts as disabled, whatever its flag is."""
    found: dict[str, Any] = {}
    if row.get("service_broker_guid") is not None:
        try:
            found["broker_instance"] = parse_identifier(row["service_broker_guid"])
        except Invalid as fault:
            notes.below(row["name"])("databases", None, fault.problem)
    if row.get("is_broker_enabled") is not None:
        found["broker_enabled"] = row["is_broker_enabled"]
    if "mirroring_role_desc" in row:
        found["mirroring_role"] = row["mirroring_role_desc"]
    if replica is not None:
        found["mirroring_role"] = replica.role
        if replica.role is None:
            reason = say("is a replica of {groups}, and the instance does not say in which role", groups=replica.groups)
            notes.add(ROLE_UNKNOWN, SEVERITY[ROLE_UNKNOWN], reason, database=row["name"])
    state = row.get("state_desc") or ONLINE
    if state != ONLINE and found.get("mirroring_role") != MIRROR and found.get("broker_enabled"):
        found["broker_enabled"] = False
        reason = say("is {state}: treated as a database whose broker is disabled", state=state)
        notes.add("broker-disabled", WARNING, reason, database=row["name"])
    return found


def _report_missing(old: Database | None, new: Database, row: Row, snapshot: CatalogSnapshot, notes: Notes) -> None:
    """Report a database that could not be read, or whose routes no input has contained yet."""
    if snapshot.complete and new.name not in snapshot.parts:
        notes.add("not-found", *_why_not_read(new, row, snapshot.replicas.get(new.name)), database=new.name)
    if old is None and "routes" not in snapshot.parts.get(new.name, {}):
        reason = say("no input has its routes: AutoCreatedLocal, which the product creates, was assumed")
        notes.add("not-found", INFO, reason, database=new.name)


def _why_not_read(new: Database, row: Row, replica: Replica | None) -> tuple[str, Sentence]:
    """The severity and the reason."""
    state = row.get("state_desc") or ONLINE
    if state == ONLINE and replica is not None and replica.role == MIRROR:
        return INFO, say("could not be read: it is a secondary replica of {groups}", groups=replica.groups)
    if state == ONLINE:
        return ERROR, say("could not be read: the login has no access to it")
    severity = INFO if new.mirroring_role == MIRROR else WARNING
    return severity, say("could not be read: it is {state}", state=state)


def _gone(old: Database, new: Database, field: str) -> Iterator[str]:
    """The names that are in the estate but no longer on the instance."""
    if field == "routes":
        yield from (name for name in old.table.routes if name not in new.table.routes)
        return
    names = {member.name for member in getattr(new, field)}
    yield from (member.name for member in getattr(old, field) if member.name not in names)
