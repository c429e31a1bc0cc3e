"""Whatever is drawn: the order has the fewest classes that suffer between two steps, counted by enumeration."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from routing.diff.step_order import step_order
from routing.documents.estate_document import read_estate
from routing.model.address import parse_address
from routing.model.edits import PutRoute
from routing.model.route import Route
from tests.naive_diff import Class, Documents, all_classes, ask, entry_points, judge
from tests.strategies import AT, edits, estates

Json = dict[str, Any]


@st.composite
def changes(draw: st.DrawFn) -> tuple[Json, Json]:
    """Several rounds of edits, so that several instances change."""
    before = draw(estates())
    after = before
    for _ in range(draw(st.integers(1, 4))):
        after = draw(edits(after))
    return before, after


def by_name(estate: Json) -> dict[str, Json]:
    return {instance["name"]: instance for instance in estate["instances"]}


def changed(before: Json, after: Json) -> list[str]:
    old, new = by_name(before), by_name(after)
    return [name for name in {**old, **new} if old.get(name) != new.get(name)]


def middle(before: Json, after: Json, done: frozenset[str]) -> Json:
    """Some instances are changed, and have taken over what addresses they then have."""
    old, new = by_name(before), by_name(after)
    taken = {parse_address(address).key for name in done if name in new for address in new[name].get("addresses", [])}
    found = [new.get(name) if name in done else left(old.get(name), taken) for name in {**old, **new}]
    return {**before, "instances": [one for one in found if one is not None]}


def left(instance: Json | None, taken: set[str]) -> Json | None:
    if instance is None or "addresses" not in instance:
        return instance
    return {**instance, "addresses": [one for one in instance["addresses"] if parse_address(one).key not in taken]}


def suffering(before: Json, after: Json, done: frozenset[str]) -> int:
    """Classes that are worse in between than both before and after."""
    both, now = Documents(before, after), middle(before, after, done)
    everywhere = entry_points(before) & entry_points(after) & entry_points(now)

    def is_worse(one: Class) -> bool:
        ends = ask(both, now, one, AT)
        return all(judge(ask(both, estate, one, AT), ends) == "worse" for estate in (before, after))

    return sum(is_worse(one) for one in all_classes(both) if one.origin in everywhere)


@settings(max_examples=settings().max_examples // 10)
@given(changes())
def test_no_step_makes_a_class_suffer_where_another_order_avoids_it(change: tuple[Json, Json]) -> None:
    before, after = change
    names = changed(before, after)[:3]
    after = middle(before, after, frozenset(names))
    found = step_order(read(before), read(after), [(name,) for name in names], AT)
    assert found is not None
    assert sorted(name for step in found for name in step.instances) == sorted(names)
    states = {frozenset(names[:0]), frozenset(names)}
    cost: dict[frozenset[str], int] = dict.fromkeys(states, 0)
    for order in permutations(names):
        for length in range(1, len(order)):
            done = frozenset(order[:length])
            if done not in cost:
                cost[done] = suffering(before, after, done)
    ours = [frozenset(name for step in found[: place + 1] for name in step.instances) for place in range(len(found))]
    assert [step.harm.count for step in found] == [cost[done] for done in ours]
    fewest = min(sum(cost[frozenset(order[:n])] for n in range(len(order) + 1)) for order in permutations(names))
    assert sum(step.harm.count for step in found) == fewest


def read(document: Json) -> Any:
    return read_estate(json.dumps(document))


def test_the_way_on_is_made_before_the_way_there() -> None:
    """Given first is the instance whose new route would lead to one that does not know the way yet."""
    before = read(
        {
            "format": "brokerui.estate/1",
            "hop_limit": 10,
            "instances": [
                {"name": name, "addresses": [f"tcp://{name}:4022"], "forwarding": True, "databases": databases}
                for name, databases in (
                    ("a", [{"name": "Orders", "services": [], "routes": [way("Way", "c")]}]),
                    ("b", [{"name": "msdb", "services": [], "routes": []}]),
                    ("c", [{"name": "Parts", "services": ["Parts"], "routes": []}, MSDB]),
                )
            ],
        }
    )
    over = Route("Way", "Parts", None, None, parse_address("tcp://b:4022"))
    onward = Route("On", "Parts", None, None, parse_address("tcp://c:4022"))
    after = before.edited([PutRoute("a", "Orders", over), PutRoute("b", "msdb", onward)])
    found = step_order(before, after, [("a",), ("b",)], AT)
    assert found is not None
    assert [(step.instances, step.harm.count) for step in found] == [(("b",), 0), (("a",), 0)]
    together = step_order(before, after, [("a", "b")], AT)
    assert together is not None
    assert [step.harm.count for step in together] == [0]


def way(name: str, to: str) -> Json:
    return {"name": name, "remote_service_name": "Parts", "address": f"tcp://{to}:4022"}


MSDB: Json = {"name": "msdb", "services": [], "routes": [{"name": "AutoCreatedLocal", "address": "LOCAL"}]}
