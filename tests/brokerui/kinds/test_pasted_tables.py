"""Tables as people paste them: no drawn line, blank or sign of a quotation becomes a part of a value."""

from __future__ import annotations

import pytest

from tests.brokerui.kinds.conftest import Desk

COLUMNS = ["name", "remote_service_name", "broker_instance", "lifetime", "address", "mirror_address"]
ROWS = (
    ["AutoCreatedLocal", "NULL", "NULL", "NULL", "LOCAL", "NULL"],
    ["ToPost", "//office/Post", "NULL", "NULL", "TCP://office:4022", "NULL"],
)


def bars(cells: list[str], bar: str = "|") -> str:
    return f"{bar} {f' {bar} '.join(cells)} {bar}"


RULE = bars(["---"] * 6)
MARKDOWN = [bars(COLUMNS), RULE, *map(bars, ROWS)]
BOX = [bars(COLUMNS, "│"), "├──────┼──────┤", *(bars(row, "│") for row in ROWS)]
DOUBLE = [bars(COLUMNS, "║"), "╠══════╬══════╣", *(bars(row, "║") for row in ROWS)]
TABLES = {
    "columns that are aligned": [MARKDOWN[0], "|:---|:--:|---:|---|---|---|", *MARKDOWN[2:]],
    "without bars at the ends": [line[2:-2] for line in MARKDOWN],
    "in a fence, with words around": ["I see this:", "", "```", *MARKDOWN, "```", "Any idea?"],
    "quoted in a mail": [f"> {line}" for line in MARKDOWN],
    "quoted twice": [f">> {line}" for line in MARKDOWN],
    "drawn with box characters": ["┌──────┬──────┐", *BOX, "└──────┴──────┘"],
    "drawn with double lines": ["╔══════╦══════╗", *DOUBLE, "╚══════╩══════╝"],
    "as wikis have them": [f"|| {' || '.join(COLUMNS)} ||", *map(bars, ROWS)],
    "in code": [MARKDOWN[0], RULE, *(bars([f"`{cell}`" for cell in row]) for row in ROWS)],
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_read(desk: Desk, name: str) -> None:
    answer = desk.grid("\n".join(TABLES[name]) + "\n")
    assert answer.status == 0, answer.err
    assert desk.routes() == {"ToPost": "TCP://office:4022"}


def test_a_page_of_html_is_refused_with_the_reason(desk: Desk) -> None:
    answer = desk.grid("<table><tr><th>name</th><th>address</th></tr><tr><td>R</td><td>LOCAL</td></tr></table>")
    assert answer.status == 4
    assert "it looks like a page of HTML" in answer.err
    assert not (desk.folder / "e.json").exists()
