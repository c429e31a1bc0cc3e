"""When an import counts as incomplete: where statements were lost, not where they were meant so."""

from __future__ import annotations

import pytest

from brokerui.analysis.imports.finding_kinds import IMPORT_TITLES, LOST, REMARK_TITLES, something_is_missing
from routing.common.finding import SEVERITIES, Finding
from routing.common.sentence import say
from routing.tsql import ScriptGroup, read_scripts
from tests.strategies import AT

ROUTE = "CREATE ROUTE R WITH ADDRESS = N'LOCAL';"
BODY = f"CREATE PROCEDURE dbo.SetUp AS {ROUTE}"


def missing(script: str) -> bool:
    _, findings = read_scripts([ScriptGroup("a", None, [("a.sql", script)])], at=AT)
    return something_is_missing(findings)


@pytest.mark.parametrize(
    ("script", "is_missing"),
    [
        (f"USE D;\nGO\n{ROUTE}", False),
        (f"USE D;\nGO\n{BODY}", False),
        (f"USE D;\nGO\n{BODY}\nGO\nEXEC dbo.SetUp;", True),
        (f"USE D;\nGO\nIF 1 = 0\n{ROUTE}", False),
        (ROUTE, False),
        ("ALTER DATABASE CURRENT SET ENABLE_BROKER;", True),
        ("DROP ROUTE Gone;", False),
        ("USE D;\nGO\nCREATE ROUTE;", True),
    ],
)
def test_of_a_script(script: str, is_missing: bool) -> None:
    assert missing(script) is is_missing


def test_every_code_and_severity() -> None:
    for code in (*IMPORT_TITLES, *REMARK_TITLES, "queue-off"):
        counts = [s for s in SEVERITIES if something_is_missing([Finding(code, s, None, None, None, say("x"))])]
        assert counts == (list(SEVERITIES[: SEVERITIES.index(LOST[code]) + 1]) if code in LOST else [])
