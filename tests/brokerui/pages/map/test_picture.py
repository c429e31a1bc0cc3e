"""The picture: nothing covers anything, everything has its place, the same estate looks the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerui.core.home import CHECKOUT
from brokerui.estate.refs import Ref, read_ref
from brokerui.pages.map.detail_level import MAX_ELEMENTS
from brokerui.pages.map.name_groups import name_groups
from brokerui.pages.map.plan import DETAIL, GROUPS, INSTANCES
from tests.brokerui.estates import CIRCLE, EVERY_KIND, HOSTILE_ESTATE, LOCAL, database, document, fan, instance, to
from tests.brokerui.pages.map.helpers import assert_sound, network, planned
from tests.strategies import Json, estates

EXAMPLES = sorted((CHECKOUT / "examples").glob("*.json"))
MESH = document(
    *(
        instance(f"s{n}", database("D", *(to(f"tcp://s{m}:4022", f"S{m}") for m in range(9)), services=(f"S{n}",)))
        for n in range(9)
    )
)
LONG = document(
    instance("l" * 250, database("\u05d0\u05d1" * 60, to("tcp://x", "\u202e" + "w" * 200, name="/" * 120), LOCAL)),
).replace(f"tcp://{'l' * 250}:4022", "tcp://l:4022")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_drawn_in_full(path: Path) -> None:
    plan, numbers = planned(network(path.read_text(encoding="utf-8")))
    assert plan.level == DETAIL
    assert numbers.is_everything
    assert numbers.elements >= numbers.of_elements
    assert_sound(plan)


@pytest.mark.parametrize("text", [CIRCLE, EVERY_KIND, HOSTILE_ESTATE, MESH, LONG, fan(20), fan(60), fan(200)])
def test_estates_of_every_shape(text: str) -> None:
    assert_sound(planned(network(text))[0])


@given(estates())
def test_any_estate(estate: Json) -> None:
    one = network(json.dumps(estate))
    plan, numbers = planned(one)
    if plan.boxes:
        assert_sound(plan)
    assert numbers.elsewhere == 0


@pytest.mark.parametrize("hops", [1, 2, 3])
@pytest.mark.parametrize("focus", ["center", "branch3"])
def test_around_a_server(focus: str, hops: int) -> None:
    plan, _ = planned(network(fan(160)), focus=focus, hops=hops)
    assert plan.boxes[Ref("instance", (focus,))].cells[0].title in ("Main", "Shop") or plan.level != DETAIL
    assert_sound(plan)


def test_up_to_the_limit_everything_is_drawn_and_above_it_servers_and_above_that_groups() -> None:
    def servers(count: int) -> str:
        return document(*(instance(f"s{n:03}") for n in range(count)))

    levels = [planned(network(servers(count)))[0] for count in (1, MAX_ELEMENTS, MAX_ELEMENTS + 1)]
    assert [plan.level for plan in levels] == [DETAIL, DETAIL, GROUPS]
    assert [len(plan.boxes) for plan in levels[:2]] == [1, MAX_ELEMENTS]
    with_databases = document(*(instance(f"s{n}", database("D")) for n in range(MAX_ELEMENTS // 2)))
    assert planned(network(with_databases))[0].level == DETAIL
    with_one_more = document(*(instance(f"s{n}", database("D"), database("E")) for n in range(MAX_ELEMENTS // 2)))
    assert planned(network(with_one_more))[0].level == INSTANCES


def test_styles_are_told_apart() -> None:
    text = document(
        instance(
            "a",
            database(
                "D",
                to("tcp://b:4022", "S", name="Named"),
                to("tcp://c:4022", name="Any"),
                to("tcp://b:4022", "Old", name="Gone", lifetime="2001-01-01T00:00:00Z"),
                to("tcp://gone", "Old", name="GoneToo", lifetime="2001-01-01T00:00:00Z"),
                to("tcp://b:4022", "M", name="Both", mirror_address="tcp://c:4022"),
                to("TRANSPORT", name="ByName"),
                LOCAL,
            ),
        ),
        instance("b"),
        instance("c"),
    )
    picture = assert_sound(planned(network(text))[0])
    rows = {mark.labels[0].full: mark for shape in picture.shapes for mark in shape.rows}
    assert set(rows) == {"Named +1", "Any", "GoneToo", "Both", "ByName", "AutoCreatedLocal"}
    assert rows["Any"].head == "to-any"
    assert rows["Named +1"].labels[1].full == "for 2 services · one expired"
    assert "expired" in rows["GoneToo"].look.split()
    assert rows["GoneToo"].labels[1].full == "for Old · expired"
    assert "mirrored" in rows["Both"].look.split()
    assert len(rows["Both"].lines) == 2
    assert rows["ByName"].lines == rows["AutoCreatedLocal"].lines == ()
    assert "It leads to b, c." in rows["Both"].says


@given(st.lists(st.text(max_size=6), unique=True), st.integers(2, 20))
def test_groups_by_name_hold_every_name_once(names: list[str], most: int) -> None:
    ordered = sorted(names)
    found = name_groups(ordered, most)
    assert [name for group in found for name in group] == ordered
    assert len(found) <= most
    assert all(found)


@given(st.sampled_from(["instance", "outside"]), st.text())
def test_a_ref_survives_its_address(kind: str, name: str) -> None:
    ref = Ref(kind, (name,))
    both = Ref("between", (str(ref), str(ref)))
    assert read_ref(str(ref)) == ref
    assert read_ref(str(both)) == both


@pytest.mark.parametrize("text", ["", "instance", "nothing/x", "instance/a/b", "route/a/b"])
def test_what_is_no_ref(text: str) -> None:
    assert read_ref(text) is None
