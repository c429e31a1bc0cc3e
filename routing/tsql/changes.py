"""Turns one database into another: statements where T-SQL has them, directives of BrokerUI for the rest."""

from __future__ import annotations

from typing import Any

from routing.common.names import SYSTEM_SERVICES
from routing.documents.collected_json import COLLECTED, collected_as_json
from routing.model.catalog_objects import Contract
from routing.model.estate import Database
from routing.tsql.clauses import ADD_CONTRACTS, DROP_CONTRACTS
from routing.tsql.ddl_writer import alteration, creation, removal
from routing.tsql.directives import ROWS, row_as_json
from routing.tsql.draft import KINDS, DraftDatabase
from routing.tsql.object_catalog import ObjectCatalog
from routing.tsql.objects import is_possible
from routing.tsql.ordering import moves
from routing.tsql.output import Output
from routing.tsql.servers import BROKER
from routing.tsql.sql import statement_as_sql
from routing.tsql.statement import (
    ALTER,
    BINDING,
    CONTRACT,
    DATABASE,
    MESSAGE_TYPE,
    PRIORITY,
    QUEUE,
    ROUTE,
    SERVICE,
    Statement,
)

_NEW = (MESSAGE_TYPE, CONTRACT, QUEUE, SERVICE)
"""In the order of their dependencies."""
_REST = (PRIORITY, BINDING)
_GONE = (BINDING, PRIORITY, SERVICE, QUEUE, CONTRACT, MESSAGE_TYPE)
_KEYS = {kind: key for key, (kind, _) in ROWS.items()}
"""The key of a directive, by catalog."""


