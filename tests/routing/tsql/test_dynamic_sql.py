"""Strings that a script runs: followed where their text is known, reported where it is not, never guessed."""

from __future__ import annotations

from typing import Any

import pytest

from routing.common.errors import InputError
from routing.tsql import ScriptGroup, read_scripts
from tests.routing.tsql.rich import AT
from tests.routing.tsql.sketch import HOME, sketch, told

ROUTE = "CREATE ROUTE r WITH ADDRESS = ''LOCAL''"
MADE = ["A", "A: route r: * -> LOCAL"]


def read(text: str) -> Any:
    estate, findings = read_scripts([ScriptGroup(HOME, None, [("x.sql", text)])], at=AT)
    return sketch(estate), told(findings)


TILL = """USE master;
GO
CREATE DATABASE Till;
GO
USE Till;
GO
CREATE QUEUE ReceiptQueue;
CREATE SERVICE [//Shop/Till] ON QUEUE ReceiptQueue;
GO
DECLARE @Cmd NVARCHAR(4000);
SET @Cmd = N'USE Till;
CREATE ROUTE ToStore
WITH SERVICE_NAME = N''//Shop/Store'',
     ADDRESS = N''TCP://SR-02:4022'';';
EXEC (@Cmd);
SET @Cmd = N'USE msdb
CREATE ROUTE ToTill
WITH SERVICE_NAME = N''//Shop/Till'', ADDRESS = N''LOCAL''';
EXEC (@Cmd);
GO
"""


def test_the_tutorial_of_the_vendor_makes_its_routes_in_both_databases() -> None:
    assert read(TILL) == (
        [
            "Till",
            "Till: queue dbo.ReceiptQueue",
            "Till: service //Shop/Till on dbo.ReceiptQueue",
            "Till: route ToStore: //Shop/Store -> TCP://SR-02:4022",
            "msdb",
            "msdb: route ToTill: //Shop/Till -> LOCAL",
        ],
        [],
    )


@pytest.mark.parametrize(
    "batch",
    [
        f"EXEC ('{ROUTE}')",
        f"execute sp_executesql N'{ROUTE}'",
        f"EXEC sys.sp_executesql @stmt = N'{ROUTE}'",
        f"EXEC @rc = A.dbo.sp_executesql N'{ROUTE}', N'@x int', @x = 1",
        f"sp_executesql N'{ROUTE}'",
        f"EXEC ('{ROUTE}') AS USER = 'dbo'",
        f"DECLARE @a nvarchar(max) = N'{ROUTE}' EXEC sp_executesql @a",
        f"DECLARE @a AS nvarchar(max), @b sysname SET @a = N'{ROUTE}'; EXEC (@a)",
        f"DECLARE @a varchar(8000); SELECT @a = '{ROUTE}'; EXEC (@A)",
        "DECLARE @a nvarchar(200) = N'CREATE ROUTE r ' SET @a += N'WITH ADDRESS = ''LOCAL''' EXEC (@a)",
        (
            "DECLARE @a nvarchar(50) = N'r', @b nvarchar(200); SET @b = N'CREATE ROUTE ' + @a; EXEC (@b + ' "
            "WITH ADDRESS = ''LOCAL''')"
        ),
        (
            "DECLARE @a sysname = N'r', @b nvarchar(max) = CONCAT('CREATE ROUTE ', QUOTENAME('r'), ' WITH "
            "ADDRESS = ''LOCAL''') EXEC (@b)"
        ),
        "DECLARE @b nvarchar(max) = REPLACE(N'CREATE ROUTE {n} WITH ADDRESS = ''LOCAL''', N'{n}', N'r') EXEC (@b)",
        "DECLARE @b nvarchar(max) = N'CREATE ROUTE r WITH ADDRESS = ' + QUOTENAME('LOCAL', '''') EXEC (@b)",
        (
            "DECLARE @b nvarchar(max) = N'USE ' + DB_NAME() + CHAR(13) + NCHAR(10) + N'CREATE ROUTE r WITH "
            "ADDRESS = ''LOCAL''' EXEC (@b)"
        ),
        (
            "DECLARE @b nvarchar(max) SELECT @b = N'CREATE ROUTE r ', @b = @b + CAST('WITH ADDRESS = "
            "''LOCAL''' AS nvarchar(100)) EXEC (@b)"
        ),
        f"IF 1 = 1 BEGIN DECLARE @a nvarchar(max) SET @a = N'{ROUTE}' IF EXISTS (SELECT 1) EXEC (@a) END",
        "EXEC ('EXEC (''CREATE ROUTE r WITH ADDRESS = ''''LOCAL'''''')')",
        "EXEC ('DECLARE @x nvarchar(max) = N''CREATE ROUTE r WITH ADDRESS = ''''LOCAL''''''; EXEC sp_executesql @x')",
    ],
)
def test_a_string_that_is_known_is_run(batch: str) -> None:
    estate, findings = read(f"USE A\nGO\n{batch}\nGO\n")
    assert estate == MADE
    assert [line for line in findings if "conditional" not in line] == []


