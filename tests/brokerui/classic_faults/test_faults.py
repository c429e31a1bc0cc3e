"""Each classic fault, from the scripts to the remedy: import, lint, explain and pages name its cause and nothing else.

The remedies are run as an administrator runs them: the T-SQL of the finding, on the instance that it names.
"""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from brokerui.estate.services import estate_import
from routing.documents.estate_document import read_estate
from routing.lint.remedy import endpoint_change
from routing.tsql.endpoints import DEFAULT_ENDPOINT
from tests.brokerui.classic_faults.faults import DELIVERED, FAULTS, ClassicFault
from tests.brokerui.cli.command_line import Call, call_with, written
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]
AT = "2030-01-01"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_cause_is_named_and_the_remedy_mends_it(
    call: Call, viewer: Client, tmp_path: Path, fault: ClassicFault
) -> None:
    estate = imported(call, tmp_path, fault)
    found = linted(call, estate)
    assert {(one["severity"], one["code"], one["object"]) for one in found} == fault.findings
    answer = explained(call, estate, fault)
    assert answer[0] == fault.answer
    assert any(fault.cause in line for line in answer), answer
    pages_agree(viewer, estate, fault, found)
    mended = [one for one in found if (one["severity"], one["code"], one["object"]) in fault.remedies]
    assert len(mended) == len(fault.remedies)
    assert [one["code"] for one in found if one["remedy_sql"] and not fault.remedies] == []
    for one in mended:
        estate = run_on(call, tmp_path, estate, one)
    if mended:
        assert linted(call, estate) == []
        answer = explained(call, estate, fault)
        assert answer[0] == DELIVERED
        assert [line for line in answer if "…but" in line] == []


def imported(call: Call, folder: Path, fault: ClassicFault) -> Path:
    """The estate of the scripts, which an import takes without a word."""
    files = {name: written(folder, f"{name}.sql", text.lstrip()) for name, text in fault.scripts.items()}
    estate = folder / "estate.json"
    answer = call("import-sql", *(f"{name}={file}" for name, file in files.items()), "--at", AT, "-o", estate)
    assert (answer.status, answer.out, answer.err) == (0, "", "")
    return estate


def linted(call: Call, estate: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(call("lint", estate, "--at", AT, "--format", "json").out)
    return found


def explained(call: Call, estate: Path, fault: ClassicFault) -> list[str]:
    """The answer, as lines, without the rules."""
    out = call("explain", estate, "--from", "shop/Orders", "--to", fault.service, "--at", AT).out
    return out.partition("\nWhy\n")[0].splitlines()


def run_on(call: Call, folder: Path, estate: Path, finding: dict[str, Any]) -> Path:
    """The estate after the T-SQL of a finding was run on its instance."""
    change = endpoint_change(finding["remedy_sql"])  # it reads the endpoint's name from the server
    statement = f"ALTER ENDPOINT {DEFAULT_ENDPOINT} {change};" if change else finding["remedy_sql"]
    script = written(folder, f"{finding['code']}.sql", statement)
    after = folder / f"after-{finding['code']}.json"
    answer = call("import-sql", f"{finding['instance']}={script}", "--into", estate, "--at", AT, "-o", after)
    assert answer.status == 0, answer.err
    return after


def pages_agree(viewer: Client, estate: Path, fault: ClassicFault, found: list[dict[str, Any]]) -> None:
    """*Findings* has every reason, *Where does it go?* the answer and the cause, as the commands do."""
    estate_import(estate=read_estate(estate.read_bytes()), author="test")
    findings = words_of(viewer.get("/findings/"))
    for one in found:
        assert one["reason"] in findings, one["reason"]
    query = {"from": "shop/Orders", "to": fault.service}
    where = words_of(viewer.get("/where/", query))
    assert fault.answer.partition(": ")[2] in where
    assert fault.cause in where, fault.cause


def words_of(page: Any) -> str:
    """The page as it is read."""
    assert page.status_code == 200
    return " ".join(unescape(re.sub(r"<[^>]+>", "", page.content.decode())).split())
