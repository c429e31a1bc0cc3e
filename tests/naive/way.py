"""The whole way of a message: RT-REPLY, RT-STEPS at each place, and all the ends."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from tests.naive.choosing import choosing
from tests.naive.matching import matching
from tests.naive.message import (
    Here,
    Json,
    Outcome,
    Question,
    Result,
    can_be_target,
    database_named,
    databases_of,
    delivered,
    failed,
    identifier_of,
)
from tests.naive.values import parse_guid

DEFAULT_HOP_LIMIT = 10
GOODNESS = ("delivered", "exits", "delayed", "dropped")  # best first


def reply_targets(question: Question, here: Here) -> list[Json] | None:
    """RT-REPLY: of the databases here with the identifier that a reply from outside
    carries, those that can be its target; None where the rule does not apply."""
    if not (here.from_outside and question.is_reply and question.identifier):
        return None
    databases = databases_of(question.instance(here.instance))
    named = [one for one in databases if identifier_of(one) == question.identifier]
    return [one for one in named if can_be_target(one, question.service)] if named else None


def route_here(question: Question, here: Here) -> list[Result]:
    """RT-STEPS at one place: everything that can become of the message next."""
    targets = reply_targets(question, here)
    if targets is not None:
        found: list[Result] = [delivered(here, database) for database in targets]
        return found or [failed(here, "service_not_found")]
    groups = matching(question, here)
    if isinstance(groups, str):
        return [failed(here, groups)]
    return [result for group in groups for result in choosing(question, here, group)]


def start(question: Question, origin: Json) -> Here:
    """Where the conversation enters, with hop_limit hops remaining (LOOP-1).

    An unknown instance or database is bad input (KeyError); msdb is always there.
    """
    hops = question.estate.get("hop_limit", DEFAULT_HOP_LIMIT)
    if "outside" in origin:
        return Here(question.instance(origin["outside"])["name"], None, hops)
    instance, database = question.instance(origin["instance"]), origin["database"]
    if database != "msdb" and database_named(instance, database) is None:
        raise KeyError(f"no database {database!r} in {instance['name']!r}")
    return Here(instance["name"], database, hops)


def outcomes(estate: Json, conversation: Json, at: datetime) -> list[Outcome]:
    """Every outcome of the conversation at this time, sorted as the module says."""
    service = conversation["to_service"]
    identifier = parse_guid(conversation.get("to_broker_instance"))
    is_reply = conversation.get("is_reply", False)
    question = Question(estate, service, identifier, is_reply, at)
    ends: list[Outcome] = []
    waiting, seen = [start(question, conversation["from"])], set[Here]()
    while waiting:
        here = waiting.pop()
        seen.add(here)
        results = route_here(question, here)
        ends += [result for result in results if not isinstance(result, Here)]
        waiting += [one for one in results if isinstance(one, Here) and one not in seen]
    return sort_outcomes(ends)


def sort_outcomes(ends: Iterable[Outcome]) -> list[Outcome]:
    """Without duplicates, best first."""
    different = {tuple(end.items()) for end in ends}
    return [dict(end) for end in sorted(different, key=goodness)]


def goodness(end: tuple[tuple[str, str], ...]) -> tuple[int, list[str]]:
    """The rank of the outcome's kind, then its instance and its last value."""
    (_, kind), *others = end
    return GOODNESS.index(kind), [value for _, value in others]
