"""The differential against the enumeration of everything, and the shape of its answer.

`BROKERUI_EDITS=5000 pytest tests/routing/diff/test_run.py` draws more changes than the usual run.
"""

from __future__ import annotations

import json
import os
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routing.diff.result import WORST_FIRST, Differential
from routing.diff.run import compare_stepwise
from routing.documents.estate_document import read_estate
from tests.extent import IS_ALL
from tests.routing.differential import compared, disagreement, everywhere, random_change, rows_of
from tests.strategies import AT, edits, estates

Json = dict[str, Any]
EDITS = int(os.environ.get("BROKERUI_EDITS", "240" if IS_ALL else "84"))
PARTS = 4
"""Parts of each bulk run, so that several workers share it."""
SEED = {1: 0, 2: 1_000_000, 4: 2_000_000}
"""First seed by number of edits."""


@st.composite
def changes(draw: st.DrawFn) -> tuple[Json, Json]:
    before = draw(estates())
    return before, draw(edits(before))


@settings(max_examples=settings().max_examples // 2)
@given(changes())
def test_every_drawn_change_is_what_the_enumeration_finds(change: tuple[Json, Json]) -> None:
    assert disagreement(*change) is None


@settings(max_examples=settings().max_examples // 2)
@given(estates(), estates())
def test_two_estates_that_have_little_in_common_compare_too(before: Json, after: Json) -> None:
    assert disagreement(before, after) is None


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("rounds", [1, 2, 4])
def test_hundreds_of_edits_have_not_one_difference(rounds: int, part: int) -> None:
    for seed in range(SEED[rounds] + part, SEED[rounds] + EDITS // 3, PARTS):
        assert disagreement(*random_change(seed, rounds)) is None, f"random_change({seed}, {rounds})"


@pytest.mark.parametrize("limits", [(10, 0), (0, 10), (0, 1), (3, 2), (1, 255)])
@settings(max_examples=settings().max_examples // 5)
@given(data=st.data())
def test_another_hop_limit_is_what_the_enumeration_finds(limits: tuple[int, int], data: st.DataObject) -> None:
    before = {**data.draw(estates()), "hop_limit": limits[0]}
    edited = data.draw(st.booleans())
    after = {**(data.draw(edits(before)) if edited else before), "hop_limit": limits[1]}
    assert disagreement(before, after) is None


@given(estates())
def test_an_estate_does_not_differ_from_itself(estate: Json) -> None:
    same = compared(estate, estate)
    assert same.groups == []
    assert same.summary() == {"worse": 0, "better": 0, "moved": 0, "unchanged": same.classes}


# ---------------------------------------------------------------- the shape of the answer


@given(changes())
def test_groups_part_the_rows_and_no_two_are_alike(change: tuple[Json, Json]) -> None:
    comparison = compared(*change)
    rows = rows_of(comparison)
    assert len({row[:4] for row in rows}) == len(rows) == sum(len(group.members) for group in comparison.groups)
    alike = {(group.traffic, group.before, group.after) for group in comparison.groups}
    assert len(alike) == len(comparison.groups)
    assert all(group.before != group.after and len(group.members) for group in comparison.groups)


@given(changes())
def test_a_group_knows_its_members_and_gives_them_in_the_order_of_the_estates(change: tuple[Json, Json]) -> None:
    for group in compared(*change).groups:
        members = list(group.members)
        assert len(members) == len(group.members)
        assert members == sorted(members, key=group.members.order.__getitem__)
        assert {node for node in group.members.order if node in group.members} == set(members)


@given(changes())
def test_the_worst_stands_first_and_names_in_their_order(change: tuple[Json, Json]) -> None:
    ranks = [(WORST_FIRST[g.verdict], g.traffic.shown_service) for g in compared(*change).groups]
    assert all(former <= latter for former, latter in pairwise(ranks))


@given(changes())
def test_the_same_question_has_the_same_answer_in_the_same_order(change: tuple[Json, Json]) -> None:
    assert rows_of(compared(*change)) == rows_of(compared(*change))


@given(changes())
def test_there_and_back_are_opposite(change: tuple[Json, Json]) -> None:
    there, back = compared(*change), compared(*reversed(change))
    opposite = {"worse": "better", "better": "worse", "moved": "moved"}
    turned = {(*row[:4], row[5], row[4], opposite[row[6]]) for row in rows_of(back)}
    assert set(rows_of(there)) == turned
    assert there.classes == back.classes


@given(changes())
def test_an_entry_point_of_one_side_only_has_nothing_on_the_other(change: tuple[Json, Json]) -> None:
    for row in rows_of(compared(*change)):
        assert row[4] or row[5]
        if not (row[4] and row[5]):
            assert row[6] == "moved"


@pytest.mark.parametrize("seed", range(8))
def test_step_by_step_it_is_the_same_answer(seed: int) -> None:
    before, after = random_change(seed, 4)
    whole = compared(before, after)
    stepwise = compare_stepwise(*(read_estate(json.dumps(one)) for one in (before, after)), AT)
    steps = list(stepwise.steps)
    assert (sum(step.targets for step in steps), stepwise.classes) == (stepwise.total, whole.classes)
    groups = [group for step in steps for alike in step.alike for group in alike.groups()]
    found = Differential(whole.classes, groups, stepwise.intent)
    rows = rows_of(whole)
    assert sorted(map(str, rows_of(found))) == sorted(str(row) for row in rows if row[4] and row[5])
    assert stepwise.appeared == sum(not row[4] for row in rows)
    assert stepwise.vanished == sum(not row[5] for row in rows)


# ---------------------------------------------------------------- names with an identifier in every database


@pytest.mark.parametrize("part", range(PARTS))
def test_a_service_of_every_database_is_compared_for_every_identifier(part: int) -> None:
    for seed in range(3_000_000 + part, 3_000_000 + EDITS // 2, PARTS):
        before, after = random_change(seed, 1 + seed % 3)
        assert disagreement(everywhere(before), everywhere(after)) is None, f"random_change({seed}, {1 + seed % 3})"
