"""The look of the cells of a column, in a grid whose headings were not copied."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from routing.common.errors import Invalid
from routing.common.identifier import parse_identifier
from routing.model.address import parse_address

_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d.*)?|\d{1,2}[./-]\d{1,2}[./-]\d{4}(?: .*)?")
NULLS = frozenset(("", "NULL"))


@dataclass(frozen=True, slots=True)
class ColumnCells:
    """The cells of one column, and its place."""

    index: int
    cells: tuple[str, ...]

    @property
    def known(self) -> tuple[str, ...]:
        """The cells that are not NULL."""
        return tuple(cell for cell in self.cells if cell not in NULLS)

    @property
    def is_unknown(self) -> bool:
        """True if every cell is NULL."""
        return not self.known

    @property
    def is_complete(self) -> bool:
        """True if no cell is NULL."""
        return len(self.known) == len(self.cells)

    @property
    def is_unique(self) -> bool:
        """True if the cells can be names: none is NULL, none stands twice."""
        return self.is_complete and len({cell.casefold() for cell in self.cells}) == len(self.cells)

    @property
    def is_address(self) -> bool:
        """True if every cell that is not NULL is an address of a route."""
        return bool(self.known) and all(map(_is_address, self.known))

    @property
    def is_network(self) -> bool:
        """True if every cell that is not NULL is an address in the network."""
        return self.is_address and all(parse_address(cell).is_network for cell in self.known)

    @property
    def is_identifier(self) -> bool:
        return bool(self.known) and all(map(_is_identifier, self.known))

    @property
    def is_date(self) -> bool:
        return bool(self.known) and all(map(_DATE.fullmatch, self.known))

    @property
    def is_number(self) -> bool:
        return bool(self.known) and all(cell.isascii() and cell.isdecimal() for cell in self.known)

    @property
    def is_bit(self) -> bool:
        return self.is_complete and {cell.lower() for cell in self.known} <= {"0", "1", "false", "true"}

    @property
    def is_text(self) -> bool:
        """True for a column of names without another recognisable kind."""
        return bool(self.known) and not (self.is_address or self.is_identifier or self.is_date or self.is_number)


def columns_of(rows: Sequence[Sequence[str]]) -> tuple[ColumnCells, ...]:
    """The columns of rows of one length."""
    return tuple(ColumnCells(index, tuple(cells)) for index, cells in enumerate(zip(*rows, strict=True)))


def _is_address(cell: str) -> bool:
    try:
        parse_address(cell)
    except Invalid:
        return False
    return True


def _is_identifier(cell: str) -> bool:
    try:
        parse_identifier(cell)
    except Invalid:
        return False
    return True
