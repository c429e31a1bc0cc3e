"""Conversations that arrive as before and lose their acknowledgements are worse, for new and for acknowledged ones."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brokerui.analysis.effect.conversations import ALL, NONE, SOME, answers_back, conversation_of, explained
from brokerui.analysis.effect.ends import Ends, EndsCount
from brokerui.analysis.effect.packing import packed, unpacked
from brokerui.analysis.effect.rows import rows_of
from brokerui.analysis.effect.wording import states_in_words
from routing.diff.result import MOVED, DiffGroup, GroupMembers
from routing.diff.run import compare
from routing.documents.estate_document import read_estate
from routing.model.address import parse_address
from routing.model.edits import PutRoute
from routing.model.estate import Estate
from tests.routing.differential import random_change
from tests.routing.small import database, estate, host, to
from tests.strategies import AT, edits, estates

LEVELS = {ALL: 2, SOME: 1, NONE: 0, None: -1}
FIRST = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"


def counted(before: Estate, after: Estate) -> Ends:
    count = EndsCount(before, after, AT)
    while not count.is_settled:
        count.step()
    return count.ends


def lost_by_explaining(before: Estate, after: Estate) -> int:
    """Explain each class that only moves, in both estates."""
    lost = 0
    for group in compare(before, after, AT).groups:
        if group.verdict != MOVED or group.traffic.is_reply:
            continue
        for node in group.members:
            one = DiffGroup(group.traffic, group.before, group.after, GroupMembers({node: 0}, single=[node]))
            conversation = conversation_of(next(iter(rows_of([one]))))
            old, new = (LEVELS[answers_back(explained(side, conversation, AT))] for side in (before, after))
            lost += 0 <= new < old
    return lost


@settings(max_examples=settings().max_examples // 2)
@given(st.data())
def test_they_are_those_that_explaining_each_conversation_finds(data: st.DataObject) -> None:
    document = data.draw(estates())
    before, after = (read_estate(json.dumps(one)) for one in (document, data.draw(edits(document))))
    assert counted(before, after).lost == lost_by_explaining(before, after)


def test_so_are_those_of_many_random_changes() -> None:
    found: Counter[bool] = Counter()
    for seed in range(150):
        before, after = (read_estate(json.dumps(one)) for one in random_change(seed, 2))
        lost = counted(before, after).lost
        assert lost == lost_by_explaining(before, after), f"random_change({seed}, 2)"
        found[lost > 0] += 1
    assert found[True] > 0


def sent_elsewhere(identifier: str | None, *, answers: bool) -> tuple[Estate, Estate]:
    """Lead a route to a second target; whether that one has a way back."""
    own: dict[str, Any] = {"broker_instance": identifier}
    back = [to("edge", "Buy")]
    before = estate(
        host("edge", database("Orders", "Buy", routes=[to("hub", "Parts")], **own), outside=[to("LOCAL")]),
        host("hub", database("Stock", "Parts", routes=back), outside=[to("LOCAL")]),
        host("far", database("Depot", "Parts", routes=back if answers else []), outside=[to("LOCAL")]),
    )
    route = before.instances["edge"].databases["Orders"].table.routes["R0"]
    return before, before.edited([PutRoute("edge", "Orders", replace(route, address=parse_address("tcp://far")))])


@pytest.mark.parametrize("identifier", [None, FIRST])
def test_a_route_to_a_target_without_a_way_back_is_worse_though_messages_arrive(identifier: str | None) -> None:
    ends = counted(*sent_elsewhere(identifier, answers=False))
    [group] = ends.groups
    assert (group.verdict, group.kind, [*group.members]) == ("worse", "answers_lost", [("edge", "Orders")])
    assert (ends.counts["worse"], ends.counts["moved"], ends.lost) == (1, 0, 1)
    assert (ends.summary()["worse"], ends.summary()["moved"]) == (0, 2)
    again = unpacked(packed(ends))
    assert [(one.verdict, one.kind) for one in again.groups] == [("worse", "answers_lost")]
    assert again.lost == 1


@pytest.mark.parametrize("identifier", [None, FIRST])
def test_a_target_with_a_way_back_only_moves_it(identifier: str | None) -> None:
    ends = counted(*sent_elsewhere(identifier, answers=True))
    assert [(group.verdict, group.kind) for group in ends.groups] == [("moved", "moved")]
    assert ends.lost == 0


def test_conversations_that_a_database_of_unknown_identifier_has_acknowledged_are_told_apart() -> None:
    before, after = sent_elsewhere(None, answers=True)
    [row] = [one for one in rows_of(counted(before, after).groups_apart) if one.service == "Parts"]
    [says] = [str(one) for one in states_in_words(row, after) if "known" in str(one)]
    assert says.startswith("Conversations with an identifier that no database is known to have: also those that Stock")
