"""Scripts as tools keep them: variables, files read in, guards, and strings that are run."""

from __future__ import annotations

import pytest

from tests.brokerui.kinds.conftest import Desk

SHOP = "CREATE DATABASE Shop;\nGO\nUSE Shop;\nGO\n"
ROUTE = "CREATE ROUTE R WITH SERVICE_NAME = 'S', ADDRESS = 'TCP://$(Host):$(Port)';\n"


# ---------------------------------------------------------------- variables and files


def test_a_database_and_an_address_by_variables_of_the_script(desk: Desk) -> None:
    text = f":setvar DatabaseName Shop\n:setvar Host d.example\n:setvar Port 4022\nUSE [$(DatabaseName)];\nGO\n{ROUTE}"
    assert desk.scripts(shop=text).status == 0
    assert desk.routes() == {"R": "TCP://d.example:4022"}


def test_files_are_read_in_from_where_the_script_lies(desk: Desk) -> None:
    (desk.folder / "parts").mkdir()
    (desk.folder / "parts" / "routes.sql").write_text("CREATE ROUTE Sub WITH ADDRESS = 'LOCAL';\n")
    assert desk.scripts(shop=f"{SHOP}:r .\\parts\\routes.sql\nGO\n").status == 0
    assert desk.routes() == {"Sub": "LOCAL"}


@pytest.mark.parametrize("path", ["../secret.sql", "parts/../../secret.sql", "/etc/passwd", "C:\\secret.sql"])
def test_nothing_outside_of_the_folder_is_read_in(desk: Desk, path: str) -> None:
    (desk.folder.parent / "secret.sql").write_text("CREATE ROUTE Secret WITH ADDRESS = 'LOCAL';\n")
    answer = desk.scripts(shop=f"{SHOP}:r {path}\nGO\nCREATE ROUTE R WITH ADDRESS = 'LOCAL';\n")
    assert (answer.status, "was not read" in answer.err) == (1, True)
    assert desk.routes() == {"R": "LOCAL"}


def test_variables_are_given_from_outside(desk: Desk) -> None:
    desk.put(r=ROUTE)
    answer = desk.call("import-sql", "shop/Shop=r.sql", "-v", "Host=d.example", "Port=4023", "-o", "e.json")
    assert (answer.status, desk.routes()) == (0, {"R": "TCP://d.example:4023"})
    answer = desk.call("import-sql", "shop/Shop=r.sql", "-v", "Host=d.example", "-o", "e.json")
    assert (answer.status, "$(Port) has no value" in answer.err) == (1, True)


# ---------------------------------------------------------------- guards

OFF = f"{SHOP}ALTER DATABASE Shop SET DISABLE_BROKER;\nGO\nCREATE ROUTE R WITH ADDRESS = 'LOCAL';\nGO\n"


@pytest.mark.parametrize(
    ("guard", "runs"),
    [
        ("(SELECT is_broker_enabled FROM sys.databases WHERE name = 'Shop') = 0", True),
        ("EXISTS (SELECT * FROM sys.databases WHERE name = 'Shop' AND is_broker_enabled = 1)", False),
        ("(SELECT COUNT(*) FROM sys.routes WHERE name = 'R') = 0", False),
        ("NOT EXISTS (SELECT 1 FROM sys.services WHERE name = 'Nobody')", True),
        ("EXISTS (SELECT * FROM sys.service_queues WHERE name = N'NoQueue')", False),
        ("DB_NAME() = N'Other'", False),
        ("DB_ID('Shop') IS NOT NULL AND DB_ID('Other') IS NULL", True),
        ("1 = 0", False),
    ],
)
def test_a_guard_whose_values_are_known_is_evaluated(desk: Desk, guard: str, runs: bool) -> None:
    answer = desk.scripts(shop=f"{OFF}IF {guard} CREATE ROUTE Guarded WITH ADDRESS = 'LOCAL';\n")
    assert ("Guarded" in desk.routes()) is runs
    assert ("keeps it from running" in answer.err) is not runs


