"""An answer is the one that the rules give, at the moment it is asked for and until it says."""

from __future__ import annotations

import json
import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pipeline.evaluation.evaluator import ClassKey, TimelineEvaluator
from pipeline.evaluation.timeline import END_OF_TIME, load_timeline
from routing.common.moment import format_moment
from routing.documents.conversation_json import conversation_from
from routing.documents.estate_document import read_estate
from routing.rules.journey import outcomes
from tests.pipeline.estates import TO_PARTS, document, written
from tests.strategies import AT, random_case

DYNAMIC = "SQL/ServiceBroker/BrokerConfiguration"
MOMENTS = [AT + timedelta(seconds=seconds) for seconds in range(-5, 6)]
BETWEEN = [AT.replace(year=2000), *MOMENTS, *(moment + timedelta(milliseconds=1) for moment in MOMENTS)]


def spread(rng: random.Random, estate: dict[str, Any]) -> dict[str, Any]:
    """With every lifetime, and some of what had none, at one of the moments."""
    for instance in estate["instances"]:
        for database in instance["databases"]:
            for route in database.get("routes", []):
                if rng.random() < 0.5:
                    route["lifetime"] = format_moment(rng.choice(MOMENTS))
    return estate


def test_answers_are_those_of_the_rules_at_every_moment_until_they_end(tmp_path: Path) -> None:
    rng = random.Random(random.getrandbits(64))
    several = held = 0
    for _ in range(150):
        case = random_case(rng)
        estate = spread(rng, case.estate)
        timeline = load_timeline(written(tmp_path / "estate.json", estate))
        asker, read = TimelineEvaluator(timeline), read_estate(json.dumps(estate))
        for one in map(conversation_from, case.conversations):
            key = ClassKey(one.instance, one.database, one.to_service, one.to_broker_instance, one.is_reply)
            moments = rng.sample(BETWEEN, len(BETWEEN))
            found = {moment: asker.answer(key, moment) for moment in moments}
            expected = {moment: outcomes(read, one, moment) for moment in moments}
            for moment, answer in found.items():
                assert answer.until > moment
                assert all(expected[later] == answer.outcomes for later in moments if moment <= later < answer.until)
            several += len(set(expected.values())) > 1
            held += len({answer.until for answer in found.values()}) < len(timeline.boundaries()) + 1
    assert several > 100
    assert held > 100


ORDERS, OUTSIDE = ClassKey("host1", "Orders", "Stock", None, False), ClassKey("host1", None, "Stock", None, False)


@pytest.mark.parametrize(
    ("service", "key", "until"),
    [
        ("Stock", ORDERS, AT),
        ("Stock", ORDERS._replace(to_service="Entry"), END_OF_TIME),
        ("Stock", OUTSIDE, END_OF_TIME),
        (None, ORDERS._replace(to_service="Entry"), AT),
        (DYNAMIC, ORDERS._replace(to_service="Entry"), AT),
        (DYNAMIC, ORDERS._replace(to_service=DYNAMIC), AT),
    ],
    ids=["its service", "another service", "another table", "a wildcard", "one that asks for routes", "that service"],
)
def test_an_answer_ends_where_a_route_expires_that_may_matter_for_it(
    tmp_path: Path, service: str | None, key: ClassKey, until: datetime
) -> None:
    lost = {**TO_PARTS, "remote_service_name": service, "lifetime": format_moment(AT)}
    timeline = load_timeline(written(tmp_path / "estate.json", document(lost)))
    assert timeline.boundaries() == [AT]
    asker = TimelineEvaluator(timeline)
    assert asker.answer(key, AT - timedelta(days=1)).until == until
    assert asker.answer(key, AT).until == END_OF_TIME


def test_a_route_of_msdb_matters_for_what_comes_there_on_its_way(tmp_path: Path) -> None:
    estate = document(TO_PARTS)
    estate["instances"][1]["databases"][1]["routes"] = [{**TO_PARTS, "lifetime": format_moment(AT)}]
    asker = TimelineEvaluator(load_timeline(written(tmp_path / "estate.json", estate)))
    before = AT - timedelta(days=1)
    for key in (ORDERS, OUTSIDE._replace(from_instance="host2"), ClassKey("host2", "msdb", "Stock", None, False)):
        assert asker.answer(key, before).until == AT
    assert asker.answer(OUTSIDE, before).until == END_OF_TIME
    assert asker.answer(ORDERS._replace(to_service="Entry"), before).until == END_OF_TIME


def test_an_answer_ends_where_another_version_begins(tmp_path: Path) -> None:
    later = AT + timedelta(days=1)
    for name, moment in (("1.json", AT), ("2.json", later)):
        written(tmp_path / "h" / name, {**document(), "valid_from": format_moment(moment)})
    timeline = load_timeline(str(tmp_path / "h"))
    asker = TimelineEvaluator(timeline)
    assert timeline.boundaries() == [AT, later]
    assert asker.answer(ORDERS, AT - timedelta(seconds=1)) == (None, AT, True)
    assert [asker.answer(ORDERS, moment).until for moment in (AT, later)] == [later, END_OF_TIME]
