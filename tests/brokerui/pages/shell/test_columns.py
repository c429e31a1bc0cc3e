"""Columns of tables: orders, heads, choices and files by their address."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from brokerui.core.errors import BadAddressError
from brokerui.core.paging import page_after
from brokerui.pages.shell.columns import Column, Table


class Row(NamedTuple):
    name: str
    age: int | None = None


TABLE: Table[Row] = Table(
    Column("name", "Name", lambda row: row.name, is_head=True, files=("name",)),
    Column("age", "Age", lambda row: row.age, is_number=True, files=("age_ms",)),
    Column("note", "Note", is_usual=False),
)
ROWS = [Row("b", 2), Row("A"), Row("c", 3), Row("a", 2)]


def names(rows: list[Row]) -> str:
    return "".join(row.name for row in rows)


@pytest.mark.parametrize(("sort", "order"), [("", "bAca"), ("name", "Aabc"), ("-name", "cbAa"), ("-age", "cbaA")])
def test_rows_are_ordered_and_those_without_a_value_come_last(sort: str, order: str) -> None:
    assert names(TABLE.read({"sort": sort}).ordered(ROWS)) == order


def test_heads_turn_the_order_and_keep_what_else_the_address_has() -> None:
    view = TABLE.read({"sort": "-age", "q": "x", "after": "9 c", "columns": "age,note"})
    assert [(head.label, head.query, head.aria_sort) for head in view.heads] == [
        ("Name", "sort=name&q=x&columns=age%2Cnote", ""),
        ("Age", "sort=age&q=x&columns=age%2Cnote", "descending"),
        ("Note", "", ""),
    ]
    assert view.usual_query == "sort=-age&q=x"


def test_a_choice_of_columns_is_kept_and_files_follow_it() -> None:
    usual, view = TABLE.read({}), TABLE.read({"columns": "note"})
    assert usual.has == {"name": True, "age": True, "note": False}
    assert view.has == {"name": True, "age": False, "note": True}
    columns = ("name", "age_ms", "place")
    assert usual.of_file(columns, [])[0] == columns
    found, rows = view.of_file(columns, [("a", 2, "x")])
    assert (found, list(rows)) == (("name",), [["a"]])


@pytest.mark.parametrize("query", [{"sort": "nmae"}, {"sort": "note"}, {"columns": "age,place"}])
def test_an_unknown_column_is_refused_by_its_name(query: dict[str, str]) -> None:
    with pytest.raises(BadAddressError, match="this table has no column"):
        TABLE.read(query)


def test_pages_follow_a_row_and_its_place_once_it_is_gone() -> None:
    first, after = page_after(ROWS, "", lambda row: row.name, 2)
    assert (names(list(first)), after) == ("bA", "2 A")
    assert names(list(page_after(ROWS, after, lambda row: row.name, 2)[0])) == "ca"
    assert names(list(page_after([ROWS[0], *ROWS[2:]], after, lambda row: row.name, 2)[0])) == "a"
    assert page_after(ROWS, "9 z", lambda row: row.name, 2) == ([], "")
