"""The sentences that an answer may hang on statements of the import that the estate lacks."""

from __future__ import annotations

from collections.abc import Iterator

from routing.common.names import MSDB
from routing.common.sentence import Sentence, listed, say_counted
from routing.lint.missing_statements import named
from routing.model.estate import Estate
from routing.model.missing_statement import MissingStatement
from routing.rules.explanation import Explanation

_OF_ONE_DATABASE = frozenset(("ROUTE",))
"""Kinds of objects that only the database asked decides by; all others concern the whole instance."""


def missing_here(explanation: Explanation, estate: Estate) -> tuple[Sentence, ...]:
    """A sentence for each instance on the ways whose missing statements could change the answer."""
    places: dict[str, set[str]] = {}
    for journey in (explanation.forward, *(back.journey for back in explanation.returns)):
        for hop in journey.hops:
            places.setdefault(hop.instance, set()).add((hop.database or MSDB).casefold())
    return tuple(_sentences(estate, places))


def _sentences(estate: Estate, places: dict[str, set[str]]) -> Iterator[Sentence]:
    for name, databases in places.items():
        instance = estate.instances.get(name)
        missing = instance.missing_statements if instance else ()
        concerned = [one for one in missing if _concerns(one, databases)]
        if concerned:
            yield say_counted(
                len(concerned),
                "{count} statement of the scripts of {instance} is missing in this estate, {which}; this answer may be"
                " another one with it.",
                "{count} statements of the scripts of {instance} are missing in this estate, the first is {which}; this"
                " answer may be another one with them.",
                instance=name,
                which=named(concerned[0]),
            )


def missing_anywhere(estate: Estate) -> Iterator[Sentence]:
    """One sentence about all instances whose scripts have statements that the estate lacks; none where it has all."""
    found = {name: one.missing_statements for name, one in estate.instances.items() if one.missing_statements}
    if found:
        yield say_counted(
            sum(map(len, found.values())),
            "{count} statement of the scripts of {instances} is missing in this estate, {which}; answers about"
            " conversations there may be others with it.",
            "{count} statements of the scripts of {instances} are missing in this estate, the first is {which}; answers"
            " about conversations there may be others with them.",
            instances=listed(tuple(found)),
            which=named(next(iter(found.values()))[0]),
        )


def _concerns(missing: MissingStatement, databases: set[str]) -> bool:
    kind = (missing.statement or "").partition(" ")[2]
    return kind not in _OF_ONE_DATABASE or missing.database is None or missing.database.casefold() in databases
