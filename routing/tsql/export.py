"""T-SQL that makes an estate, or that turns one estate into another.

A change comes in an order in which nothing is lost on the way: first what is new, then the routes that lead there,
then what nothing leads to any more. What statements could not bring about is said in lines of BrokerUI.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from routing.estate import Database, Estate, Instance
from routing.parts import Contract
from routing.tsql.catalog import Catalog
from routing.tsql.directives import ROWS, row_as_json
from routing.tsql.draft import SYSTEM_DATABASES, UNLISTED, Draft, DraftDatabase, DraftInstance
from routing.tsql.making import alteration, creation, endpoint_statement, removal
from routing.tsql.objects import KINDS, is_possible
from routing.tsql.output import Output
from routing.tsql.places import moves
from routing.tsql.servers import BROKER
from routing.tsql.session import DEFAULT_ENDPOINT
from routing.tsql.statement import (
    ALTER,
    BINDING,
    CONTRACT,
    CREATE,
    DATABASE,
    DROP,
    ENDPOINT,
    MESSAGE_TYPE,
    PRIORITY,
    QUEUE,
    ROUTE,
    SERVICE,
    USE,
    Statement,
)

HEADING = "-- Lines that begin with `-- brokerui:` hold what T-SQL cannot say; `brokerui import-sql` reads them."
_NEW = (MESSAGE_TYPE, CONTRACT, QUEUE, SERVICE)
"""In the order in which one needs the other."""
_REST = (PRIORITY, BINDING)
_GONE = (BINDING, PRIORITY, SERVICE, QUEUE, CONTRACT, MESSAGE_TYPE)
_KEYS = {kind: key for key, (kind, _) in ROWS.items()}
"""The key of a directive, by the catalog."""
Step = Callable[[DraftDatabase, Database], None]


def export_sql(estate: Estate, *, since: Estate | None = None, instance: str | None = None, at: datetime) -> str:
    """The script; reading it into `since`, or into nothing, at the moment `at` gives the estate.

    `instance`: only this one of the instances, to be read as a script of the instance that it is read for.
    """
    if instance is not None:
        estate = _only(estate, instance)
        since = _only(since, instance) if since else None
    export = _Export(Output(Draft(since), at, named=instance is None), estate)
    export.write(together=since is None)
    return f"{HEADING}\n{export.output.text}"


def _only(estate: Estate, name: str) -> Estate:
    return replace(estate, instances={n: i for n, i in estate.instances.items() if n == name})


class _Export:
    def __init__(self, output: Output, wanted: Estate) -> None:
        self.output = output
        self._wanted = wanted

    def write(self, *, together: bool) -> None:
        """`together`: instance by instance, for people to read; else step by step through all of them."""
        steps: tuple[tuple[Step, ...], ...] = (
            (self._identify_before, self._identify),
            (self._add_objects,),
            (self._change_routes, self._add_rest),
            (self._drop_objects, self._complete),
        )
        instances = tuple(self._wanted.instances.values())
        if together:
            for instance in instances:
                self._make_instance(instance)
                self._walk(instance, tuple(step for group in steps for step in group), one_by_one=True)
        else:
            for instance in instances:
                self._make_instance(instance)
                self._free_identifiers(instance)
                for database in instance.databases.values():
                    self._database(instance, database)
            for group in steps:
                for instance in instances:
                    self._walk(instance, group)
        self._finish(instances)

    def _walk(self, instance: Instance, steps: Iterable[Step], *, one_by_one: bool = False) -> None:
        if one_by_one:
            for database in instance.databases.values():
                for step in steps:
                    self._step(instance, database, step)
            return
        for step in steps:
            for database in instance.databases.values():
                self._step(instance, database, step)

    def _step(self, instance: Instance, wanted: Database, step: Step) -> None:
        draft = self._database(instance, wanted)
        self._here = (instance.name, draft)
        step(draft, wanted)

    def _go(self) -> None:
        """Goes where the next line belongs; nothing is written for what has no changes."""
        name, database = self._here
        self.output.at_instance(name)
        self.output.at_database(database)

    def _run(self, statement: Statement | None) -> bool:
        if statement is None:
            return False
        self._go()
        return self.output.run(statement)

    def _tell(self, **content: Any) -> None:
        self._go()
        self.output.tell(**content)

    # ------------------------------------------------------------ instances

    def _make_instance(self, wanted: Instance) -> None:
        output = self.output
        draft = output.draft.instances.exactly(wanted.name)
        if draft is None:
            draft = output.at_instance(wanted.name)
        self._make_endpoint(draft, wanted)
        rest: dict[str, Any] = {}
        if draft.forwarding != wanted.forwarding:
            rest["forwarding"] = wanted.forwarding
        if draft.endpoint != wanted.endpoint:
            rest["endpoint"] = row_as_json(wanted.endpoint) if wanted.endpoint else None
        addresses = [address.text for address in wanted.addresses]
        if _addresses(replace(draft, endpoint=wanted.endpoint)) != addresses:
            rest["addresses"] = addresses
        if rest:
            output.at_instance(wanted.name)
            output.tell(instance=rest)

    def _make_endpoint(self, draft: DraftInstance, wanted: Instance) -> None:
        if draft.endpoint == wanted.endpoint and (draft.endpoint is None or draft.forwarding == wanted.forwarding):
            return
        self.output.at_instance(wanted.name)
        name = draft.endpoint_name or DEFAULT_ENDPOINT
        if wanted.endpoint is None:
            self.output.run(Statement(DROP, ENDPOINT, (name,)))
        else:
            verb = CREATE if draft.endpoint is None else ALTER
            self.output.run(endpoint_statement(verb, name, wanted.endpoint, forwarding=wanted.forwarding))

    def _database(self, instance: Instance, wanted: Database) -> DraftDatabase:
        """The draft of a database; made where it is not there."""
        databases = self.output.draft.instance(instance.name, exactly=True).databases
        draft = databases.exactly(wanted.name)
        if draft is None or not draft.listed:
            self.output.at_instance(instance.name)
            self._make_database(wanted.name, is_free=databases.find(wanted.name) is None)
            draft = databases.exactly(wanted.name)
            assert draft is not None
        return draft

    def _make_database(self, name: str, *, is_free: bool) -> None:
        output = self.output
        if is_free and name in SYSTEM_DATABASES and name not in UNLISTED:
            made = output.run(Statement(USE, DATABASE, (name,)))
        else:
            made = name not in SYSTEM_DATABASES and output.run(Statement(CREATE, DATABASE, (name,)))
        if not made:
            output.tell(database={"name": name})

    # ------------------------------------------------------------ identity of databases

    def _free_identifiers(self, wanted: Instance) -> None:
        """Databases that are to go give theirs to those that stay."""
        needed = {database.broker_instance for database in wanted.databases.values()}
        for database in list(self.output.draft.instance(wanted.name, exactly=True).databases):
            if database.name not in wanted.databases and database.broker_instance in needed - {None}:
                self.output.at_instance(wanted.name)
                self.output.tell(database={"name": database.name, "broker_instance": None})

    def _identify_before(self, draft: DraftDatabase, wanted: Database) -> None:
        """What must be out of the way before identifiers are given: two enabled brokers cannot share one."""
        if draft.broker_enabled and not wanted.broker_enabled:
            self._switch(draft, "DISABLE_BROKER")
        if draft.broker_instance not in (None, wanted.broker_instance):
            self._tell(database={"broker_instance": None})

    def _identify(self, draft: DraftDatabase, wanted: Database) -> None:
        rest: dict[str, Any] = {}
        for key in ("broker_instance", "mirroring_role"):
            if getattr(draft, key) != getattr(wanted, key):
                rest[key] = getattr(wanted, key)
        if rest:
            self._tell(database=rest)
        if wanted.broker_enabled and not draft.broker_enabled:
            self._switch(draft, "ENABLE_BROKER")

    def _switch(self, draft: DraftDatabase, option: str) -> None:
        if not self._run(Statement(ALTER, DATABASE, (draft.name,), {BROKER: option})):
            self._tell(database={"broker_enabled": option == "ENABLE_BROKER"})

    # ------------------------------------------------------------ objects

    def _add_objects(self, draft: DraftDatabase, wanted: Database) -> None:
        for kind in _NEW:
            self._add(kind, draft, wanted)

    def _add_rest(self, draft: DraftDatabase, wanted: Database) -> None:
        for kind in _REST:
            self._add(kind, draft, wanted)

    def _add(self, kind: str, draft: DraftDatabase, wanted: Database) -> None:
        catalog = draft.catalog(KINDS[kind])
        members = _members(kind, wanted)
        for member in members.values():
            before = catalog.exactly(member.name)
            if before is None:
                self._make_room(kind, catalog, member, members)
                self._run(creation(kind, member, self.output.at))
            elif not _same(before, member):
                self._change(kind, draft, before, member)

    def _make_room(self, kind: str, catalog: Catalog[Any], member: Any, members: dict[str, Any]) -> None:
        """Drops what is in the way, if it is to go: the same name in other letters, a binding of the same service."""
        there = catalog.find(member.name)
        rivals = [there] if there is not None else []
        if kind == BINDING:
            rivals += [one for one in catalog if one.remote_service_name == member.remote_service_name]
        for rival in rivals:
            if rival.name not in members and rival.name in catalog:
                self._run(removal(kind, rival.name))

    def _change(self, kind: str, draft: DraftDatabase, before: Any, member: Any) -> None:
        if self._run(alteration(kind, before, member, self.output.at)):
            return
        if kind == CONTRACT:
            self._change_contract(draft, member)
        elif kind in (ROUTE, BINDING):
            self._make_again(kind, draft, before, member)

    def _make_again(self, kind: str, draft: DraftDatabase, before: Any, member: Any) -> None:
        """Drop and create, where ALTER cannot say it; only if the product would make it."""
        made = creation(kind, member, self.output.at)
        if made is None or not is_possible(draft, made, self.output.at):
            return
        if self._run(removal(kind, before.name)):
            self._run(made)

    def _change_contract(self, draft: DraftDatabase, contract: Contract) -> None:
        """No statement alters a contract: the services let go of it, and take it again."""
        made = creation(CONTRACT, contract, self.output.at)
        if made is None or any(priority.contract_name == contract.name for priority in draft.priorities):
            return
        users = [service for service in draft.services if contract.name in service.contracts]
        for service in users:
            self._run(Statement(ALTER, SERVICE, (service.name,), {"DROP CONTRACT": (contract.name,)}))
        if self._run(removal(CONTRACT, contract.name)):
            self._run(made)
        for service in users:
            self._run(Statement(ALTER, SERVICE, (service.name,), {"ADD CONTRACT": (contract.name,)}))

    def _change_routes(self, draft: DraftDatabase, wanted: Database) -> None:
        self._add(ROUTE, draft, wanted)
        self._drop(ROUTE, draft, wanted)

    def _drop_objects(self, draft: DraftDatabase, wanted: Database) -> None:
        for kind in _GONE:
            self._drop(kind, draft, wanted)

    def _drop(self, kind: str, draft: DraftDatabase, wanted: Database) -> None:
        members = _members(kind, wanted)
        for name in draft.catalog(KINDS[kind]).names:
            if name not in members:
                self._run(removal(kind, name))

    # ------------------------------------------------------------ what is left

    def _complete(self, draft: DraftDatabase, wanted: Database) -> None:
        """Says what no statement could: rows that differ still, and their order."""
        for kind, catalog_name in KINDS.items():
            catalog, members = draft.catalog(catalog_name), _members(kind, wanted)
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

    def _finish(self, instances: tuple[Instance, ...]) -> None:
        output = self.output
        for instance in instances:
            draft = output.draft.instance(instance.name, exactly=True)
            self._drop_databases(draft, instance)
            listed = [database.name for database in draft.databases if database.listed]
            if order := moves(listed, list(instance.databases)):
                output.at_instance(instance.name)
                output.tell(place={"databases": order})
        self._finish_estate([instance.name for instance in instances])

    def _drop_databases(self, draft: DraftInstance, wanted: Instance) -> None:
        """Never as a statement: it would take the messages along."""
        for name in [database.name for database in draft.databases if database.listed]:
            if name not in wanted.databases:
                self.output.at_instance(wanted.name)
                self.output.tell(drop={"database": name})

    def _finish_estate(self, names: list[str]) -> None:
        output = self.output
        gone = [name for name in output.draft.instances.names if name not in names]
        for name in gone:
            output.tell_anywhere(drop={"instance": name})
        if order := moves(output.draft.instances.names, names):
            output.tell_anywhere(place={"instances": order})
        if output.draft.hop_limit != self._wanted.hop_limit:
            output.tell_anywhere(hop_limit=self._wanted.hop_limit)


def _members(kind: str, wanted: Database) -> dict[str, Any]:
    if kind == ROUTE:
        return wanted.table.routes
    return {member.name: member for member in getattr(wanted, KINDS[kind])}


def _same(one: Any, other: Any) -> bool:
    """Equal, and written in the same way: addresses that mean the same may be spelt differently."""
    return bool(one == other and (not hasattr(one, "address") or row_as_json(one) == row_as_json(other)))


def _addresses(draft: DraftInstance) -> list[str] | None:
    """As reading would leave them; None where it would ask for one."""
    if draft.addresses is not None:
        return [address.text for address in draft.addresses]
    derived = draft.derived_address()
    return [derived.text] if derived else None
