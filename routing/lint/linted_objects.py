"""A database with its instance, a route with its database, findings about each, and questions of several checks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from routing.common.finding import Finding
from routing.common.names import MSDB
from routing.common.sentence import Sentence
from routing.model.estate import Database, Instance
from routing.model.route import Route
from routing.rules.decision import DELAYED, DROPPED, ROUTE_REQUESTED, Outcome


class HostedDatabase(NamedTuple):
    """A database and its instance."""

    instance: Instance
    database: Database


class LintedRoute(NamedTuple):
    """A row of `sys.routes`, with its instance and database."""

    instance: Instance
    database: Database
    route: Route

    def finding(self, code: str, severity: str, reason: Sentence, remedy: str | None = None) -> Finding:
        return Finding(
            code, severity, self.instance.name, self.database.name, self.route.name, reason, remedy_sql=remedy
        )

    @property
    def begins_in(self) -> str | None:
        """The database whose conversations the route is for; None (in msdb): messages from outside."""
        return None if self.database.name == MSDB else self.database.name


def is_like_any(here: Instance, database: str | None, service: str) -> bool:
    """True if a table treats a service name, with any identifier, like a name that occurs nowhere.

    It has no route for the name, no database of the instance can be its target, and no route without a name reads the
    service name (CHOOSE-4) or depends on its principal (MIR).
    """
    table = here.tables[database]
    if service in table.named or service in here.targets:
        return False
    return not (table.wildcard.transport or table.wildcard.mirrored)


def lost(ends: Collection[Outcome]) -> bool:
    """True if every outcome loses or delays the message. A requested route may still arrive (MATCH-4), so that is no
    loss."""
    return all(end.kind in (DELAYED, DROPPED) and end.detail != ROUTE_REQUESTED for end in ends)


def few(names: Sequence[str], most: int = 3) -> tuple[str, ...]:
    """The first `most` names, and an ellipsis if there are more."""
    return tuple(names) if len(names) <= most else (*names[:most], "…")


def instance_finding(
    code: str, severity: str, instance: Instance, reason: Sentence, remedy: str | None = None
) -> Finding:
    """A finding about an instance itself."""
    return Finding(code, severity, instance.name, None, instance.name, reason, remedy_sql=remedy)


def database_finding(
    code: str, severity: str, held: HostedDatabase, reason: Sentence, remedy: str | None = None
) -> Finding:
    """A finding about a database itself."""
    return Finding(
        code, severity, held.instance.name, held.database.name, held.database.name, reason, remedy_sql=remedy
    )
