"""Answers that are kept across intervals are those that the rules give at each moment."""

from __future__ import annotations

import json
import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pipeline.engine import Asker, Key
from pipeline.epochs import epochs_of
from pipeline.estates import load_timeline
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
    several = 0
    for _ in range(150):
        case = random_case(rng)
        estate = spread(rng, case.estate)
        timeline = load_timeline(written(tmp_path / "estate.json", estate))
        epochs = epochs_of([timeline])
        asker, read = Asker(timeline, epochs), read_estate(json.dumps(estate))
        for one in map(conversation_from, case.conversations):
            key = Key(one.instance, one.database, one.to_service, one.to_broker_instance, one.is_reply)
            moments = [(number, moment) for number, moment in enumerate([AT.replace(year=2000), *epochs.boundaries])]
            rng.shuffle(moments)
            found = [asker.outcomes(key, number) for number, _ in moments]
            assert found == [outcomes(read, one, moment) for _, moment in moments]
            several += len(set(found)) > 1
    assert several > 100


@pytest.mark.parametrize(
    ("service", "matters_for"),
    [("Stock", frozenset({"Stock"})), (None, None), (DYNAMIC, None)],
    ids=["a named route", "a wildcard", "the one that asks for routes"],
)
def test_a_route_that_expires_matters_for_its_service(
    tmp_path: Path, service: str | None, matters_for: frozenset[str] | None
) -> None:
    lost = {**TO_PARTS, "remote_service_name": service, "lifetime": format_moment(AT)}
    timeline = load_timeline(written(tmp_path / "estate.json", document(lost)))
    assert timeline.boundaries() == [AT]
    assert timeline.matters_for(AT) == matters_for
    assert timeline.matters_for(AT + timedelta(seconds=1)) == frozenset()


def test_a_version_matters_for_all_services(tmp_path: Path) -> None:
    for name, moment in (("1.json", AT), ("2.json", AT + timedelta(days=1))):
        written(tmp_path / "h" / name, {**document(), "valid_from": format_moment(moment)})
    timeline = load_timeline(str(tmp_path / "h"))
    assert [timeline.matters_for(moment) for moment in timeline.boundaries()] == [None, None]
    assert timeline.at(AT - timedelta(seconds=1)) is None
