"""Rows of `sys.routes` as a user edits them in the table of a draft: all that differs becomes one step, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from brokerui.estate.refs import ROUTE as ROUTE_REF
from brokerui.estate.refs import read_ref
from brokerui.pages.tables.form_page import place_of
from brokerui.pages.tables.row_kinds import ROUTE, document_of
from brokerui.pages.tables.typed_route import typed_route
from routing.common.errors import Invalid
from routing.common.names import MSDB
from routing.common.sentence import Sentence, say
from routing.lint.remedy import taken_names
from routing.model.edits import DropRoute, PutRoute
from routing.model.estate import Edit, Estate
from routing.model.route import Route
from routing.model.route_table import NO_ROUTES, RouteTable

CELLS = ("remote_service_name", "address", "lifetime", "broker_instance", "mirror_address")
"""The columns that a row has cells for, in the order of the table."""
MAX_ROWS = 2_000
"""Rows of one request."""


@dataclass
class EditedRow:
    """One row as it was sent."""

    number: int
    """From 0, as its cells are named."""
    place: str
    """`instance/database`."""
    name: str
    cells: Mapping[str, str]
    is_new: bool = False
    is_ticked: bool = False
    line: int = 0
    """Of the pasted text; 0: it was not pasted."""
    problems: dict[str, Sentence] = field(default_factory=dict)
    """By column; under an empty name, about the row as a whole."""

    @property
    def is_empty(self) -> bool:
        """Whether it is a line for a new row that nobody filled in."""
        return self.is_new and not self.name and not any(self.cells.values())


def rows_sent(data: Mapping[str, str]) -> Iterator[EditedRow]:
    """Read the rows of a form: `key-N` names one that is there, `place-N` and `name-N` a new one."""
    count = data.get("rows", "")
    for number in range(min(int(count), MAX_ROWS) if count.isascii() and count.isdecimal() and len(count) < 6 else 0):
        ref = read_ref(data.get(f"key-{number}", ""))
        known = ref.names if ref is not None and ref.kind == ROUTE_REF else None
        yield EditedRow(
            number,
            "/".join(known[:2]) if known else data.get(f"place-{number}", "").strip(),
            known[2] if known else data.get(f"name-{number}", ""),
            {cell: data.get(f"{cell}-{number}", "") for cell in CELLS},
            is_new=known is None,
            is_ticked=f"tick-{number}" in data,
        )


@dataclass
class RowEdits:
    """The edits of the rows on the estate of a draft."""

    estate: Estate
    rows: Sequence[EditedRow]
    drops: bool = False
    """Whether the ticked rows are dropped."""
    sets: Mapping[str, str] = field(default_factory=dict)
    """Cells that the ticked rows get."""
    may_replace: bool = False
    """Whether a new row takes the place of one of its name: pasted ones do."""
    edits: list[Edit] = field(default_factory=list)

    def __post_init__(self) -> None:
        drops = [edit for row in self.rows if self._is_dropped(row) for edit in self._drop(row)]
        puts = [edit for row in self.rows if not self._is_dropped(row) and not row.is_empty for edit in self._put(row)]
        self.edits = [*drops, *puts]
        self._find_twins(puts)

    @property
    def has_problems(self) -> bool:
        return any(row.problems for row in self.rows)

    def _is_dropped(self, row: EditedRow) -> bool:
        return self.drops and row.is_ticked and not row.is_new

    def _drop(self, row: EditedRow) -> Iterator[Edit]:
        place = self._place(row)
        if place is not None and self._old(place, row.name) is not None:
            yield DropRoute(*place, row.name)

    def _put(self, row: EditedRow) -> Iterator[Edit]:
        place = self._place(row)
        if place is None:
            return
        old = self._old(place, row.name)
        if row.is_new and not self.may_replace and row.name.lower() in taken_names(self._table(place)):
            row.problems["name"] = say("There is one of this name already.")
            return
        made = self._made(row)
        if made is not None and (old is None or document_of(ROUTE, made) != document_of(ROUTE, old)):
            yield PutRoute(*place, made)

    def _made(self, row: EditedRow) -> Route | None:
        cells = {**row.cells, **(self.sets if row.is_ticked else {})}
        try:
            return typed_route({"name": row.name, **{cell: text or None for cell, text in cells.items()}})
        except Invalid as fault:
            column = fault.path if fault.path in (*CELLS, "name") else ""
            row.problems[column] = fault.problem
            return None

    def _place(self, row: EditedRow) -> tuple[str, str] | None:
        found = _place_of(self.estate, row.place)
        if found is None:
            row.problems["place"] = say("There is no such database in the draft.")
        return found

    def _table(self, place: tuple[str, str]) -> RouteTable:
        return self.estate.instances[place[0]].tables.get(place[1], NO_ROUTES)

    def _old(self, place: tuple[str, str], name: str) -> Route | None:
        return self._table(place).routes.get(name)

    def _find_twins(self, puts: Iterable[Edit]) -> None:
        """A name that two rows give one database is told at the second one."""
        seen: set[tuple[str, str]] = set()
        for row in self.rows:
            key = (row.place, row.name.lower())
            if row.is_new and not row.is_empty and key in seen:
                row.problems.setdefault("name", say("Another row has this name."))
            seen.add(key)


def _place_of(estate: Estate, text: str) -> tuple[str, str] | None:
    """The database, or an msdb, which every instance has."""
    found = place_of(estate, text, 2)
    if found is not None:
        return found[0], found[1]
    instance, _slash, name = text.rpartition("/")
    return (instance, MSDB) if name == MSDB and instance in estate.instances else None