def test_a_use_in_a_string_ends_with_it() -> None:
    text = "USE A\nGO\nEXEC ('USE B; CREATE QUEUE b')\nCREATE QUEUE a\nEXEC ('CREATE QUEUE c')"
    assert read(text)[0] == ["A", "A: queue dbo.a", "A: queue dbo.c", "B", "B: queue dbo.b"]


def test_a_string_runs_in_the_database_that_stands_before_sp_executesql() -> None:
    assert read("USE A\nGO\nEXEC B..sp_executesql N'CREATE QUEUE q'\nCREATE QUEUE a")[0] == [
        "A", "A: queue dbo.a", "B", "B: queue dbo.q",
    ]  # fmt: skip


def test_a_number_becomes_a_text() -> None:
    text = (
        "USE A\nGO\nDECLARE @port int = 4000 + 22, @s nvarchar(max)\n"
        "SET @s = N'CREATE ROUTE r WITH ADDRESS = ''tcp://x:' + CAST(@port AS nvarchar(10)) + ''''\nEXEC (@s)"
    )
    assert read(text) == (["A", "A: route r: * -> tcp://x:4022"], [])


def test_a_sqlcmd_variable_in_a_string_has_its_value() -> None:
    assert read(":setvar n r\nUSE A\nGO\nEXEC ('CREATE ROUTE $(n) WITH ADDRESS = ''LOCAL''')") == (MADE, [])


@pytest.mark.parametrize(
    "batch",
    [
        f"EXEC ('{ROUTE}' + @unknown)",
        f"DECLARE @a nvarchar(max) = N'{ROUTE}'\nSET @a = (SELECT 'x')\nEXEC (@a)",
        f"DECLARE @a nvarchar(max) = N'{ROUTE}'\nSELECT @a = x FROM t\nEXEC (@a)",
        f"DECLARE @a nvarchar(max) = N'{ROUTE}'\nIF @@x = 1 SET @a = N'x'\nEXEC (@a)",
        f"DECLARE @a nvarchar(max)\nIF @@x = 1 SET @a = N'{ROUTE}' ELSE SET @a = N'x'\nEXEC (@a)",
        f"DECLARE @a nvarchar(max) = N'{ROUTE}'\nFETCH NEXT FROM c INTO @b, @a\nEXEC (@a)",
        f"DECLARE @a nvarchar(max) = N'{ROUTE}'\nEXEC p @x = @a OUTPUT\nEXEC (@a)",
        f"DECLARE @a nvarchar(max) = N'{ROUTE}'\nUPDATE t SET @a = x\nEXEC (@a)",
        f"DECLARE @a nvarchar(max) = N'{ROUTE}'\nagain: EXEC (@a) SET @a = N'x'\nGOTO again",
        f"DECLARE @a nvarchar(max) = N'{ROUTE}'\nWHILE @@x = 1 BEGIN EXEC (@a) SET @a = N'x' END",
        f"DECLARE @a nvarchar(20) = N'{ROUTE}'\nEXEC (@a)",
        f"DECLARE @a nvarchar(max) = N'{ROUTE}'\nGO\nEXEC (@a)",
        f"EXEC ('{ROUTE}') AT [elsewhere]",
        f"EXEC elsewhere.A.dbo.sp_executesql N'{ROUTE}'",
        f"EXEC run_it N'{ROUTE}'",
        f"DECLARE @a nvarchar(max) SET @a = N'{ROUTE}'",
    ],
)
def test_a_string_that_is_not_known_changes_nothing_and_is_told(batch: str) -> None:
    estate, findings = read(f"USE A\nGO\n{batch}\nGO\n")
    assert "A: route r: * -> LOCAL" not in estate
    assert [line for line in findings if "dynamic-sql" in line and line.endswith(" r")]


