"""Which changed classes decide whether a change is called worse, and which stand apart."""

from __future__ import annotations

import json

import pytest

from routing.common.names import EVENT_NOTIFICATION_SERVICE
from routing.diff.result import Differential
from routing.diff.run import compare
from routing.documents.estate_document import read_estate
from routing.model.estate import Estate
from tests.routing.diff.test_run import random_change
from tests.routing.small import database, estate, host, to
from tests.strategies import AT


def two(*routes: object, services: tuple[str, ...] = ("Order",), there: tuple[str, ...] = ("Parts",)) -> Estate:
    """Host a, whose database has these routes, and host b with a service."""
    home = database("D", *services, routes=routes, broker_instance="6f3f0d5e-0000-4000-8000-000000000001")
    other = database("E", *there, broker_instance="6f3f0d5e-0000-4000-8000-000000000002")
    return estate(host("a", home, outside=[to("LOCAL")]), host("b", other, outside=[to("LOCAL")]))


LOCAL, WRONG, RIGHT = to("LOCAL"), to("nobody", "Parts"), to("b", "Parts")
PARTNER, OTHER = to("partner", "Audit"), to("LOCAL", "Audit")


def change(before: Estate, after: Estate) -> Differential:
    return compare(before, after, AT)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (two(LOCAL), two(LOCAL, RIGHT)),
        (two(LOCAL, WRONG), two(LOCAL, RIGHT)),
        (two(LOCAL, to("b", "Pârts")), two(LOCAL, RIGHT)),
        (two(LOCAL, to("nobody")), two(LOCAL, to("b"))),
        (two(), two(LOCAL)),
    ],
    ids=["a route where none was", "an address corrected", "a name corrected", "for everything", "its own services"],
)
def test_a_sound_correction_is_not_worse_though_what_nobody_intends_is(before: Estate, after: Estate) -> None:
    assert change(before, after).summary()["worse"] or not before.instances["a"].databases["D"].table.routes
    assert change(before, after).intended["worse"] == 0
    assert change(before, after).intended["better"] > 0
    assert change(before, after).verdict == "changed"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (two(LOCAL, RIGHT), two(LOCAL)),
        (two(LOCAL, RIGHT), two(LOCAL, WRONG)),
        (two(LOCAL, PARTNER), two(LOCAL)),
        (two(LOCAL, OTHER), two(LOCAL, to("b", "Audit"))),
        (two(LOCAL, services=("Order", "Audit")), two(services=("Order", "Audit"))),
        (two(to("b")), two(to("partner"))),
    ],
    ids=[
        "delivered",
        "delivered, then away",
        "away by name",
        "named, delayed, then dropped",
        "local",
        "for everything",
    ],
)
def test_what_a_route_names_or_what_is_delivered_makes_a_change_worse(before: Estate, after: Estate) -> None:
    assert change(before, after).intended["worse"] > 0
    assert change(before, after).verdict == "worse"


def test_services_of_sql_server_count_where_a_route_names_them() -> None:
    enabled, disabled = (two(LOCAL, RIGHT, there=("Parts", EVENT_NOTIFICATION_SERVICE)), two(LOCAL, RIGHT))
    found = change(disabled, enabled)
    [group] = [one for one in found.groups if one.traffic.to_service == EVENT_NOTIFICATION_SERVICE][:1]
    assert found.intent.members(group) == 0
    named = to("b", EVENT_NOTIFICATION_SERVICE)
    found = change(two(LOCAL, named), two(LOCAL, named, there=("Parts", EVENT_NOTIFICATION_SERVICE)))
    groups = [one for one in found.groups if one.traffic.to_service == EVENT_NOTIFICATION_SERVICE]
    assert sum(found.intent.members(one) for one in groups) > 0


def test_nothing_changed_is_unchanged() -> None:
    assert change(two(LOCAL), two(LOCAL)).verdict == "unchanged"


@pytest.mark.parametrize("seed", range(12))
def test_each_class_is_intended_or_not_and_the_counts_say_how_many_are(seed: int) -> None:
    before, after = (read_estate(json.dumps(one)) for one in random_change(seed, 4))
    found = change(before, after)
    for group in found.groups:
        rows = [node for node in group.members if found.intent.has(node, group)]
        assert found.intent.members(group) == len(rows)
        stands_in = "*" in (group.traffic.shown_service, group.traffic.to_broker_instance)
        assert not (rows and stands_in)
        if not stands_in and any(end.kind == "delivered" for end in group.before):
            assert len(rows) == len(group.members)
    assert all(found.intended[verdict] <= found.summary()[verdict] for verdict in found.intended)
