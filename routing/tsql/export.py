"""Writes T-SQL that creates an estate, or that turns one estate into another.

A change is ordered so that no message is lost in between: first new objects, then the routes to them, then drops of
unused objects. Changes that T-SQL has no statement for are written as directives of BrokerUI.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from routing.model.estate import Database, Estate, Instance
from routing.tsql.changes import DatabaseChange
from routing.tsql.ddl_writer import endpoint_statement
from routing.tsql.directives import row_as_json
from routing.tsql.draft import SYSTEM_DATABASES, UNLISTED, DraftDatabase, DraftInstance, EstateDraft
from routing.tsql.endpoints import DEFAULT_ENDPOINT
from routing.tsql.ordering import moves
from routing.tsql.output import Output
from routing.tsql.statement import (
    ALTER,
    CREATE,
    DATABASE,
    DROP,
    ENDPOINT,
    USE,
    Statement,
)

HEADING = "-- Lines that begin with `-- brokerui:` hold what T-SQL cannot say; `brokerui import-sql` reads them."
Step = Callable[[DatabaseChange], None]
STEPS: tuple[tuple[Step, ...], ...] = (
    (DatabaseChange.identify_before, DatabaseChange.identify),
    (DatabaseChange.add_objects,),
    (DatabaseChange.change_routes, DatabaseChange.add_rest),
    (DatabaseChange.drop_objects, DatabaseChange.complete),
)
"""Each group of steps is done in every instance before the next group."""


def export_sql(estate: Estate, *, since: Estate | None = None, instance: str | None = None, at: datetime) -> str:
    """The script. Reading it into `since`, or into nothing, at the time `at` gives the estate.

    `instance`: only this instance, as a script to be run on it.
    """
    if instance is not None:
        estate = _only(estate, instance)
        since = _only(since, instance) if since else None
    export = _Export(Output(EstateDraft(since), at, named=instance is None), estate)
    export.write(together=since is None)
    return f"{HEADING}\n{export.output.text}"


def _only(estate: Estate, name: str) -> Estate:
    return replace(estate, instances={n: i for n, i in estate.instances.items() if n == name})


class _Export:
    def __init__(self, output: Output, wanted: Estate) -> None:
        self.output = output
        self._wanted = wanted

    def write(self, *, together: bool) -> None:
        """`together`: instance by instance, for reading; else step by step through all instances."""
        instances = tuple(self._wanted.instances.values())
        if together:
            for instance in instances:
                self._make_instance(instance)
                self._walk(instance, tuple(step for group in STEPS for step in group), one_by_one=True)
        else:
            for instance in instances:
                self._make_instance(instance)
                self._free_identifiers(instance)
                for database in instance.databases.values():
                    self._database(instance, database)
            for group in STEPS:
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
        step(DatabaseChange(self.output, instance.name, draft, wanted))

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
        if tuple(draft.missing) != wanted.missing_statements:
            rest["missing_statements"] = [row_as_json(one) for one in wanted.missing_statements]
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
        """The draft of a database; created if it does not exist."""
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
        """Free the identifiers of databases that are to go, for those that stay."""
        needed = {database.broker_instance for database in wanted.databases.values()}
        for database in list(self.output.draft.instance(wanted.name, exactly=True).databases):
            if database.name not in wanted.databases and database.broker_instance in needed - {None}:
                self.output.at_instance(wanted.name)
                self.output.tell(database={"name": database.name, "broker_instance": None})

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
        """Drop databases by directive only: DROP DATABASE would delete their messages."""
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


def _addresses(draft: DraftInstance) -> list[str] | None:
    """The addresses as reading them back gives them; None if reading would need one."""
    if draft.addresses is not None:
        return [address.text for address in draft.addresses]
    derived = draft.derived_address()
    return [derived.text] if derived else None