class DatabaseChange:
    """The steps for one database. Each step compares with the draft, so none depends on another one."""

    def __init__(self, output: Output, instance: str, draft: DraftDatabase, wanted: Database) -> None:
        self._output = output
        self._instance = instance
        self._draft = draft
        self._wanted = wanted

    def _go(self) -> None:
        """Write USE for the database before its first change; writes nothing without changes."""
        self._output.at_instance(self._instance)
        self._output.at_database(self._draft)

    def _run(self, statement: Statement | None) -> bool:
        if statement is None:
            return False
        self._go()
        return self._output.run(statement)

    def _tell(self, **content: Any) -> None:
        self._go()
        self._output.tell(**content)

    def identify_before(self) -> None:
        """Disable brokers before identifiers are set: two enabled brokers cannot share one."""
        if self._draft.broker_enabled and not self._wanted.broker_enabled:
            self._switch("DISABLE_BROKER")
        if self._draft.broker_instance not in (None, self._wanted.broker_instance):
            self._tell(database={"broker_instance": None})

    def identify(self) -> None:
        rest: dict[str, Any] = {}
        for key in ("broker_instance", "mirroring_role"):
            if getattr(self._draft, key) != getattr(self._wanted, key):
                rest[key] = getattr(self._wanted, key)
        for key in COLLECTED:
            if getattr(self._draft, key) != getattr(self._wanted, key):
                rest[key] = collected_as_json(getattr(self._wanted, key))
        wanted = {service.name for service in self._wanted.services}.intersection(SYSTEM_SERVICES)
        there = self._draft.services.names
        if not wanted and any(name in there for name in SYSTEM_SERVICES):
            rest["system_services"] = False
        elif len(wanted) == len(SYSTEM_SERVICES) and not any(name in there for name in SYSTEM_SERVICES):
            rest["system_services"] = True
        if rest:
            self._tell(database=rest)
        if self._wanted.broker_enabled and not self._draft.broker_enabled:
            self._switch("ENABLE_BROKER")

    def _switch(self, option: str) -> None:
        if not self._run(Statement(ALTER, DATABASE, (self._draft.name,), {BROKER: option})):
            self._tell(database={"broker_enabled": option == "ENABLE_BROKER"})

    # ------------------------------------------------------------ objects

    def add_objects(self) -> None:
        for kind in _NEW:
            self._add(kind)

    def add_rest(self) -> None:
        for kind in _REST:
            self._add(kind)

    def _add(self, kind: str) -> None:
        catalog = self._draft.catalog(KINDS[kind])
        members = _members(kind, self._wanted)
        for member in members.values():
            before = catalog.exactly(member.name)
            if _is_of_product(kind, member.name):
                continue
            if before is None:
                self._make_room(kind, catalog, member, members)
                self._run(creation(kind, member, self._output.at))
            elif not _same(before, member):
                self._change(kind, before, member)

    def _make_room(self, kind: str, catalog: ObjectCatalog[Any], member: Any, members: dict[str, Any]) -> None:
        """Drop objects that are to go and block a new one: the same name in other case, a binding of the same
        service."""
        there = catalog.find(member.name)
        rivals = [there] if there is not None else []
        if kind == BINDING:
            rivals += [one for one in catalog if one.remote_service_name == member.remote_service_name]
        for rival in rivals:
            if rival.name not in members and rival.name in catalog:
                self._run(removal(kind, rival.name))

    def _change(self, kind: str, before: Any, member: Any) -> None:
        if self._run(alteration(kind, before, member, self._output.at)):
            return
        if kind == CONTRACT:
            self._change_contract(member)
        elif kind in (ROUTE, BINDING):
            self._make_again(kind, before, member)

    def _make_again(self, kind: str, before: Any, member: Any) -> None:
        """Drop and create an object that ALTER cannot change, if SQL Server would accept the new one."""
        made = creation(kind, member, self._output.at)
        if made is None or not is_possible(self._draft, made, self._output.at):
            return
        if self._run(removal(kind, before.name)):
            self._run(made)

    def _change_contract(self, contract: Contract) -> None:
        """Drop and create a contract, which cannot be altered: removes it from services and priorities first, and adds
        it again."""
        made = creation(CONTRACT, contract, self._output.at)
        if made is None or not is_possible(self._draft, made, self._output.at):
            return
        users = [service.name for service in self._draft.services if contract.name in service.contracts]
        priorities = [one for one in self._draft.priorities if one.contract_name == contract.name]
        away = [_service_change(name, DROP_CONTRACTS, contract) for name in users]
        away += [removal(PRIORITY, one.name) for one in priorities] + [removal(CONTRACT, contract.name)]
        again: list[Statement | None] = [made, *(_service_change(name, ADD_CONTRACTS, contract) for name in users)]
        again += [creation(PRIORITY, one, self._output.at) for one in priorities]
        if all(one is not None and statement_as_sql(one) for one in (*away, *again)):
            for statement in (*away, *again):
                self._run(statement)

    def change_routes(self) -> None:
        self._add(ROUTE)
        self._drop(ROUTE)

    def drop_objects(self) -> None:
        for kind in _GONE:
            self._drop(kind)

    def _drop(self, kind: str) -> None:
        members = _members(kind, self._wanted)
        for name in self._draft.catalog(KINDS[kind]).names:
            if name not in members and not _is_of_product(kind, name):
                self._run(removal(kind, name))

    # ------------------------------------------------------------ remaining changes

    def complete(self) -> None:
        """Write directives for what statements cannot do: rows that still differ, and their order."""
        for kind, catalog_name in KINDS.items():
            catalog, members = self._draft.catalog(catalog_name), _members(kind, self._wanted)
            key = _KEYS[catalog_name]
            for name in catalog.names:
                if name not in members:
                    self._tell(drop={key: name})
            for member in members.values():
                self._complete_row(key, catalog.exactly(member.name), member)
            if order := moves(catalog.names, list(members)):
                self._tell(place={catalog_name: order})

    def _complete_row(self, key: str, before: Any, member: Any) -> None:
        if before is not None and _same(before, member):
            return
        row = row_as_json(member)
        if before is None:
            row = {column: value for column, value in row.items() if value not in (None, [])}
        else:
            there = row_as_json(before)
            row = {column: value for column, value in row.items() if column == "name" or there[column] != value}
        self._tell(**{key: row})


def _service_change(name: str, clause: str, contract: Contract) -> Statement:
    return Statement(ALTER, SERVICE, (name,), {clause: (contract.name,)})


def _members(kind: str, wanted: Database) -> dict[str, Any]:
    if kind == ROUTE:
        return wanted.table.routes
    return {member.name: member for member in getattr(wanted, KINDS[kind])}


def _is_of_product(kind: str, name: str) -> bool:
    """True for a service that SQL Server creates in every database: no statement can create, alter or drop it."""
    return kind == SERVICE and name in SYSTEM_SERVICES


def _same(one: Any, other: Any) -> bool:
    """True if equal and spelt the same: equal addresses may be spelt differently."""
    return bool(one == other and (not hasattr(one, "address") or row_as_json(one) == row_as_json(other)))
