"""A connection of a script: its instance and current database, and statements about whole databases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from routing.common.finding import ERROR, INFO
from routing.common.sentence import say
from routing.model.estate import MIRROR, PRINCIPAL
from routing.tsql.draft import (
    KINDS,
    SYSTEM_DATABASES,
    DraftDatabase,
    DraftInstance,
    EstateDraft,
)
from routing.tsql.endpoints import apply_to_endpoint
from routing.tsql.objects import apply_to_database
from routing.tsql.refusal import (
    NO_USE,
    NOT_EXECUTED,
    NOT_UNDERSTOOD,
    ROLE_UNKNOWN,
    VALUE_NOT_LITERAL,
    NotApplied,
    already_exists,
    not_found,
    refused,
)
from routing.tsql.servers import (
    ATTACHED,
    BROKER,
    CURRENT,
    HONORED,
    NEW_NAME,
    PARTNER,
    SNAPSHOT,
    WITNESS,
)
from routing.tsql.statement import CREATE, DATABASE, DROP, ENDPOINT, QUEUE, USE, Statement

MASTER = "master"
"""The database in which a connection begins, unless its login says otherwise."""
_MADE, _SOUGHT = "made", "sought"
_USE = say("put `USE [database]` and `GO` first, or say its database where you name the script")
_NO_CONVERSATIONS = say(
    "ERROR_BROKER_CONVERSATIONS enables the broker, and no more here: an import ends no conversations. For a database"
    " that is hosted here, `brokerui broker error-conversations HOST/DB` ends them with an error"
)
_ONLY_ON_PRINCIPAL = frozenset(("SAFETY", "TIMEOUT"))
"""Options of `SET PARTNER` that SQL Server accepts on the principal only."""


@dataclass(slots=True)
class ScriptSession:
    """One connection. A new one is in master by default."""

    draft: EstateDraft
    instance: DraftInstance
    at: datetime
    database: DraftDatabase | None
    """None: a USE named a database that could not be read."""
    is_named: bool = False
    """True if a statement named the current database."""
    variables: dict[str, str] = field(default_factory=dict)
    """The sqlcmd variables, by name in lower case. They stay set when another connection is opened."""
    reported: set[str] = field(default_factory=set)
    """The kinds of statements (creating, searching) for which its absence was reported."""

    def apply(self, statement: Statement) -> list[NotApplied]:
        """Apply a statement; raises `NotApplied`, having changed nothing. Returns notes about the applied statement."""
        if statement.kind == DATABASE:
            return self._database(statement)
        if statement.kind == ENDPOINT:
            apply_to_endpoint(self.instance, statement)
            return []
        database = self._target(statement)
        notes = apply_to_database(database, statement, self.at)
        if database is self.database and self._to_tell(_MADE):
            problem = say(
                "no USE stands before it, so it belongs to master, where connections begin: {what}", what=_USE
            )
            notes.append(NotApplied(NO_USE, problem))
        return notes

    def unsaid(self, statement: Statement) -> NotApplied | None:
        """The note, once, that an object may not have been found because no USE named the database."""
        if statement.kind not in KINDS or self._target(statement) is not self.database or not self._to_tell(_SOUGHT):
            return None
        problem = say(
            "no USE stands before it, so it was looked for in master, where connections begin: {what}", what=_USE
        )
        return NotApplied(NO_USE, problem)

    def _to_tell(self, what: str) -> bool:
        """True, once, if no USE named the database."""
        if self.is_named or what in self.reported:
            return False
        self.reported.add(what)
        return True

    def _target(self, statement: Statement) -> DraftDatabase:
        if statement.kind == QUEUE and len(statement.name) == 3 and statement.name[0]:
            return self.instance.database(statement.name[0])
        if self.database is None:
            raise NotApplied(VALUE_NOT_LITERAL, say("the database of the last USE could not be read"))
        return self.database

    def connect(self, instance: DraftInstance, *, is_named: bool) -> None:
        """Open another connection; `is_named`: a statement named its database."""
        self.instance = instance
        self.database = instance.database(MASTER)
        self.is_named, self.reported = is_named, set()

    def use(self, database: DraftDatabase | None) -> None:
        self.database = database
        self.is_named = True

    def _database(self, statement: Statement) -> list[NotApplied]:
        name = statement.name[0]
        if statement.verb == USE:
            self.use(self.instance.database(name))
        elif statement.verb == CREATE:
            _create_database(self.instance, statement)
        elif statement.verb == DROP:
            self._drop_databases(statement)
        else:
            return self._alter_database(statement)
        return []

    def _drop_databases(self, statement: Statement) -> None:
        names = statement.clauses["NAMES"]
        found = [self.instance.databases.find(name) for name in names]
        for name, database in zip(names, found, strict=True):
            if name.casefold() in SYSTEM_DATABASES:
                raise refused(3708, say('"{name}" is a system database', name=name))
            if database is None and not statement.clauses["IF EXISTS"]:
                raise not_found(DATABASE, name)
            if database is not None and database is self.database:
                raise refused(3702, say('the database "{name}" is in use', name=name))
        for database in found:
            if database is not None and database.name in self.instance.databases:
                self.instance.databases.drop(database.name)

    def _alter_database(self, statement: Statement) -> list[NotApplied]:
        database, clauses = self._named(statement.name[0]), statement.clauses
        if BROKER in clauses:
            _set_broker(self.instance, database, clauses[BROKER])
        if NEW_NAME in clauses:
            _rename(self.instance, database, clauses[NEW_NAME])
        notes = _set_mirroring(database, clauses)
        if clauses.get(BROKER) == "ERROR_BROKER_CONVERSATIONS":
            notes.append(NotApplied(NOT_EXECUTED, _NO_CONVERSATIONS))
        if HONORED in clauses:
            problem = say("an estate has no place for {option}, which is left out", option=f"{HONORED} ON")
            notes.append(NotApplied(NOT_UNDERSTOOD, problem, INFO))
        return notes

    def _named(self, name: str) -> DraftDatabase:
        if name.upper() != CURRENT:
            return self.instance.database(name)
        if self.database is None:
            raise NotApplied(VALUE_NOT_LITERAL, say("the database of the last USE could not be read"))
        if not self.is_named:
            problem = say("no USE stands before it, and connections begin in master: {what}", what=_USE)
            raise NotApplied(NO_USE, problem, ERROR)
        return self.database


# ---------------------------------------------------------------- databases


def _create_database(instance: DraftInstance, statement: Statement) -> None:
    name, clauses = statement.name[0], statement.clauses
    if SNAPSHOT in clauses:
        return  # a copy to read, without a broker
    if instance.databases.find(name) is not None or name.casefold() in SYSTEM_DATABASES:
        raise already_exists(DATABASE, name)
    made = instance.new_database(name)
    # An attached database keeps its broker as it was, switched off unless the statement says otherwise.
    made.broker_enabled = clauses.get(BROKER, "DISABLE_BROKER" if ATTACHED in clauses else "") != "DISABLE_BROKER"
    instance.databases.put(made)


def _set_broker(instance: DraftInstance, database: DraftDatabase, option: str) -> None:
    if option == "DISABLE_BROKER":
        database.broker_enabled = False
    elif option == "NEW_BROKER":
        database.broker_instance, database.broker_enabled = None, True
    else:
        check_identifier(instance, database, database.broker_instance)
        database.broker_enabled = True
    database.listed = True


def check_identifier(instance: DraftInstance, database: DraftDatabase, identifier: str | None) -> None:
    """Error 9772: two enabled brokers of one instance cannot share an identifier."""
    for other in instance.identified.get(identifier or "", ()):
        same = other.broker_instance == identifier and instance.databases.exactly(other.name) is other
        if same and other is not database and other.broker_enabled and other.listed:
            problem = say('the database "{other}" has an enabled broker with the same identifier', other=other.name)
            raise refused(9772, problem)


def _rename(instance: DraftInstance, database: DraftDatabase, name: str) -> None:
    there = instance.databases.find(name)
    if there is not None and there is not database:
        raise already_exists(DATABASE, there.name)
    before, database.name = database.name, name
    instance.databases.rename(before, database)


def _set_mirroring(database: DraftDatabase, clauses: Mapping[str, Any]) -> list[NotApplied]:
    """The role that SET PARTNER implies: SQL Server accepts some of its forms on one partner only."""
    word = clauses.get(PARTNER)
    if word == "OFF":
        database.mirroring_role = None
    elif word == "FAILOVER":
        database.mirroring_role = MIRROR  # only the principal can give the role away
    elif word == "FORCE_SERVICE_ALLOW_DATA_LOSS" or word in _ONLY_ON_PRINCIPAL or clauses.get(WITNESS) == "=":
        database.mirroring_role = PRINCIPAL
    elif word == "=" and database.mirroring_role is None:
        problem = say('the database "{name}" is mirrored; the script does not say in which role', name=database.name)
        return [NotApplied(ROLE_UNKNOWN, problem)]
    return []
