"""The differential of wildcard routes, which nearly every service name follows: hubs, spokes, and services in each.

Most names are answered as a name that occurs nowhere is; the enumeration knows no such shortcut.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from routing.classes.indexed_estate import IndexedEstate
from routing.classes.traffic_class import TrafficClass
from routing.diff.class_change import ClassChange
from routing.diff.context import DiffContext
from routing.diff.default_change import DefaultChange
from routing.diff.per_name import NameContext
from routing.diff.replies import replies_end_alike
from routing.documents.estate_document import read_estate
from tests.routing.differential import disagreement, everywhere
from tests.strategies import AT

Json = dict[str, Any]
HUBS, SPOKES, SERVICES = 3, 4, 5
ROUNDS, PARTS = 30, 3


def address(number: int) -> str:
    return f"tcp://srv{number}.example:4022"


def identifier(number: int, place: int) -> str:
    return f"6f3f0d5e-bbbb-4000-8000-{number:06}{place:06}"


def hub_and_spokes(rng: random.Random) -> Json:
    """Return an estate whose databases send what they do not know to a hub, which may know it, or hand it on."""
    instances = [instance(rng, number) for number in range(HUBS + SPOKES)]
    for number in range(SERVICES):
        for one in rng.sample(instances, rng.choice((1, 1, 2))):
            database = rng.choice(one["databases"])
            database["services"].append(f"//s/{number}")
    for one in instances:
        for database in one["databases"]:
            database["routes"] += named_routes(rng, instances)
    return {"format": "brokerui.estate/1", "hop_limit": rng.choice((2, 10)), "instances": instances}


def instance(rng: random.Random, number: int) -> Json:
    databases = [
        {"name": name, "broker_instance": identifier(number, place), "services": [], "routes": []}
        for place, name in enumerate(("msdb", "Db0", "Db1"))
    ]
    for database in databases:
        if rng.random() < 0.7:
            database["routes"].append({"name": "ToHub", "address": address(rng.randrange(HUBS))})
        if rng.random() < 0.5:
            database["routes"].append({"name": "AutoCreatedLocal", "address": "LOCAL"})
    return {
        "name": f"srv{number}",
        "addresses": [address(number)],
        "forwarding": number < HUBS or rng.random() < 0.2,
        "databases": databases,
    }


def named_routes(rng: random.Random, instances: list[Json]) -> list[Json]:
    """Return routes for few services, some with the identifier of a database, some expired."""
    found = []
    for number in rng.sample(range(SERVICES), rng.choice((0, 0, 1, 2))):
        route: Json = {"name": f"R{number}", "remote_service_name": f"//s/{number}"}
        route["address"] = address(rng.randrange(HUBS + SPOKES))
        if rng.random() < 0.3:
            route["broker_instance"] = rng.choice(rng.choice(instances)["databases"])["broker_instance"]
        if rng.random() < 0.2:
            route["lifetime"] = "2020-01-01T00:00:00Z"
        found.append(route)
    return found


def with_other_wildcards(rng: random.Random, estate: Json) -> Json:
    """Return a copy in which wildcard routes lead elsewhere, are gone, or are new: one in msdb of a hub among them."""
    copy: Json = json.loads(json.dumps(estate))
    hub = copy["instances"][rng.randrange(HUBS)]["databases"][0]
    others = [database for one in copy["instances"] for database in one["databases"]]
    for database in (hub, *rng.sample(others, rng.choice((0, 0, 1, 3)))):
        routes = [route for route in database["routes"] if route["name"] != "ToHub"]
        if len(routes) == len(database["routes"]) or rng.random() < 0.8:
            routes.append({"name": "ToHub", "address": rng.choice((address(rng.randrange(9)), "LOCAL"))})
        database["routes"] = routes
    if rng.random() < 0.2:
        rng.choice(copy["instances"])["forwarding"] ^= True
    return copy


def change(seed: int) -> tuple[Json, Json]:
    rng = random.Random(seed)
    before = hub_and_spokes(rng)
    return before, with_other_wildcards(rng, before)


@pytest.mark.parametrize("part", range(PARTS))
def test_a_changed_wildcard_is_what_the_enumeration_finds(part: int) -> None:
    for seed in range(part, ROUNDS, PARTS):
        assert disagreement(*change(seed)) is None, f"change({seed})"


def test_names_that_no_changed_hop_treats_specially_are_answered_together() -> None:
    together = reached = 0
    for seed in range(ROUNDS):
        before, after = (read_estate(json.dumps(one)) for one in change(seed))
        comparing = DiffContext(IndexedEstate(before), after, AT)
        default = DefaultChange(comparing)
        names = [NameContext(comparing, name) for name in comparing.names]
        reached += sum(map(default.reaches, names))
        together += len(names) - sum(map(default.reaches, names))
    assert min(together, reached) > ROUNDS


def test_replies_are_taken_for_evaluated_only_where_the_enumeration_finds_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers: Counter[bool] = Counter()

    def counted(known: ClassChange, other: TrafficClass) -> bool:
        answer = replies_end_alike(known, other)
        answers[answer] += other.to_broker_instance == known.traffic.to_broker_instance
        return answer

    monkeypatch.setattr("routing.diff.run.replies_end_alike", counted)
    for seed in range(2):
        assert disagreement(*map(everywhere, change(seed))) is None, f"change({seed})"
    assert min(answers[True], answers[False]) > 5
