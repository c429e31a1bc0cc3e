"""Counting pairs in groups gives what counting them one by one gives."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from brokerui.analysis.reachability.matrix import Matrix, matrix_of
from brokerui.analysis.reachability.packing import packed, unpacked
from brokerui.drawing.charts.look import UNNAMED
from brokerui.pages.reachability.axes import MOST, AxisGroup, origin_groups, origins, service_groups, services
from brokerui.pages.reachability.counting import PairCounts, table_of, worst
from brokerui.pages.reachability.query import SHOWN, ReachabilityQuery
from routing.classes.reachability import routes_by_name, service_names
from routing.documents.estate_document import read_estate
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.journey import Journeys
from routing.rules.verdict import MAY_DELIVER, MUST_DELIVER, verdict
from tests.strategies import AT, random_case

EVERYTHING = ReachabilityQuery(outside="1", system="1")
DELIVERED = (MUST_DELIVER, MAY_DELIVER)


def drawn(seed: int) -> tuple[Estate, Matrix]:
    estate = read_estate(json.dumps(random_case(random.Random(seed)).estate))
    return estate, matrix_of(estate, AT, service_names(estate))


def one_by_one(
    estate: Estate, matrix: Matrix, table: PairCounts, *, named: bool
) -> dict[tuple[int, int], Counter[str]]:
    journeys, fields = Journeys(estate, AT), {}
    for row, origin in enumerate(table.rows):
        for column, service in enumerate(table.columns):
            pairs = [(matrix.nodes[node], matrix.names[name]) for node in origin.members for name in service.members]
            counts: Counter[str] = Counter()
            for node, name in pairs:
                found = verdict(journeys.outcomes(Conversation(*node, name)))
                is_named = routes_by_name(estate.instances[node[0]].tables[node[1]], name, AT)
                if is_named or not named:
                    counts[found if is_named or found in DELIVERED else UNNAMED] += 1
            if counts:
                fields[row, column] = counts
    return fields


def in_groups(rng: random.Random, numbers: list[int]) -> list[AxisGroup]:
    """Any cut into groups."""
    groups = []
    while numbers:
        size = rng.randint(1, max(1, len(numbers) // 2))
        groups.append(AxisGroup("", tuple(numbers[:size]), "", ""))
        numbers = numbers[size:]
    return groups


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_as_one_by_one(seed: int, named: bool) -> None:
    estate, matrix = drawn(seed)
    rng = random.Random(seed)
    rows = in_groups(rng, origins(estate, matrix.nodes, EVERYTHING))
    columns = in_groups(rng, services(matrix.names, EVERYTHING))
    table = table_of(matrix, rows, columns, named=named)
    assert table.fields == one_by_one(estate, matrix, table, named=named)


@pytest.mark.parametrize("seed", range(10))
def test_what_is_asked_for_in_part_is_a_part(seed: int) -> None:
    """Groups of a group add up to it: nothing is lost on the way down."""
    estate, matrix = drawn(seed)
    rows, columns = origins(estate, matrix.nodes, EVERYTHING), services(matrix.names, EVERYTHING)
    if not columns:
        return
    whole = table_of(matrix, [AxisGroup("", tuple(rows), "", "")], [AxisGroup("", tuple(columns), "", "")], named=False)
    each = table_of(
        matrix, origin_groups(estate, matrix.nodes, rows), service_groups(matrix.names, columns), named=False
    )
    assert each.totals == whole.totals
    assert whole.totals.total() == len(rows) * len(columns)
    only = [each.only(verdict).totals for verdict in SHOWN]
    assert sum(only, Counter()) == whole.totals
    assert each.apart == whole.apart
    assert whole.apart.total() == whole.totals[UNNAMED]


@pytest.mark.parametrize("seed", range(10))
def test_what_is_kept_in_the_database_is_the_same(seed: int) -> None:
    _, matrix = drawn(seed)
    assert unpacked(packed(matrix), matrix.nodes, matrix.names) == matrix


def test_the_worst_is_shown() -> None:
    assert worst(Counter(must_deliver=1000, dropped=1)) == "dropped"
    assert worst(Counter(must_deliver=5, exits=1)) == "exits"
    assert worst(Counter(may_deliver=5, exits=1)) == "may_deliver"
    assert worst(Counter(delayed=1, mixed=1, may_deliver=1)) == "mixed"
    assert worst(Counter(must_deliver=1, dropped=0)) == "must_deliver"
    assert worst(Counter(must_deliver=1, unnamed=9)) == "must_deliver"


# -- Groups ------------------------------------------------------------------------------------------------


def estate_of(instances: int, databases: int) -> Estate:
    rows = [
        {"name": f"srv{i:04}", "databases": [{"name": f"Db{n:03}"} for n in range(databases)]} for i in range(instances)
    ]
    return read_estate(json.dumps({"format": "brokerui.estate/1", "instances": rows}))


@pytest.mark.parametrize(
    ("instances", "databases", "rows", "first"),
    [
        (20, 3, 60, "srv0000/Db000"),
        (30, 4, 30, "srv0000"),
        (130, 2, 44, "srv0000 … srv0002"),
        (1, 200, 50, "srv0000/Db000 … srv0000/Db003"),
    ],
)
def test_origins_by_themselves_by_instance_by_instances(instances: int, databases: int, rows: int, first: str) -> None:
    estate = estate_of(instances, databases)
    matrix = matrix_of(estate, AT, [])
    groups = origin_groups(estate, matrix.nodes, origins(estate, matrix.nodes, ReachabilityQuery()))
    assert (len(groups), groups[0].label) == (rows, first)
    assert sorted(n for group in groups for n in group.members) == origins_in_order(matrix)
    assert len(groups) <= MOST
    for group in groups:
        inside = origins(estate, matrix.nodes, ReachabilityQuery(origin_from=group.first, origin_to=group.last))
        assert tuple(inside) == group.members


def origins_in_order(matrix: Matrix) -> list[int]:
    return [number for number, node in enumerate(matrix.nodes) if node[1] is not None]


@pytest.mark.parametrize(
    ("names", "groups", "first"),
    [
        ([f"S{n}" for n in range(60)], 60, "S0"),
        ([f"//a/app{n % 10}/S{n:03}" for n in range(200)], 10, "//a/app0/…"),
        ([f"//a/app{n:03}/S{m}" for n in range(97) for m in range(3)], 49, "//a/app000/ … //a/app001/"),
        ([f"S{n:03}" for n in range(100)], 50, "S000 … S001"),
        ([*(f"//a/S{n:03}" for n in range(99)), "Lonely"], 50, "//a/S000 … //a/S001"),
        ([f"//c{n % 8}/S{n:03}" for n in range(99)], 8, "//c0/…"),
    ],
)
def test_services_by_what_they_begin_with(names: list[str], groups: int, first: str) -> None:
    names = sorted(names)
    found = service_groups(names, services(names, ReachabilityQuery()))
    assert (len(found), found[0].label) == (groups, first)
    assert [n for group in found for n in group.members] == list(range(len(names)))
    for group in found:
        inside = services(names, ReachabilityQuery(service_from=group.first, service_to=group.last))
        assert tuple(inside) == group.members
