"""Scripts as tools and people write them, through the command line and the page: statements read, and reports.

Each stands for a style: Script As and the wizard of SSMS, SSDT, Flyway, a compare tool, sqlcmd, SMO, dbatools,
tutorials in several languages and code pages, templates of deployment tools, and classic faults.
"""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from brokerui.analysis.imports.import_job import run_do
from brokerui.analysis.imports.services import Assignment, Given, run_assign, run_create
from brokerui.analysis.imports.sources import Kind, Mode
from tests.brokerui.cli.command_line import Call, call_with

FOLDER = Path(__file__).parents[1] / "data" / "strangers"
AT = "2026-11-01"
EXPECTED: dict[str, dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
"""By script: how it is given, and status, findings and routes of its import, the reasons of lint."""


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


def test_every_script_has_its_expectation() -> None:
    scripts = {path.name for path in FOLDER.glob("*.sql")}
    assert scripts == set(EXPECTED)
    assert len(scripts) >= 30


@pytest.mark.parametrize("name", EXPECTED)
def test_a_script_through_the_command_line(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(FOLDER)
    assert told_by_command(call, tmp_path, name) == {
        key: value for key, value in EXPECTED[name].items() if key not in ("database", "options", "why")
    }


def told_by_command(call: Call, tmp_path: Path, name: str) -> dict[str, Any]:
    wanted, out = EXPECTED[name], tmp_path / "estate.json"
    source = "/".join(filter(None, ("srv", wanted.get("database"))))
    words = ("import-sql", f"{source}={name}", *wanted.get("options", ()), "--at", AT, "--format", "json")
    answer = call(*words, "-o", out)
    if not out.exists():
        return {"status": answer.status, "refusal": answer.err.partition(f"{name}: ")[2].rstrip()}
    linted = json.loads(call("lint", out, "--at", AT, "--format", "json").out)
    return {
        "status": answer.status,
        "findings": [_finding(one) for one in json.loads(answer.err)],
        "routes": _routes(json.loads(out.read_text())),
        "lint": [f"{one['severity']} {one['code']}: {one['reason']}" for one in linted],
    }


def _finding(one: dict[str, Any]) -> str:
    return f"{one['severity']} {one['code']} {one.get('line') or '-'}: {one['reason']}"


def _routes(document: dict[str, Any]) -> list[str]:
    form = "{0[name]}/{1[name]}: {2[name]} -> {2[remote_service_name]} at {2[address]}"
    return [
        form.format(instance, database, route)
        for instance in document["instances"]
        for database in instance["databases"]
        for route in database["routes"]
        if route["name"] != "AutoCreatedLocal"
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "sqlcmd-master.sql"])
def test_the_page_says_the_same(editor: Any, name: str) -> None:
    wanted = EXPECTED[name]
    run = run_create(given=[Given(name, (FOLDER / name).read_bytes())], author="editor", token=name)
    option, *values = wanted.get("options", [""])
    variables, encoding = "\n".join(values if option == "-v" else ()), values[0] if option == "--encoding" else ""
    one = Assignment(Kind.SCRIPT, "srv", wanted.get("database") or "", encoding=encoding)
    run_assign(run=run, assignments=[one], mode=Mode.INSTANCES, author="editor", variables=variables)
    assert run_do(run.pk)
    text = editor.get(f"/imports/{run.pk}/").content.decode()
    page = " ".join(unescape(re.sub(r"<[^>]+>", "", text)).split())
    if "refusal" in wanted:
        assert wanted["refusal"] in page
        return
    for finding in wanted["findings"]:
        assert finding.partition(": ")[2] in page
    for route in wanted["routes"]:
        assert route.partition(": ")[2].partition(" -> ")[0] in page
