"""Follows which objects one script makes, and drops again before it ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from routing.common.finding import Finding
from routing.common.sentence import say
from routing.tsql.draft import folded
from routing.tsql.refusal import DROPPED_AGAIN, SEVERITY
from routing.tsql.statement import CREATE, DATABASE, DROP, Statement

_DROPS = re.compile(r"\bdrop\b", re.IGNORECASE)
Place = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class _Key:
    kind: str
    place: Place
    folded_name: str


class ObjectLives:
    """The lines at which the objects of one script are made and dropped."""

    def __init__(self, text: str) -> None:
        self._is_needed = _DROPS.search(text) is not None
        """False for a script that drops nothing: then nothing is kept."""
        self._made: dict[_Key, int] = {}
        self._dropped: dict[_Key, tuple[str, str, int, int]] = {}
        """By object: its name, the file, and the lines at which it was made and dropped."""

    @property
    def is_needed(self) -> bool:
        return self._is_needed

    def applied(self, statement: Statement, place: Place, file: str, line: int) -> None:
        """A statement at this line took effect."""
        if statement.verb not in (CREATE, DROP):
            return
        names = statement.clauses.get("NAMES") if statement.kind == DATABASE else None
        for name in names or (statement.object,):
            key = _Key(statement.kind, place, folded(statement.kind, name))
            if statement.verb == CREATE:
                self._made[key] = line
                self._dropped.pop(key, None)
            elif (made := self._made.pop(key, None)) is not None:
                self._dropped[key] = (name, file, made, line)

    def findings(self) -> Iterator[Finding]:
        """A remark for each object that the script leaves dropped; those of a dropped database go with it."""
        for key, (name, file, made, dropped) in self._dropped.items():
            reason = say(
                'the {kind} "{name}" is made at line {made} and dropped at line {dropped}: the estate is as after the'
                " whole script. To see it with the {kind}, import the script without the DROP",
                kind=key.kind.lower(),
                name=name,
                made=made,
                dropped=dropped,
            )
            instance, database = key.place
            yield Finding(
                DROPPED_AGAIN, SEVERITY[DROPPED_AGAIN], instance, database, name, reason, file=file, line=dropped
            )
