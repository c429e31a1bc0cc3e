"""A history of many small random estates, and traffic at all its moments, for the pipeline and for the rules."""

from __future__ import annotations

import csv
import json
import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.schemas import COLUMNS
from routing.common.errors import Invalid
from routing.common.moment import format_moment, parse_moment
from routing.documents.conversation_json import conversation_from
from routing.documents.estate_document import read_estate
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.decision import DETAIL_KEY, Outcome
from routing.rules.journey import outcomes
from tests.strategies import AT, random_case

Json = dict[str, Any]
VERSIONS = 100
STEP = timedelta(milliseconds=40)
"""So that the history is two seconds before and after the moment around which the lifetimes lie."""


class History(NamedTuple):
    """The versions and when each began."""

    since: list[datetime]
    documents: list[Json]
    estates: list[Estate]

    def at(self, moment: datetime) -> Estate | None:
        """Slowly, and by the definition: the last one that had begun."""
        begun = [estate for since, estate in zip(self.since, self.estates, strict=True) if since <= moment]
        return begun[-1] if begun else None


def history_and_rows(rng: random.Random) -> tuple[History, list[Json]]:
    """Each version's own conversations, at a moment of its own and at some other moment."""
    cases = [random_case(rng) for _ in range(VERSIONS)]
    # Not at a lifetime, so that some expire while their version is in force.
    since = [AT + (number - VERSIONS // 2) * STEP + STEP / 3 for number in range(VERSIONS)]
    documents = [case.estate for case in cases]
    estates = [read_estate(json.dumps(document)) for document in documents]
    rows = []
    for begin, case in zip(since, cases, strict=True):
        for conversation in case.conversations:
            rows.append(as_row(rng, len(rows), conversation, begin + rng.random() * STEP))
            rows.append(as_row(rng, len(rows), conversation, rng.choice(since) - rng.choice((0, 1)) * STEP / 2))
            rows.append(as_row(rng, len(rows), conversation, AT + timedelta(seconds=rng.choice((-1, 0, 1, 9)))))
    return History(since, documents, estates), rows


def as_row(rng: random.Random, number: int, conversation: Json, at: datetime) -> Json:
    entry = conversation["from"]
    return {
        "conversation_id": f"c{number}",
        "at": format_moment(at),
        "from_instance": entry.get("instance", entry.get("outside")),
        "from_database": entry.get("database"),
        "from_service": None,
        "to_service": conversation["to_service"],
        "to_broker_instance": conversation.get("to_broker_instance"),
        "is_reply": conversation.get("is_reply", False),
        "messages": rng.randrange(100),
        "bytes": rng.randrange(10_000),
    }


def conversation_of(row: Json) -> Conversation:
    entry = {"outside": row["from_instance"]}
    if row["from_database"] is not None:
        entry = {"instance": row["from_instance"], "database": row["from_database"]}
    keys = ("to_service", "to_broker_instance", "is_reply")
    return conversation_from({"id": row["conversation_id"], "from": entry, **{key: row[key] for key in keys}})


def answered(estate: Estate | None, row: Json) -> list[Json] | None:
    """What the rules say of a row; None where they know no such entry point."""
    conversation = conversation_of(row)
    try:
        if estate is None:
            return None
        conversation.check(estate)
    except Invalid:
        return None
    found = outcomes(estate, conversation, parse_moment(row["at"]))
    return [one.as_json() for one in found]


def write_history(history: History, folder: Path) -> str:
    """As `brokerui estate history` does."""
    folder.mkdir()
    for number, (since, document) in enumerate(zip(history.since, history.documents, strict=True)):
        text = json.dumps({**document, "valid_from": format_moment(since)})
        (folder / f"version-{number + 1:06}.json").write_text(text)
    return str(folder)


def write_traffic(rows: list[Json], folder: Path) -> str:
    """A third in each of the formats."""
    folder.mkdir()
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[::3]))
    with (folder / "b.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(rows[1::3])
    table = pa.Table.from_pylist([{**row, "at": parse_moment(row["at"])} for row in rows[2::3]])
    pq.write_table(table, folder / "c.parquet")
    return str(folder)


def without_nulls(found: list[Json] | None) -> list[Json]:
    """Structs of Parquet as the objects of the interface."""
    return [{key: value for key, value in one.items() if value is not None} for one in found or []]


def as_outcomes(found: list[Json]) -> list[Outcome]:
    """Structs of Parquet as the rules have them."""
    rows = without_nulls(found)
    return [Outcome(one["outcome"], one["instance"], one[DETAIL_KEY[one["outcome"]]]) for one in rows]
