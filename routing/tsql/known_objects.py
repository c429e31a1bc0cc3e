"""Tells whether an object is there while a script runs: yes, no, or not known from what the scripts say."""

from __future__ import annotations

import re

from routing.common.sentence import Sentence, say
from routing.tsql.draft import KINDS, SYSTEM_DATABASES, DraftDatabase
from routing.tsql.growth import SqlcmdVariables
from routing.tsql.lexer import substituted
from routing.tsql.session import ScriptSession
from routing.tsql.statement import DATABASE, DEFAULT_SCHEMA, ENDPOINT, QUEUE

_DATABASES = re.compile(r"\b(use|create\s+database)\s+(\[[^\]\n]{1,300}\]|[\w$@#()-]{1,300})", re.IGNORECASE)
MAX_SCANNED_QUEUES = 1_000
"""In a database with more queues, one of another schema than dbo is not looked for."""


class KnownObjects:
    """The objects as they are at the current statement of one script."""

    def __init__(self, text: str, session: ScriptSession, variables: SqlcmdVariables) -> None:
        self._text = text
        self._session = session
        self._variables = variables
        self._used: set[str] | None = None
        """Databases that the script uses and does not create, by folded name."""

    def is_there(self, kind: str, name: str, database: str | None = None) -> bool | None:
        """Whether the object is there; `database` is the one in use unless it is named. None: not known."""
        if kind == DATABASE:
            return self._has_database(name)
        if kind == ENDPOINT:
            return self._has_endpoint(name)
        place = self.database(database)
        return None if place is None else _has(place, kind, name)

    def database(self, name: str | None) -> DraftDatabase | None:
        """The database of this name, or the one in use, if the scripts know it."""
        if name:
            return self._session.instance.databases.find(name)
        return self._session.database if self._session.is_named else None

    def _has_database(self, name: str) -> bool | None:
        databases = self._session.instance.databases
        if databases.find(name) is not None or name.casefold() in SYSTEM_DATABASES:
            return True
        if databases.had(name):
            return False
        return None if name.casefold() in self._only_used() else False

    def _only_used(self) -> set[str]:
        if self._used is None:
            names: dict[str, set[str]] = {"use": set(), "create": set()}
            for match in _DATABASES.finditer(self._text):
                bare = match[2][1:-1] if match[2][0] == "[" else match[2]
                names[match[1].split()[0].lower()].add(substituted(bare, self._variables).casefold())
            self._used = names["use"] - names["create"]
        return self._used

    def _has_endpoint(self, name: str) -> bool | None:
        instance = self._session.instance
        if name.casefold() in instance.other_endpoints:
            return True
        if instance.endpoint is None:
            return False
        if instance.endpoint_name is None:
            return None
        return instance.endpoint_name.casefold() == name.casefold()


def _has(place: DraftDatabase, kind: str, name: str) -> bool | None:
    if kind == QUEUE and "." not in name:
        return _has_queue(place, name)
    if place.catalog(KINDS[kind]).find(name) is not None:
        return True
    return None if place.may_hold(kind, name) else False


def _has_queue(place: DraftDatabase, name: str) -> bool | None:
    """A queue of this name in any schema."""
    if place.queues.find(f"{DEFAULT_SCHEMA}.{name}") is not None:
        return True
    if place.may_hold(QUEUE, name) or len(place.queues) > MAX_SCANNED_QUEUES:
        return None
    ending = f".{name}".casefold()
    return any(queue.name.casefold().endswith(ending) for queue in place.queues)


def fact(kind: str, name: str, *, is_there: bool) -> Sentence:
    """Return the sentence for the known objects."""
    if is_there:
        return say('the {kind} "{name}" is there', kind=kind.lower(), name=name)
    return say('the {kind} "{name}" is not there, since nothing before it makes it', kind=kind.lower(), name=name)
