"""Strings that a script runs: followed where their text is known, reported where it is not, never guessed."""

from __future__ import annotations

from typing import Any

import pytest

from routing.common.errors import InputError
from routing.tsql import ScriptGroup, read_scripts
from tests.extent import IS_ALL
from tests.routing.tsql.rich import AT
from tests.routing.tsql.sketch import HOME, lines_of, sketch

ROUTE = "CREATE ROUTE r WITH ADDRESS = ''LOCAL''"
MADE = ["A", "A: route r: * -> LOCAL"]


def read(text: str) -> Any:
    estate, findings = read_scripts([ScriptGroup(HOME, None, [("x.sql", text)])], at=AT)
    return sketch(estate), lines_of(findings)


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
    # Four million characters of statements take ten seconds to run; those of a comment count as well.
    "one value, used often": "DECLARE @a nvarchar(max) = REPLICATE("
    f"CAST('{'DROP ROUTE r ' if IS_ALL else '-- a comment '}' AS nvarchar(max)), 9000)\n" + "EXEC (@a)\n" * 1000,
    "a value of sqlcmd, used often": f":setvar a {'x' * 60_000}\n" + "CREATE QUEUE [$(a)]\n" * 1000,
}  # fmt: skip


@pytest.mark.parametrize("name", DOUBLING)
def test_a_small_script_does_not_become_a_large_one(name: str) -> None:
    with pytest.raises(InputError, match=r"x\.sql: line \d+: .*(longer|more) than [\d,]+ characters"):
        read(DOUBLING[name])


PLACE = "WITH ADDRESS = ''LOCAL''"


@pytest.mark.parametrize(
    "batch",
    [
        f"EXEC sp_executesql N'EXEC (@t)', N'@t nvarchar(max)', @t = N'CREATE ROUTE r {PLACE}'",
        f"EXEC sp_executesql N'EXEC (@t)', N'@t nvarchar(max)', N'CREATE ROUTE r {PLACE}'",
        f"EXEC sp_executesql @stmt = N'EXEC (@t)', @params = N'@t varchar(99) = ''x''', @t = N'CREATE ROUTE r {PLACE}'",
        (
            "EXEC sp_executesql N'EXEC (N''CREATE ROUTE '' + @n + N'' WITH ADDRESS = '' + QUOTENAME(@a, ''''''''))',"
            " N'@a nvarchar(100), @n sysname', @n = N'r', @a = N'LOCAL'"
        ),
        (
            "DECLARE @n sysname = N'r', @c int EXEC sp_executesql N'DECLARE @s nvarchar(99) = N''CREATE ROUTE '' + @m +"
            " N'' WITH ADDRESS = ''''LOCAL'''''' EXEC (@s)', N'@m sysname, @o int OUTPUT', @n, @o = @c OUTPUT"
        ),
        f"DECLARE @p nvarchar(99) = N'A.sys.sp_executesql' EXEC @p N'CREATE ROUTE r {PLACE}'",
        f"DECLARE @s nvarchar(max) = N'CREATE ROUTE ' + SUBSTRING('xry', 2, 1) + N' {PLACE}' EXEC (@s)",
        f"DECLARE @s nvarchar(max) = STUFF(N'CREATE ROUTE x {PLACE}', 14, 1, N'r') EXEC (@s)",
        f"DECLARE @s nvarchar(max) = N'CREATE ROUTE ' + RIGHT('xr', 1) + N' {PLACE}' EXEC (@s)",
        f"DECLARE @s nvarchar(max) = FORMATMESSAGE(N'CREATE ROUTE %s {PLACE}', N'r') EXEC (@s)",
        f"DECLARE @s nvarchar(max) = CASE WHEN 1 = 1 THEN N'CREATE ROUTE r {PLACE}' ELSE N'DROP ROUTE x' END EXEC (@s)",
        f"DECLARE @s nvarchar(max) = CASE WHEN 1 = 2 THEN N'DROP ROUTE x' ELSE N'CREATE ROUTE r {PLACE}' END EXEC (@s)",
        (
            "DECLARE @e int = 2, @s nvarchar(max) SET @s = CASE @e WHEN 1 THEN CASE WHEN 1 = 1 THEN N'DROP ROUTE x' END"
            f" WHEN 2 THEN N'CREATE ROUTE r {PLACE}' END EXEC (@s)"
        ),
        f"DECLARE @s nvarchar(max) = N'CREATE ROUTE ' + IIF(DB_ID('no') IS NULL, N'r', N'x') + N' {PLACE}' EXEC (@s)",
        f"DECLARE @s nvarchar(max) = N'CREATE ROUTE ' + CHOOSE(2, N'x', N'r') + N' {PLACE}' EXEC (@s)",
        f"DECLARE @s nvarchar(max) = (SELECT N'CREATE ROUTE ' + N'r' COLLATE DATABASE_DEFAULT + N' {PLACE}') EXEC (@s)",
        f"DECLARE @s nvarchar(max) = NULL SET @s = ISNULL(@s, N'CREATE ROUTE r {PLACE}') EXEC (@s)",
        f"IF LEN(N'abc ') = 3 AND CHARINDEX('b', 'abc') = 2 EXEC (N'CREATE ROUTE r {PLACE}')",
    ],
)
def test_parameters_functions_and_cases_are_followed(batch: str) -> None:
    assert read(f"USE A\nGO\n{batch}\nGO\n") == (MADE, [])