@pytest.mark.parametrize(
    ("batch", "finding"),
    [
        (f"EXEC sp_executesql '{ROUTE}'", "error refused 3"),
        ("EXEC ('CREATE QUEUE q\nGO\nCREATE QUEUE p')", "error refused 3"),
        (f"RETURN\nEXEC ('{ROUTE}')", "info not-executed 4 r"),
        ("EXEC ('SELECT 1;\nDROP ROUTE x')", "warning not-found 4 x"),
        (f"EXEC ('{ROUTE}' +\n'\n {ROUTE}')", "warning already-exists 5 r"),
    ],
)
def test_what_the_product_would_not_run_is_told_in_its_line(batch: str, finding: str) -> None:
    estate, findings = read(f"CREATE DATABASE A\nUSE A\n{batch}")
    assert estate[:1] == ["A"]
    assert findings[:1] == [finding]


def test_a_variable_without_a_value_runs_nothing() -> None:
    assert read(f"USE A\nGO\nDECLARE @a nvarchar(max)\nSET @a += N'{ROUTE}'\nEXEC (@a)")[0] == ["A"]


def test_strings_nest() -> None:
    text = "CREATE QUEUE q"
    for _ in range(10):
        text = "EXEC ('" + text.replace("'", "''") + "')"
    assert read(f"USE A\nGO\n{text}")[0] == ["A", "A: queue dbo.q"]


# ---------------------------------------------------------------- what a script can expand to

DOUBLING = {
    "sqlcmd": ":setvar a xxxxxxxxxx\n" + "".join(
        f':setvar {chr(98 + n)} "{8 * f"$({chr(97 + n)})"}"\n' for n in range(12)
    ) + "CREATE QUEUE [$(m)]\nGO\n",
        "variables": "DECLARE @a nvarchar(max) = CAST(N'CREATE QUEUE q ' AS nvarchar(max))\n" + "SET @a "
        "+= @a\n" * 40 + "EXEC (@a)\n",
    "REPLICATE": "DECLARE @a nvarchar(max) = REPLICATE(CAST('x' AS nvarchar(max)), 2000000000)\nEXEC (@a)",
    "REPLACE": "DECLARE @a nvarchar(max) = REPLICATE(CAST('x' AS nvarchar(max)), 9000)\n"
    + "SET @a = REPLACE(@a, N'x', N'xxxxxxxxxx')\n" * 9 + "EXEC (@a)",
    "one value, used often": "DECLARE @a nvarchar(max) = REPLICATE(CAST('DROP ROUTE r ' AS nvarchar(max)), 9000)\n"
    + "EXEC (@a)\n" * 1000,
    "a value of sqlcmd, used often": f":setvar a {'x' * 60_000}\n" + "CREATE QUEUE [$(a)]\n" * 1000,
}  # fmt: skip


@pytest.mark.parametrize("name", DOUBLING)
def test_a_small_script_does_not_become_a_large_one(name: str) -> None:
    with pytest.raises(InputError, match=r"x\.sql: line \d+: .*(longer|more) than [\d,]+ characters"):
        read(DOUBLING[name])
