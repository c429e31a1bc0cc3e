"""The effects of CREATE, ALTER and DROP on the objects of one database, with SQL Server's checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from routing.common.errors import Invalid
from routing.common.finding import INFO
from routing.common.names import SYSNAME_CHARS, SYSTEM_SERVICES
from routing.common.sentence import say
from routing.tsql.draft import KINDS, DraftDatabase, folded
from routing.tsql.effects import altered_object, created_object
from routing.tsql.references import ReferenceChecker, missing
from routing.tsql.refusal import NOT_FOUND, NotApplied, already_exists, not_found, refused, unseen
from routing.tsql.shipped import is_shipped
from routing.tsql.statement import (
    ALTER,
    CONTRACT,
    CREATE,
    MESSAGE_TYPE,
    PRIORITY,
    QUEUE,
    SERVICE,
    Statement,
)


def apply_to_database(database: DraftDatabase, statement: Statement, at: datetime) -> list[NotApplied]:
    """Apply a statement; raises `NotApplied`, having changed nothing. Returns notes about the applied statement."""
    kind, needs = statement.kind, ReferenceChecker(database)
    catalog = database.catalog(KINDS[kind])
    name = statement.object
    _check_length(statement)
    found = catalog.find(name)
    if kind == SERVICE and name in SYSTEM_SERVICES:
        raise _refused_system_service(statement.verb, name)
    if statement.verb == CREATE:
        if found is not None:
            raise already_exists(kind, found.name)
        _put(database, kind, created_object(needs, statement, at))
    elif found is None:
        _refuse_missing(database, statement.verb, kind, name)
    elif statement.verb == ALTER:
        _put(database, kind, altered_object(needs, found, statement, at))
    else:
        _check_unused(database, kind, found.name)
        catalog.drop(found.name)
    return needs.notes


def _refused_system_service(verb: str, name: str) -> NotApplied:
    """Return the refusal of a service that SQL Server itself creates in every database."""
    if verb == CREATE:
        return already_exists(SERVICE, name)
    return refused(15151, say("SQL Server itself creates this service in every database: it cannot be edited"))


def _put(database: DraftDatabase, kind: str, member: Any) -> None:
    database.catalog(KINDS[kind]).put(member)
    database.listed = True
    if kind == QUEUE and database.awaited:
        for name in database.awaited.pop(member.name.casefold(), ()):
            service = database.services.find(name)
            if service is not None and (service.queue or "").casefold() == member.name.casefold():
                database.services.put(replace(service, queue=member.name))


def _refuse_missing(database: DraftDatabase, verb: str, kind: str, name: str) -> None:
    """Raise for an object that does not exist; an unknown object cannot be altered."""
    problem = missing(database, kind, name)
    if is_shipped(database.name, name):
        problem = say("every {database} has it; an estate leaves it out", database=database.name)
        raise NotApplied(NOT_FOUND, problem, INFO)
    if not database.may_hold(kind, name):
        raise not_found(kind, name, problem)
    if verb != ALTER:
        _check_unused(database, kind, name)
    raise unseen(verb, problem)


def is_possible(database: DraftDatabase, statement: Statement, at: datetime) -> bool:
    """True if CREATE would succeed with the objects known to exist, apart from one of the same name."""
    needs = ReferenceChecker(database)
    try:
        _check_length(statement)
        created_object(needs, statement, at)
    except (NotApplied, Invalid):
        return False
    return not needs.notes


def _check_length(statement: Statement) -> None:
    for part in statement.name:
        if len(part) > SYSNAME_CHARS:
            raise refused(103, say("a name is longer than {limit} characters", limit=SYSNAME_CHARS))


def _names(kind: str) -> str:
    """The name of a kind in a sentence about references."""
    return {SERVICE: "service", CONTRACT: "contract", PRIORITY: "broker priority"}[kind]


# ---------------------------------------------------------------- what uses what


def _check_unused(database: DraftDatabase, kind: str, name: str) -> None:
    """Error 3716: an object that others refer to cannot be dropped."""
    for other in _USERS.get(kind, ()):
        for member in database.catalog(KINDS[other]).users(kind, folded(kind, name)):
            problem = say(
                'the {kind} "{name}" is bound to the {other} "{user}"',
                kind=kind.lower(),
                name=name,
                other=_names(other),
                user=member.name,
            )
            raise refused(3716, problem)


_USERS: Mapping[str, tuple[str, ...]] = {
    QUEUE: (SERVICE,),
    CONTRACT: (SERVICE, PRIORITY),
    MESSAGE_TYPE: (CONTRACT,),
    SERVICE: (PRIORITY,),
}
"""By kind: the kinds of objects that refer to one."""
