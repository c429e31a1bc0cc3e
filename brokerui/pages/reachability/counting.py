"""Counts of pairs by verdict for each field of the table. Every pair is counted; none is sampled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from brokerui.analysis.reachability.matrix import Matrix
from brokerui.drawing.charts.look import UNNAMED
from brokerui.pages.reachability.axes import AxisGroup
from brokerui.pages.reachability.query import SHOWN
from routing.rules.decision import DELAYED, DROPPED, EXITS
from routing.rules.verdict import MIXED

RANK = {verdict: rank for rank, verdict in enumerate(SHOWN)}
NOT_DELIVERED = (EXITS, DELAYED, MIXED, DROPPED)
Counts = Counter[str]


@dataclass(frozen=True)
class PairCounts:
    """The fields of a matrix; those without any pair are not in it."""

    rows: tuple[AxisGroup, ...]
    columns: tuple[AxisGroup, ...]
    fields: dict[tuple[int, int], Counts]
    """By row and column."""
    apart: Counts = field(default_factory=Counter)
    """The verdicts of the unintended pairs: no route names them, and they are not delivered."""

    @property
    def totals(self) -> Counts:
        """Verdicts of all pairs."""
        return sum(self.fields.values(), Counter())

    def only(self, verdict: str) -> PairCounts:
        """With nothing but the pairs of one verdict, and the rows and columns that have some."""
        kept = {place: Counter({verdict: counts[verdict]}) for place, counts in self.fields.items() if counts[verdict]}
        return PairCounts(self.rows, self.columns, kept, self.apart).without_empty()

    def without_empty(self) -> PairCounts:
        """Without rows and columns that have no field."""
        rows, columns = ({place[side] for place in self.fields} for side in (0, 1))
        row = {number: index for index, number in enumerate(sorted(rows))}
        column = {number: index for index, number in enumerate(sorted(columns))}
        return PairCounts(
            tuple(self.rows[number] for number in row),
            tuple(self.columns[number] for number in column),
            {(row[r], column[c]): counts for (r, c), counts in self.fields.items()},
            self.apart,
        )


def worst(counts: Counts) -> str:
    """The worst verdict of a field."""
    return max((verdict for verdict, count in counts.items() if count), key=RANK.__getitem__)


def table_of(matrix: Matrix, rows: Sequence[AxisGroup], columns: Sequence[AxisGroup], *, named: bool) -> PairCounts:
    """Count; `named`: only pairs for which the origin has a route by name."""
    fields, apart = _named(matrix, rows, columns), Counter[str]()
    if not named:
        fields, apart = _set_apart(_all(matrix, rows, columns), fields)
    kept = {place: +counts for place, counts in fields.items() if +counts}
    table = PairCounts(tuple(rows), tuple(columns), kept, +apart)
    return table.without_empty() if named else table


def _set_apart(
    fields: dict[tuple[int, int], Counts], named: dict[tuple[int, int], Counts]
) -> tuple[dict[tuple[int, int], Counts], Counts]:
    """The fields with unintended pairs under one word, and the verdicts of these pairs."""
    apart: Counts = Counter()
    for place, counts in fields.items():
        for verdict in NOT_DELIVERED:
            unnamed = counts[verdict] - named.get(place, Counter())[verdict]
            if unnamed:
                apart[verdict] += unnamed
                counts[verdict] -= unnamed
                counts[UNNAMED] += unnamed
    return fields, apart


def _row_of(rows: Sequence[AxisGroup]) -> dict[int, int]:
    return {member: row for row, group in enumerate(rows) for member in group.members}


def _named(matrix: Matrix, rows: Sequence[AxisGroup], columns: Sequence[AxisGroup]) -> dict[tuple[int, int], Counts]:
    row_of = _row_of(rows)
    fields: dict[tuple[int, int], Counts] = {}
    for column, group in enumerate(columns):
        for name in group.members:
            for node in matrix.named[name]:
                row = row_of.get(node)
                if row is not None:
                    fields.setdefault((row, column), Counter())[matrix.verdict(node, name)] += 1
    return fields


def _all(matrix: Matrix, rows: Sequence[AxisGroup], columns: Sequence[AxisGroup]) -> dict[tuple[int, int], Counts]:
    """Return the counts of each cell: those of a name that occurs nowhere, times the names of the column, corrected by
    the names whose answers differ from it."""
    row_of = _row_of(rows)
    base = [Counter(matrix.base[node] for node in group.members) for group in rows]
    members = [Counter(row_of[node] for node in cell if node in row_of) for cell in matrix.cells]
    fields: dict[tuple[int, int], Counts] = {}
    for column, group in enumerate(columns):
        here = [Counter({verdict: n * len(group.members) for verdict, n in counts.items()}) for counts in base]
        for (cell, verdict), names in _cells(matrix, group).items():
            usual = matrix.base[matrix.cells[cell][0]]
            for row, count in members[cell].items():
                here[row][usual] -= count * names
                here[row][verdict] += count * names
        _nodes(matrix, group, row_of, here)
        fields.update(((row, column), counts) for row, counts in enumerate(here))
    return fields


def _cells(matrix: Matrix, group: AxisGroup) -> Counter[tuple[int, str]]:
    return Counter(one for name in group.members for one in matrix.rows[name].cells.items())


def _nodes(matrix: Matrix, group: AxisGroup, row_of: dict[int, int], here: list[Counts]) -> None:
    cell_of, base = matrix.cell_of, matrix.base
    for name in group.members:
        cells, nodes = matrix.rows[name]
        for node, verdict in nodes.items():
            row = row_of.get(node)
            if row is not None:
                here[row][cells.get(cell_of.get(node, -1), base[node])] -= 1
                here[row][verdict] += 1
