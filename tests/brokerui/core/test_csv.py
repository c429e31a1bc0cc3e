"""Files for spreadsheets: what a name says is shown there and never computed."""

from __future__ import annotations

import csv
from typing import Any

import pytest
from django.test import Client

from brokerui.core.csv import csv_lines
from brokerui.core.jobs.tasks import jobs_run
from brokerui.estate.scenarios.services import scenario_create
from tests.brokerui.estates import LOCAL, database, document, instance, to

FORMULAS = ("=1+2", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\uff1d1", "\uff20a", "'=1", "'quoted")
FILES = (
    "/map/export.csv",
    "/routes/routes.csv",
    "/findings/findings.csv",
    "/flow/flow.csv",
    "/reachability/table.csv",
    "/reachability/pairs.csv",
)


@pytest.mark.parametrize("text", FORMULAS)
def test_a_cell_that_begins_like_a_formula_is_text_and_can_be_read_back(text: str) -> None:
    [[written]] = csv.reader(csv_lines([[text]]))
    assert written == f"'{text}"


def test_everything_else_is_as_it_is() -> None:
    values: list[Any] = ["a=b", "", "1", "tcp://a:4022", 'say "no"', "a,b", "1-2"]
    [read] = csv.reader(csv_lines([[*values, -5, None]]))
    assert read == [*values, "-5", ""]


@pytest.mark.parametrize("path", FILES)
def test_no_file_of_the_site_holds_a_formula(viewer: Client, path: str) -> None:
    name = "=cmd|' /C calc'!A0"
    estate = document(
        instance(name, database(f"{name}d", to("tcp://b", name, name=f"{name}r"), services=(f"{name}s",))),
        instance("b", database("t", LOCAL, services=(name,)), database("msdb", LOCAL)),
    ).replace(f"tcp://{name}:4022", "tcp://h:4022")
    scenario, _gone = scenario_create(title="formulas", text=estate)
    query = {"scenario": scenario.name}
    viewer.get("/findings/", query)
    jobs_run()
    response = viewer.get(path, query)
    assert response.status_code == 200
    text = b"".join(response).decode()  # type: ignore[call-overload] - a streamed response is iterable
    cells = [cell for row in csv.reader(text.splitlines(keepends=True)) for cell in row]
    assert [cell for cell in cells if cell[:1] in "=+-@" and cell] == []
    assert any(cell.startswith("'=cmd") for cell in cells)