@pytest.mark.parametrize(
    ("sum_", "port"),
    [("2 * 2011", 4022), ("8045 / 2", 4022), ("-7 / 2 + 4025", 4022), ("4030 - 8", 4022), ("8 % 5", 3)],
)
def test_numbers_are_calculated(sum_: str, port: int) -> None:
    text = (
        f"USE A\nGO\nDECLARE @s varchar(99) = 'CREATE ROUTE r WITH ADDRESS = ''tcp://x:' + CAST({sum_} AS varchar(9))"
    )
    assert read(f"{text} + '''' EXEC (@s)")[0][1] == f"A: route r: * -> tcp://x:{port}"


@pytest.mark.parametrize(
    "batch",
    [
        "DECLARE @s nvarchar(max) SELECT @s = text FROM dbo.Scripts WHERE name = N'routes' EXEC (@s)",
        "DECLARE @s nvarchar(max) SELECT @s = text FROM dbo.Scripts EXEC sp_executesql @s",
        "DECLARE @s nvarchar(max) = N'' SELECT @s += text + CHAR(10) FROM dbo.Scripts EXEC sp_executesql @stmt = @s",
        "DECLARE @s nvarchar(max) = dbo.script(N'CREATE') EXEC (@s)",
        "DECLARE @s nvarchar(max) FETCH NEXT FROM c INTO @s EXEC (@s)",
        "EXEC (@s)",
        "EXEC sp_executesql N'EXEC (@t)', N'@t nvarchar(max)', @t = @unknown",
    ],
)
def test_a_text_of_which_nothing_is_known_is_told_and_remembered(batch: str) -> None:
    text = f"USE A\nGO\n{batch}\n"
    estate, findings = read_scripts([ScriptGroup(HOME, None, [("x.sql", text)])], at=AT)
    assert lines_of(findings) == ["warning dynamic-sql 3"]
    (missing,) = estate.instances[HOME].missing_statements
    assert (missing.statement, missing.database, missing.file, missing.line) == ("EXEC", "A", "x.sql", 3)


@pytest.mark.parametrize(
    "batch",
    [
        "DECLARE @s nvarchar(max) SELECT @s = N'BACKUP DATABASE ' + name FROM sys.databases EXEC (@s)",
        "DECLARE @s nvarchar(max) = N'' SELECT @s += N'KILL ' + name FROM dbo.x EXEC sp_executesql @s",
        "DECLARE @s nvarchar(max), @t nvarchar(max) SET @t = N'KILL ' + x SET @s = @t EXEC (@s)",
        "DECLARE c CURSOR FOR SELECT 'ALTER INDEX ' + name FROM x DECLARE @s nvarchar(9) FETCH c INTO @s EXEC (@s)",
        "EXEC (@s) AT far",
        "EXEC @p",
        "EXEC dbo.make_routes @s",
        "CREATE PROCEDURE p AS EXEC (@s)",
        "IF 1 = 2 EXEC (@s)",
    ],
)
def test_a_text_of_which_something_is_known_is_judged_by_that(batch: str) -> None:
    assert read(f"USE A\nGO\n{batch}\n") == (["A"], ["info no-statement"])
