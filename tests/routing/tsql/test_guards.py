"""Guards of scripts: false ones do not run; assumed ones, and statements that are rolled back, are reported."""

from __future__ import annotations

from typing import Any

import pytest

from routing.lint.registry import lint
from routing.model.estate import Estate
from routing.tsql import ScriptGroup, read_scripts
from tests.routing.tsql.rich import AT
from tests.routing.tsql.sketch import HOME, lines_of, sketch

ROUTE = "CREATE ROUTE r WITH ADDRESS = 'LOCAL'"
MADE = "A: route r: * -> LOCAL"
HEAD = """CREATE DATABASE A
GO
USE A
GO
CREATE QUEUE q
CREATE SERVICE s ON QUEUE q
CREATE CONTRACT c ([DEFAULT] SENT BY ANY)
CREATE ENDPOINT e STATE = STARTED AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER ()
GO
"""


def read(*texts: str, into: Estate | None = None) -> Any:
    scripts = [(f"{number}.sql", text) for number, text in enumerate(texts)]
    return read_scripts([ScriptGroup(HOME, None, scripts)], into=into, at=AT)


def lines(*texts: str) -> tuple[list[str], list[str]]:
    estate, findings = read(*texts)
    return sketch(estate), lines_of(findings)


MINE = """IF DB_ID('mine') IS NOT NULL
    DROP DATABASE [mine];
GO
CREATE DATABASE [mine];
GO
USE [mine];
GO
CREATE QUEUE q; CREATE SERVICE Mine ON QUEUE q;
CREATE ROUTE ToYours WITH SERVICE_NAME = N'Yours', ADDRESS = 'tcp://h:4022';
GO
"""


def test_a_script_whose_guard_alone_was_changed_drops_nothing() -> None:
    estate, findings = read(MINE, MINE.replace("DB_ID('mine')", "DB_ID('yours')"))
    assert lines_of(findings) == [
        "info not-executed 2 mine",
        "info not-executed 2 mine",
        "warning already-exists 4 mine",
        "warning already-exists 8 dbo.q",
        "warning already-exists 8 Mine",
        "warning already-exists 9 ToYours",
    ]
    assert 'the database "yours" is not there' in str(findings[1].reason)
    assert [finding.code for finding in lint(estate, AT)] == ["leads-nowhere"]


@pytest.mark.parametrize(
    "condition",
    [
        "1 = 0",
        "(1 = 0)",
        "NOT 1 = 1",
        "1 = 1 AND DB_ID('B') IS NOT NULL",
        "DB_ID(N'B') IS NOT NULL OR DB_ID('A') IS NULL",
        "DB_ID() IS NULL",
        "DB_NAME() = 'B'",
        "EXISTS (SELECT * FROM sys.databases WHERE name = 'B')",
        "EXISTS (SELECT 1 FROM master.sys.databases AS d WHERE d.name = N'B' AND d.is_broker_enabled = 0)",
        "EXISTS (SELECT TOP (1) name FROM master.dbo.sysdatabases WITH (NOLOCK) WHERE [name] = 'B')",
        "EXISTS (SELECT * FROM sys.databases WHERE name = 'A' AND is_broker_enabled = 0)",
        "(SELECT is_broker_enabled FROM sys.databases WHERE database_id = DB_ID()) = 0",
        "NOT EXISTS (SELECT * FROM sys.services WHERE name = 's')",
        "EXISTS (SELECT * FROM sys.services WHERE name = 'S')",
        "EXISTS (SELECT * FROM A.sys.routes WHERE name = 'x')",
        "EXISTS (SELECT * FROM sys.service_contracts WHERE name = N'd')",
        "(SELECT COUNT(*) FROM sys.service_queues WHERE name = 'p') > 0",
        "0 = (SELECT COUNT(1) FROM sys.service_queues q WHERE q.name = 'q')",
        "(SELECT name FROM sys.routes WHERE name = 'x') IS NOT NULL",
        "OBJECT_ID('dbo.p', 'SQ') IS NOT NULL",
        "OBJECT_ID(N'[A].[dbo].[q]', N'SQ') IS NULL",
        "OBJECT_ID('q') IS NULL",
        "EXISTS (SELECT * FROM sys.objects WHERE name = 'p' AND type = 'SQ')",
        "EXISTS (SELECT * FROM sys.endpoints WHERE name = 'f')",
        "NOT EXISTS (SELECT * FROM sys.service_broker_endpoints WHERE name = 'E')",
    ],
)
def test_a_guard_that_is_false(condition: str) -> None:
    estate, findings = lines(f"{HEAD}IF {condition}\n{ROUTE}\nELSE CREATE QUEUE otherwise")
    assert (MADE in estate, "A: queue dbo.otherwise" in estate) == (False, True)
    assert findings == ["info not-executed 11 r"]
    estate, findings = lines(f"{HEAD}IF NOT ({condition}) BEGIN\n{ROUTE}\nEND ELSE BEGIN CREATE QUEUE otherwise END")
    assert (MADE in estate, "A: queue dbo.otherwise" in estate) == (True, False)
    assert findings == ["info not-executed 12 dbo.otherwise"]


