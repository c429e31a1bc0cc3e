"""Statements that are rolled back or do not run are left out, and reported."""

from __future__ import annotations

import pytest

from routing.tsql import ScriptGroup, read_scripts
from tests.routing.tsql.rich import AT

R = "CREATE ROUTE r WITH ADDRESS = 'LOCAL'\n"


def routes_and_findings(script: str) -> tuple[list[str], list[tuple[str, str | None]]]:
    estate, findings = read_scripts([ScriptGroup("h", None, [("x.sql", f"USE A\nGO\n{script}")])], at=AT)
    routes = [name for name in estate.instances["h"].databases["A"].table.routes if name != "AutoCreatedLocal"]
    return routes, [(finding.code, finding.object) for finding in findings]


@pytest.mark.parametrize(
    "script",
    [
        f"BEGIN TRAN\n{R}ROLLBACK",
        f"BEGIN TRANSACTION t;\n{R};ROLLBACK TRANSACTION t;",
        f"BEGIN TRAN\nGO\n{R}GO\nROLLBACK TRAN\nGO",
        f"BEGIN TRAN BEGIN TRAN\n{R}COMMIT\nROLLBACK",
        f"BEGIN TRAN SAVE TRAN s\n{R}ROLLBACK TRAN s COMMIT",
        f"BEGIN TRAN SAVE TRAN s\n{R}ROLLBACK TRAN s ROLLBACK",
        f"BEGIN TRAN\nALTER DATABASE B SET TRUSTWORTHY ON WITH ROLLBACK IMMEDIATE\n{R}/* COMMIT */ ROLLBACK",
        f"SET NOEXEC ON\nGO\n{R}",
        f"SET PARSEONLY ON\nGO\n{R}GO\nSET PARSEONLY OFF",
        f"SET NOCOUNT, NOEXEC ON {R}",
        f"RETURN\n{R}",
        f"BEGIN RETURN END\n{R}",
        f"BEGIN TRAN\nCREATE PROCEDURE p AS COMMIT\nGO\n{R}GO\nROLLBACK",
    ],
)
def test_it_is_not_applied(script: str) -> None:
    routes, findings = routes_and_findings(script)
    assert routes == []
    assert ("not-executed", "r") in findings


@pytest.mark.parametrize(
    ("script", "codes"),
    [
        (f"BEGIN TRAN\n{R}IF @@ERROR <> 0 ROLLBACK\nCOMMIT", []),
        (f"BEGIN TRAN\n{R}IF @@ERROR = 0 COMMIT ELSE ROLLBACK", []),
        (f"BEGIN TRY BEGIN TRAN\n{R}COMMIT END TRY BEGIN CATCH ROLLBACK END CATCH", []),
        (f"BEGIN TRAN\n{R}COMMIT\nROLLBACK", []),
        (f"BEGIN TRAN\n{R}IF 1 = 1 BEGIN COMMIT RETURN END\nROLLBACK", []),
        (f"BEGIN TRAN\nROLLBACK\n{R}", []),
        (f"{R}BEGIN TRAN\nROLLBACK", []),
        (f"BEGIN TRAN\n{R}SAVE TRAN s\nROLLBACK TRAN s COMMIT", []),
        (f"BEGIN TRAN\n{R}GO\nCREATE PROCEDURE p AS ROLLBACK\nGO\nCOMMIT", []),
        (f"BEGIN TRAN\n{R}RETURN\nROLLBACK", ["conditional"]),
        (f"SET NOEXEC ON\nGO\nSET NOEXEC OFF\n{R}", []),
        (f"IF @@ERROR <> 0 SET NOEXEC ON\nGO\n{R}", []),
        (f"RETURN\nGO\n{R}", []),
        (f"{R}done:\nPRINT 'x'", []),
        (f"again:{R}done: again2:", []),
        (f"IF @@ERROR = 1 RETURN\n{R}", []),
        (f"RETURN\nlater:\n{R}", ["conditional"]),
    ],
)  # fmt: skip
def test_it_is_applied(script: str, codes: list[str]) -> None:
    routes, findings = routes_and_findings(script)
    assert routes == ["r"]
    assert [code for code, _ in findings] == codes


def test_a_route_whose_drop_is_rolled_back_stays() -> None:
    estate, findings = read_scripts(
        [ScriptGroup("h", None, [("x.sql", "USE A\nBEGIN TRAN; DROP ROUTE AutoCreatedLocal; ROLLBACK TRAN")])], at=AT
    )
    assert "AutoCreatedLocal" in estate.instances["h"].databases["A"].table.routes
    assert [(finding.code, finding.line) for finding in findings] == [("not-executed", 2)]


def test_a_use_outlives_the_rollback() -> None:
    assert routes_and_findings(f"USE B BEGIN TRAN USE A ROLLBACK\n{R}")[0] == ["r"]
