"""Files without a statement about Service Broker: told of, and no instance is made of them alone."""

from __future__ import annotations

import pytest

from routing.common.errors import InputError
from routing.common.finding import Finding
from routing.model.estate import Estate
from routing.tsql import ScriptGroup, read_import, read_scripts
from tests.routing.tsql.rich import AT

TABLES = "USE shop\nGO\nCREATE TABLE dbo.t (id int)\nGO\nINSERT dbo.t VALUES (1)\n"
BROKER = "USE shop\nGO\nCREATE ROUTE r WITH ADDRESS = 'LOCAL'\n"


def imported(*groups: tuple[str, tuple[str, ...]], into: Estate | None = None) -> tuple[Estate, tuple[Finding, ...]]:
    scripts = [
        ScriptGroup(name, None, [(f"{name}{number}.sql", text) for number, text in enumerate(texts)])
        for name, texts in groups
    ]
    return read_import(scripts, lambda _: into, {name: len(texts) for name, texts in groups}, at=AT)


def silent(text: str) -> list[str]:
    _, findings = read_scripts([ScriptGroup("h", None, [("x.sql", text)])], at=AT)
    return [str(one.reason) for one in findings if one.code == "no-statement"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (TABLES, "begins with CREATE TABLE, INSERT"),
        ("USE shop", "begins with USE"),
        ("SELECT 'CREATE TABLE'; -- CREATE QUEUE\nEXEC dbo.p", "begins with SELECT, EXEC"),
        ("CREATE OR ALTER PROCEDURE p AS RETURN", "begins with CREATE PROCEDURE"),
        ("CREATE UNIQUE CLUSTERED INDEX i ON t (c)", "begins with CREATE INDEX"),
        ("DECLARE @h uniqueidentifier;\nSEND ON CONVERSATION @h (0x)", "begins with DECLARE, SEND"),
        ("ALTER DATABASE shop SET RECOVERY SIMPLE", "begins with ALTER DATABASE"),
        ("CREATE ENDPOINT m AS TCP (LISTENER_PORT = 5022) FOR DATABASE_MIRRORING (ROLE = ALL)", "CREATE ENDPOINT"),
        ("EXEC (N'CREATE TABLE t (a int)')", "begins with EXEC"),
        ("GO", "an object of Service Broker"),
        (":setvar Host depot", "only sets variables"),
    ],
)
def test_what_it_has_is_said(text: str, shown: str) -> None:
    (reason,) = silent(text)
    assert shown in reason


@pytest.mark.parametrize(
    "text",
    [
        BROKER,
        "CREATE DATABASE shop",
        "ALTER DATABASE shop SET ENABLE_BROKER",
        "EXEC (N'CREATE QUEUE q')",
        "EXEC (@made)",
        "CREATE PROCEDURE p AS CREATE QUEUE q",
        "DROP ROUTE r",
        "CREATE ROUTE",
        ':r "missing.sql"',
        '-- brokerui: {"hop_limit": 3}',
    ],
)
def test_whatever_concerns_service_broker_says_something(text: str) -> None:
    assert silent(text) == []


def test_the_files_of_a_folder_of_migrations_are_one_import() -> None:
    estate, findings = imported(("shop", (TABLES, BROKER, "SELECT 1", "-- later")))
    assert list(estate.instances["shop"].databases["shop"].table.routes) == ["AutoCreatedLocal", "r"]
    assert [(one.file, one.severity) for one in findings if one.code == "no-statement"] == [
        (f"shop{number}.sql", "info") for number in (0, 2, 3)
    ]


def test_a_file_of_variables_is_no_remark_beside_the_scripts_that_use_it() -> None:
    assert imported(("shop", (":setvar Host depot", BROKER)))[1] == ()


def test_an_instance_of_which_no_file_says_anything_is_left_out() -> None:
    before, _ = imported(("office", (BROKER.replace("shop", "office"),)))
    estate, findings = imported(("shop", (BROKER,)), ("office", (TABLES,)), into=before)
    assert estate.instances["office"] == before.instances["office"]  # without a database of TABLES
    (one,) = findings
    assert (one.code, one.severity, one.instance, one.file) == ("no-statement", "warning", "office", "office0.sql")
    assert "No other file of office has one" in str(one.reason)
    assert list(imported(("shop", (BROKER,)), ("office", (TABLES,)))[0].instances) == ["shop"]


@pytest.mark.parametrize("texts", [(TABLES,), (TABLES, "-- later"), (":setvar Host depot",)])
def test_an_import_that_says_nothing_is_refused(texts: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=r"shop0.sql: .*give the script that makes routes"):
        imported(("shop", texts))