def test_of_a_guard_that_nobody_knows_both_sides_are_told(desk: Desk) -> None:
    made = "CREATE ROUTE {} WITH ADDRESS = 'LOCAL';"
    text = f"{SHOP}IF @@SERVERNAME = N'PROD' {made.format('A')}\nELSE {made.format('B')}\n"
    answer = desk.scripts(shop=text)
    assert desk.routes() == {"A": "LOCAL"}
    assert "under a condition that was not evaluated" in answer.err
    assert "CREATE ROUTE stands where running this script does not come" in answer.err


def test_what_is_made_and_dropped_again_is_told(desk: Desk) -> None:
    answer = desk.scripts(shop=f"{SHOP}CREATE ROUTE R WITH ADDRESS = 'LOCAL';\nGO\nDROP ROUTE R;\nGO\n")
    assert 'the route "R" is made at line 5 and dropped at line 7' in answer.err


# ---------------------------------------------------------------- strings that are run

MADE = "CREATE ROUTE Made WITH ADDRESS = ''LOCAL''"
RUN = {
    "sp_executesql": f"DECLARE @s nvarchar(max) = N'{MADE}'; EXEC sys.sp_executesql @s;",
    "joined": "DECLARE @n sysname = 'Made'; EXEC ('CREATE ROUTE ' + @n + ' WITH ADDRESS = ''LOCAL''');",
    "CONCAT and QUOTENAME": (
        "DECLARE @n sysname = 'Made', @c nvarchar(99);"
        " SELECT @c = CONCAT('CREATE ROUTE ', QUOTENAME(@n), ' WITH ADDRESS = ''LOCAL'''); EXEC (@c);"
    ),
    "FORMATMESSAGE": f"DECLARE @f nvarchar(99) = FORMATMESSAGE('{MADE.replace('Made', '%s')}', 'Made'); EXEC (@f);",
    "REPLACE": f"DECLARE @f nvarchar(99) = REPLACE(N'{MADE.replace('Made', '#N#')}', N'#N#', N'Made'); EXEC (@f);",
    "nested": "EXEC ('EXEC (''CREATE ROUTE Made WITH ADDRESS = ''''LOCAL'''''')');",
    "in another database": f"EXEC (N'USE Archive; {MADE}');",
}


@pytest.mark.parametrize("name", RUN)
def test_a_string_whose_text_is_known_runs(desk: Desk, name: str) -> None:
    assert desk.scripts(shop=f"{SHOP}{RUN[name]}\n").status == 0
    assert desk.routes() == {"Made": "LOCAL"}


UNKNOWN = {
    "a value of the server": (
        "DECLARE @g nvarchar(40); SELECT @g = service_broker_guid FROM sys.databases WHERE name = 'Other';"
        " EXEC (N'CREATE ROUTE Far WITH ADDRESS = N''TCP://f:1'', BROKER_INSTANCE = ''' + @g + N'''');"
    ),
    "a row of a table": (
        "DECLARE @s nvarchar(max); SELECT @s = body FROM dbo.Scripts; EXEC (@s + 'CREATE ROUTE Far WITH X');"
    ),
    "the name of the server": "EXEC ('CREATE ROUTE Far WITH ADDRESS = ''TCP://' + @@SERVERNAME + ':1''');",
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_of_a_string_that_nobody_knows_lint_and_explain_say_that_it_is_missing(desk: Desk, name: str) -> None:
    desk.scripts(shop=f"{SHOP}CREATE ROUTE Near WITH ADDRESS = 'LOCAL';\nGO\n{UNKNOWN[name]}\n")
    assert desk.routes() == {"Near": "LOCAL"}
    assert "warning missing-statements" in desk.codes()
    assert "this answer may be another one with it." in desk.explain("shop/Shop", "Far")
