"""The answer at the beginning of a validity interval is the one that the rules give at each moment of it."""

from __future__ import annotations

import json
import random
from bisect import bisect_right
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pipeline.engine import Asker
from pipeline.epochs import Key, epochs_of
from pipeline.estates import ALL, Scope, load_timeline
from routing.asking import conversation_from
from routing.document import read_estate
from routing.journey import outcomes
from routing.moment import format_moment
from tests.pipeline.estates import TO_PARTS, document, written
from tests.strategies import AT, random_case

DYNAMIC = "SQL/ServiceBroker/BrokerConfiguration"
MOMENTS = [AT + timedelta(seconds=seconds) for seconds in range(-5, 6)]


def spread(rng: random.Random, estate: dict[str, Any]) -> dict[str, Any]:
    """With every lifetime, and some of what had none, at one of the moments."""
    for instance in estate["instances"]:
        for database in instance["databases"]:
            for route in database.get("routes", []):
                if rng.random() < 0.5:
                    route["lifetime"] = format_moment(rng.choice(MOMENTS))
    return estate


def test_answers_are_those_of_the_rules_at_every_moment(tmp_path: Path) -> None:
    rng = random.Random(random.getrandbits(64))
    several = skipped = 0
    for _ in range(150):
        case = random_case(rng)
        estate = spread(rng, case.estate)
        timeline = load_timeline(written(tmp_path / "estate.json", estate))
        epochs = epochs_of([timeline])
        asker, read = Asker(timeline), read_estate(json.dumps(estate))
        for one in map(conversation_from, case.conversations):
            key = Key(one.instance, one.database, one.to_service, one.to_broker_instance, one.is_reply)
            moments = [AT.replace(year=2000), *epochs.boundaries]
            rng.shuffle(moments)
            marks = epochs.marks(key)
            begins = [epochs.begin(key, bisect_right(marks, moment)) for moment in moments]
            found = [asker.outcomes(key, begin) for begin in begins]
            assert found == [outcomes(read, one, moment) for moment in moments]
            within = epochs_of([timeline], (AT - timedelta(seconds=2), AT + timedelta(seconds=2)))
            for moment in (AT - timedelta(seconds=2), AT, AT + timedelta(seconds=1.5)):
                begin = within.begin(key, bisect_right(within.marks(key), moment))
                assert asker.outcomes(key, begin) == outcomes(read, one, moment)
            several += len(set(found)) > 1
            skipped += len(marks) < len(epochs.boundaries)
    assert several > 100
    assert skipped > 100


ORDERS, AT_HOST = ("host1", "Orders"), ("host2", "msdb")


@pytest.mark.parametrize(
    ("service", "matters_for"),
    [("Stock", {(ORDERS, "Stock")}), (None, {(ORDERS, None)}), (DYNAMIC, {(ORDERS, None), (ORDERS, DYNAMIC)})],
    ids=["a named route", "a wildcard", "the one that asks for routes"],
)
def test_a_route_that_expires_matters_for_its_service_from_its_database(
    tmp_path: Path, service: str | None, matters_for: set[Scope]
) -> None:
    lost = {**TO_PARTS, "remote_service_name": service, "lifetime": format_moment(AT)}
    timeline = load_timeline(written(tmp_path / "estate.json", document(lost)))
    assert timeline.boundaries() == [AT]
    assert timeline.matters_for(AT) == matters_for
    assert timeline.matters_for(AT + timedelta(seconds=1)) == frozenset()


def test_a_route_of_msdb_matters_for_what_comes_from_anywhere(tmp_path: Path) -> None:
    estate = document()
    estate["instances"][1]["databases"][1]["routes"] = [{**TO_PARTS, "lifetime": format_moment(AT)}]
    timeline = load_timeline(written(tmp_path / "estate.json", estate))
    assert timeline.matters_for(AT) == {(None, "Stock"), (AT_HOST, "Stock")}


def test_a_version_matters_for_all(tmp_path: Path) -> None:
    for name, moment in (("1.json", AT), ("2.json", AT + timedelta(days=1))):
        written(tmp_path / "h" / name, {**document(), "valid_from": format_moment(moment)})
    timeline = load_timeline(str(tmp_path / "h"))
    assert [timeline.matters_for(moment) for moment in timeline.boundaries()] == [ALL, ALL]
    assert timeline.at(AT - timedelta(seconds=1)) is None
