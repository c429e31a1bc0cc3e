"""Variables and templates in the place of a keyword or of a statement are never passed over in silence."""

from __future__ import annotations

import pytest

from routing.tsql import ScriptGroup, read_scripts
from tests.routing.tsql.rich import AT


def codes(script: str) -> list[str]:
    _, findings = read_scripts([ScriptGroup("h", None, [("x.sql", f"USE A\nGO\n{script}")])], at=AT)
    return [finding.code for finding in findings]


@pytest.mark.parametrize(
    "script",
    [
        "CREATE $(kind) foo WITH ADDRESS='LOCAL'",
        "CREATE <obj, sysname, ROUTE> foo2 WITH ADDRESS='LOCAL'",
        "DROP REMOTE $(x) BINDING b",
        "$(stmt)",
        "PRINT 'x'\n  $(stmt);",
        "$(verb) ROUTE foo WITH ADDRESS='LOCAL'",
        ":setvar stmt \"CREATE ROUTE r WITH ADDRESS='LOCAL'\"\n$(stmt)",
        "CREATE ROUTE r $(with) ADDRESS='LOCAL'",
    ],
)
def test_it_is_said(script: str) -> None:
    assert codes(script) == ["value-not-literal"]


@pytest.mark.parametrize(
    "script",
    [
        "SELECT a,\n$(b)\nFROM\n$(t)",
        "EXEC\n$(procedure)",
        "INSERT t (\n$(columns)\n) VALUES (1)",
        "GRANT CREATE $(x) TO y",
        ":setvar kind ROUTE\nCREATE $(kind) foo WITH ADDRESS='LOCAL'",
        "CREATE TABLE $(x) (a int)",
    ],
)
def test_other_places_are_of_no_concern(script: str) -> None:
    assert codes(f"CREATE QUEUE q\nGO\n{script}") == []
