"""New, changed and removed rows as lines; and the conversations that end otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime

import pytest

from brokerui.analysis.effect.ends import Ends, EndsCount
from brokerui.analysis.imports.change_lines import ChangeLine, by_instance, lines_of
from brokerui.estate.changed_row_counts import counted
from brokerui.estate.difference import difference
from routing.diff.run import compare
from routing.model.address import parse_address
from routing.model.edits import DropRoute, PutRoute, SetForwarding
from routing.model.estate import Estate
from routing.model.route import Route
from tests.brokerui.estate.helpers import LOCAL, TWO, estate_of, server
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE]

AT = datetime(2030, 1, 1, tzinfo=UTC)
MOVED = Route("R", "Parts", None, None, parse_address("LOCAL"))


def lines(before: Estate, after: Estate) -> list[ChangeLine]:
    return list(lines_of(difference(before, after), before, after))


def test_a_changed_route_says_what_of_it() -> None:
    after = TWO.edited([PutRoute("here", "Orders", MOVED), SetForwarding("here", True)])
    assert lines(TWO, after) == [
        ChangeLine("changed", "instances", "here", "", "here", "forwarding: False → True"),
        ChangeLine("changed", "routes", "here", "Orders", "R", "address: tcp://there.example → LOCAL"),
    ]


def test_a_removed_server_takes_all_that_is_in_it_along() -> None:
    after = replace(TWO, instances={"here": TWO.instances["here"]})
    assert [(line.verb, line.kind, line.name) for line in lines(TWO, after)] == [
        ("removed", "instances", "there"),
        ("removed", "databases", "Parts"),
        ("removed", "services", "Parts"),
        ("removed", "routes", "AutoCreatedLocal"),
    ]


SERVERS = server("here", {"name": "Orders", "routes": [LOCAL]}), server("there", {"name": "Parts"})
OTHERS = [
    Estate(),
    TWO,
    TWO.edited([DropRoute("here", "Orders", "R"), PutRoute("there", "Parts", MOVED)]),
    estate_of(*reversed(SERVERS), hop_limit=3),
    estate_of(server("here", {"name": "New", "routes": [LOCAL]}), server("third", forwarding=True)),
]


@pytest.mark.parametrize("before", OTHERS)
@pytest.mark.parametrize("after", OTHERS)
def test_lines_and_counts_agree(before: Estate, after: Estate) -> None:
    counts = asdict(counted(difference(before, after), before))
    verbs = [line.verb for line in lines(before, after)]
    assert counts == {
        "added": verbs.count("new"),
        "changed": verbs.count("changed"),
        "removed": verbs.count("removed"),
    }


def test_servers_that_lose_something_come_first() -> None:
    after = TWO.edited([DropRoute("there", "Parts", "AutoCreatedLocal"), PutRoute("here", "Orders", MOVED)])
    found = by_instance(lines(TWO, after), shown=1)
    assert [(one.name, dict(one.verbs)) for one in found] == [("there", {"removed": 1}), ("here", {"changed": 1})]


def ends_compared(before: Estate, after: Estate, on_progress: Callable[[int, int], None] | None = None) -> Ends:
    count = EndsCount(before, after, AT)
    while not count.is_settled:
        count.step()
        if on_progress is not None:
            on_progress(count.done, count.total)
    return count.ends


@pytest.mark.parametrize("before", OTHERS[1:])
@pytest.mark.parametrize("after", OTHERS[1:])
def test_ends_are_those_of_the_comparison(before: Estate, after: Estate) -> None:
    found, whole = ends_compared(before, after), compare(before, after, AT)
    sided = [group for group in whole.groups if group.kind in ("appeared", "vanished")]
    assert found.classes == whole.classes
    assert found.counts.total() + found.apart.total() == sum(len(group.members) for group in whole.groups)
    assert found.grouped == sum(bool(whole.intent.members(group)) for group in whole.groups if group not in sided)
    assert found.counts["worse"] == whole.intended["worse"]
    assert found.counts["worse"] + found.apart["worse"] == whole.summary()["worse"]


def test_a_comparison_looks_at_all_names_that_the_change_can_reach_and_at_no_other() -> None:
    compared_pairs: list[tuple[int, int]] = []
    for route, names, targets in (("AutoCreatedLocal", 4, 12), ("R", 1, 2)):
        compared_pairs.clear()
        found = ends_compared(
            TWO, TWO.edited([DropRoute("here", "Orders", route)]), lambda *far: compared_pairs.append(far)
        )
        assert (found.names, compared_pairs[-1]) == (names, (targets, targets))


def test_an_instance_that_goes_concerns_no_conversation_that_cannot_reach_it() -> None:
    before = estate_of(*SERVERS, server("idle", {"name": "Alone", "routes": [LOCAL]}))
    after = replace(before, instances={name: before.instances[name] for name in ("here", "there")})
    found = ends_compared(before, after)
    gone = sum(len(group.members) for group in compare(before, after, AT).groups)
    assert (found.names, found.counts["vanished"]) == (0, gone)
