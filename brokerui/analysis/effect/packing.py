"""The result of a comparison as a few bytes of the database: JSON, compressed."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

from brokerui.analysis.effect.ends import Ends
from routing.classes.class_evaluator import HopResult
from routing.classes.default_behaviour import EquivalenceClass
from routing.classes.traffic_class import Node, TrafficClass
from routing.diff.result import DiffGroup, GroupMembers, Outcomes
from routing.rules.decision import Outcome
from routing.rules.journey import in_order

_ANY = HopResult(frozenset(), frozenset())
LEVEL = 3
"""A little larger than at 9, in a fraction of the time."""


def packed(ends: Ends) -> bytes:
    """Return all of it; entry points that several groups share are written once."""
    nodes: dict[Node, int] = {}
    members: dict[tuple[int, ...], int] = {}
    known: dict[int, int] = {}

    def number(those: GroupMembers) -> int:
        if id(those) not in known:
            entries = tuple(nodes.setdefault(node, len(nodes)) for node in those)
            known[id(those)] = members.setdefault(entries, len(members))
        return known[id(those)]

    document = {
        "numbers": [ends.classes, ends.names, ends.grouped, ends.lost],
        "counters": [ends.counts, ends.kinds, ends.apart],
        "groups": [[_group(one, number(one.members)) for one in groups] for groups in (ends.groups, ends.groups_apart)],
        "members": list(members),
        "nodes": list(nodes),
    }
    return zlib.compress(json.dumps(document, separators=(",", ":")).encode(), LEVEL)


def _group(group: DiffGroup, members: int) -> list[Any]:
    return [list(group.traffic), in_order(group.before), in_order(group.after), members, group.loses_answers]


def unpacked(data: bytes) -> Ends:
    """Return the result again; groups name their entry points in the same order."""
    document = json.loads(zlib.decompress(data))
    classes, names, grouped, lost = document["numbers"]
    counts, kinds, apart = (Counter(one) for one in document["counters"])
    nodes = [(instance, database) for instance, database in document["nodes"]]
    members = [_members(nodes, entries) for entries in document["members"]]
    groups, groups_apart = ([_read(one, members) for one in groups] for groups in document["groups"])
    return Ends(classes, names, counts, kinds, apart, groups, groups_apart, grouped, lost)


def _members(nodes: Sequence[Node], entries: Sequence[int]) -> GroupMembers:
    order = {nodes[entry]: place for place, entry in enumerate(entries)}
    return GroupMembers(order, [(EquivalenceClass(_ANY, dict.fromkeys(order)), frozenset())])


def _read(kept: Sequence[Any], members: Sequence[GroupMembers]) -> DiffGroup:
    traffic, before, after, number, loses_answers = kept
    return DiffGroup(TrafficClass(*traffic), _outcomes(before), _outcomes(after), members[number], loses_answers)


def _outcomes(kept: Sequence[Sequence[str]]) -> Outcomes:
    return frozenset(Outcome(*one) for one in kept)
