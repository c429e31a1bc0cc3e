"""What the tests of the differential share: its rows and those of the literal enumeration, in one shape."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

from routing.diff.result import Differential
from routing.diff.run import compare
from routing.documents.conversation_json import entry_as_json
from routing.documents.estate_document import read_estate
from tests.naive_diff import naive_diff
from tests.strategies import AT, random_case, random_edit

Json = dict[str, Any]
Row = tuple[str, str, str | None, bool, frozenset[str], frozenset[str], str]
"""From, service, identifier, reply or not, before, after, verdict."""
EVERYWHERE = "http://schemas.microsoft.com/SQL/Notifications/EventNotificationService"


def compared(before: Json, after: Json) -> Differential:
    """The differential of two documents."""
    return compare(read_estate(json.dumps(before)), read_estate(json.dumps(after)), AT)


def rows_of(comparison: Differential) -> list[Row]:
    return [
        (
            text(entry_as_json(*node)),
            group.traffic.shown_service,
            group.traffic.to_broker_instance,
            group.traffic.is_reply,
            frozenset(text(end.as_json()) for end in group.before),
            frozenset(text(end.as_json()) for end in group.after),
            group.verdict,
        )
        for node, group in comparison.rows()
    ]


def naive_rows(result: Json) -> list[Row]:
    return [
        (
            text(one["from"]),
            one["to_service"],
            one["to_broker_instance"],
            one["is_reply"],
            frozenset(map(text, one["before"])),
            frozenset(map(text, one["after"])),
            one["verdict"],
        )
        for one in result["changed"]
    ]


def text(value: Json) -> str:
    """One spelling for equal objects."""
    return json.dumps(value, sort_keys=True)


def disagreement(before: Json, after: Json) -> Json | None:
    """What the engine and the enumeration say otherwise of a change; None: nothing."""
    ours, theirs = compared(before, after), naive_diff(before, after, AT)
    rows, expected = Counter(rows_of(ours)), Counter(naive_rows(theirs))
    counts, expected_counts = ours.summary(), theirs["summary"]
    if (ours.classes, counts, rows) == (theirs["classes"], expected_counts, expected):
        return None
    return {
        "before": before,
        "after": after,
        "classes": (ours.classes, theirs["classes"]),
        "summary": (counts, expected_counts),
        "too much": list(rows - expected),
        "missing": list(expected - rows),
    }


def random_change(seed: int, edits: int) -> tuple[Json, Json]:
    """Return an estate and a copy after a number of rounds of editing."""
    rng = random.Random(seed)
    before = after = random_case(rng, 0).estate
    for _ in range(edits):
        after = random_edit(rng, after)
    return before, after


def everywhere(estate: Json) -> Json:
    """The same with a service that every database has, as SQL Server's own are, and an identifier for each."""
    copy: Json = json.loads(json.dumps(estate))
    for number, one in enumerate(copy["instances"]):
        for place, database in enumerate(one.get("databases", [])):
            database["services"] = [*database.get("services", []), EVERYWHERE]
            if database.get("broker_instance") is None:
                database["broker_instance"] = f"6f3f0d5e-bbbb-4000-8000-{number:06}{place:06}"
    return copy