@pytest.mark.parametrize(
    "condition",
    [
        "@@SERVERNAME = 'x'",
        "DB_ID(@name) IS NOT NULL",
        "DB_ID('Used') IS NOT NULL",
        "EXISTS (SELECT * FROM sys.routes)",
        "EXISTS (SELECT * FROM sys.services WHERE name LIKE 's%')",
        "EXISTS (SELECT * FROM sys.services WHERE name = 's' AND principal_id = 1)",
        "EXISTS (SELECT * FROM dbo.Settings WHERE name = 's')",
        "EXISTS (SELECT * FROM Used.sys.services WHERE name = 's')",
        "OBJECT_ID('dbo.some_table') IS NULL",
        "OBJECT_ID('dbo.some_table', 'U') IS NULL",
        "1 = 1 AND @@TRANCOUNT > 0",
        "'a' = 'A'",
        "NOT " * 1_000 + "1 = 1",
    ],
)
def test_a_guard_that_is_known_only_when_it_runs_is_assumed_and_said(condition: str) -> None:
    estate, findings = lines(f"{HEAD}IF {condition}\n{ROUTE}\nGO\nUSE Used")
    assert MADE in estate
    assert findings == ["info conditional 11 r"]


def test_a_guard_about_the_very_object_needs_no_remark() -> None:
    text = "USE Used\nIF NOT EXISTS (SELECT * FROM sys.routes WHERE name = 'r')\n" + ROUTE
    assert lines(text) == (["Used", "Used: route r: * -> LOCAL"], [])


def test_guards_nest() -> None:
    text = f"{HEAD}IF DB_ID('A') IS NOT NULL BEGIN IF DB_ID('B') IS NOT NULL BEGIN {ROUTE} END ELSE CREATE QUEUE p END"
    estate, findings = lines(text)
    assert (MADE in estate, "A: queue dbo.p" in estate) == (False, True)
    assert findings == ["info not-executed 10 r"]


def test_a_guard_that_ends_the_batch_does_so() -> None:
    text = f"{HEAD}IF DB_ID('A') IS NOT NULL BEGIN PRINT 'there' RETURN END\n{ROUTE}"
    assert MADE not in lines(text)[0]
    assert MADE in lines(text.replace("DB_ID('A')", "DB_ID('B')"))[0]


def test_a_database_that_was_dropped_is_not_there() -> None:
    text = f"{HEAD}USE master\nDROP DATABASE A\nIF DB_ID('A') IS NOT NULL CREATE DATABASE B"
    assert lines(text)[0] == ["endpoint 4022 STARTED WINDOWS REQUIRED"]


def test_a_guard_in_a_string_and_around_one() -> None:
    text = f"{HEAD}IF DB_ID('B') IS NOT NULL EXEC ('CREATE QUEUE p')\nEXEC ('IF DB_ID(''B'') IS NULL CREATE QUEUE o')"
    estate, findings = lines(text)
    assert ("A: queue dbo.p" in estate, "A: queue dbo.o" in estate) == (False, True)
    assert findings == ["info not-executed 10 dbo.p"]


def test_a_guard_asks_the_estate_that_scripts_run_on() -> None:
    before, _ = read("CREATE DATABASE yours")
    estate, findings = read("IF DB_ID('yours') IS NOT NULL CREATE DATABASE mine", into=before)
    assert (sketch(estate), lines_of(findings)) == (["yours", "mine"], [])


# ---------------------------------------------------------------- made and dropped again


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        (f"{HEAD}DROP ENDPOINT e", ["info dropped-again 10 e"]),
        (f"{HEAD}USE master\nGO\nDROP DATABASE a", ["info dropped-again 12 a"]),
        (f"{HEAD}DROP SERVICE s\nDROP QUEUE q", ["info dropped-again 10 s", "info dropped-again 11 dbo.q"]),
        (f"{HEAD}EXEC ('DROP SERVICE s')", ["info dropped-again 10 s"]),
        (f"{HEAD}DROP SERVICE s\nCREATE SERVICE s ON QUEUE q", []),
        (f"{HEAD}DROP ROUTE AutoCreatedLocal", []),
    ],
)
def test_what_a_script_makes_and_drops_again_is_told(text: str, findings: list[str]) -> None:
    assert lines(text)[1] == findings


def test_a_message_type_is_not_the_one_that_differs_in_case() -> None:
    before, _ = read("CREATE DATABASE a\nGO\nUSE a\nGO\nCREATE MESSAGE TYPE Ship")
    _, findings = read("USE a\nGO\nCREATE MESSAGE TYPE ship\nGO\nDROP MESSAGE TYPE Ship", into=before)
    assert lines_of(findings) == []


def test_the_remark_has_both_lines() -> None:
    _, findings = read(f"{HEAD}DROP ENDPOINT e")
    assert 'the endpoint "e" is made at line 8 and dropped at line 10' in str(findings[0].reason)
