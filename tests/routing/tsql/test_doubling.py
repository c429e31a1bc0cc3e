"""Reading a script costs what it is long: twice as much of anything takes twice as many steps, not four times."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from routing.catalog.reading import read_saved
from routing.common.errors import InputError
from routing.tsql import ScriptGroup, export_sql, read_scripts
from routing.tsql.inclusion import Parts
from tests.routing.tsql.rich import AT

DEEP, MOST_OF_DEEP = 300, 2.4
"""How deep the shorter text nests, which is beyond every limit, and by how much the longer one may take more steps."""
MANY, MOST_OF_MANY = 150, 2.15
"""The same of statements one after the other. One more step for each statement before shows here as 2.25, where
a statement takes 600."""
LOCAL = "WITH ADDRESS = 'LOCAL'"
QUEUE = "CREATE QUEUE k CREATE CONTRACT c (m SENT BY ANY)"
ROUTE = f"CREATE ROUTE r # {LOCAL}".replace(" #", "#")

NESTED = {
    "if (": ("", "IF (", ""),
    "if exists (": ("", "IF EXISTS (SELECT * FROM sys.routes WHERE (", ""),
    "if not": ("IF ", "NOT ", "1 = 1 CREATE QUEUE q"),
    "if if": ("", "IF @x = 1 ", "CREATE QUEUE q"),
    "if begin": ("", "IF @x = 1 BEGIN ", "CREATE QUEUE q"),
    "else if": ("IF @x = 1 PRINT 1 ", "ELSE IF @x = # CREATE QUEUE q# ", ""),
    "while": ("DECLARE @a int ", "WHILE @a = 1 ", "SET @a = 2"),
    "while (": ("", "WHILE (", ""),
    "parentheses": ("DECLARE @x int = ", "(", "1"),
    "case": ("DECLARE @x int SET @x = ", "CASE WHEN 1 = 1 THEN ", "1"),
    "case else": ("DECLARE @x int SET @x = ", "CASE WHEN 1 = 2 THEN 1 ELSE ", "1"),
    "case of a query": ("SELECT ", "CASE WHEN 1 = 1 THEN ", "1"),
    "iif": ("DECLARE @x int = ", "IIF(1 = 1, ", ""),
    "replace": ("DECLARE @x nvarchar(max) = ", "REPLACE(", ""),
    "exec (": ("", "EXEC (", ""),
    "comments": ("", "/*", ""),
    "comments that end": ("", "/* a */", "CREATE QUEUE q"),
    "edges of comments": ("", "/*/", ""),
    "begin": ("", "BEGIN ", "CREATE QUEUE q"),
    "begin try": ("", "BEGIN TRY THROW 50000, 'x', 1 ", "CREATE QUEUE q"),
    "begin tran": ("", "BEGIN TRAN ", "CREATE QUEUE q ROLLBACK"),
    "quotes": ("EXEC ('", "''", "')"),
    "brackets": ("", "[", ""),
    "brackets that end": ("CREATE QUEUE [", "a]]", "]"),
    "double quotes": ("", '"', '"'),
    "templates": ("", "<a,", ""),
    "dots": ("CREATE QUEUE a", ".b", ""),
    "arguments": ("EXEC sp_executesql N'EXEC (@a)', N'@a int', ", "@a = (1", ""),
    "a concatenation": ("EXEC (@x + ", "'CREATE QUEUE ' + ", "@y)"),
    "conditions": ("IF ", "1 = 2 OR ", "1 = 1 CREATE QUEUE q"),
}
"""The text before, the repeated text, the text after."""
LISTED = {
    "queues": "CREATE QUEUE q#",
    "routes": ROUTE,
    "routes that go": f"{ROUTE} DROP ROUTE r#",
    "databases": "CREATE DATABASE d#",
    "databases that are renamed": "CREATE DATABASE d# ALTER DATABASE d# MODIFY NAME = e#",
    "databases that are enabled": "CREATE DATABASE d# ALTER DATABASE d# SET ENABLE_BROKER",
    "databases that are used": "USE d#",
    "services": f"{QUEUE}# CREATE SERVICE s# ON QUEUE k#",
    "contracts of one service": "CREATE CONTRACT c# (m SENT BY ANY) ALTER SERVICE s (ADD CONTRACT c#)",
    "bindings": "CREATE REMOTE SERVICE BINDING b# TO SERVICE 's#' WITH USER = u",
    "priorities": "CREATE BROKER PRIORITY p# FOR CONVERSATION SET (PRIORITY_LEVEL = 1)",
    "queues that nobody uses": "CREATE SERVICE t# ON QUEUE k CREATE QUEUE q# DROP QUEUE q#",
    "contracts of nobody": "CREATE SERVICE t# ON QUEUE k (c) CREATE CONTRACT d# (m SENT BY ANY) DROP CONTRACT d#",
    "message types that nobody uses": "CREATE MESSAGE TYPE m# CREATE CONTRACT d# (m SENT BY ANY) DROP MESSAGE TYPE m#",
    "services that nobody names": "CREATE SERVICE t# ON QUEUE k DROP SERVICE t#",
    "services on a queue that comes later": "CREATE SERVICE t# ON QUEUE l",
    "batches": "CREATE QUEUE q\nGO",
    "batches that run often": "CREATE QUEUE q\nGO 2000000000",
    "batches that do not run": "CREATE QUEUE q\nGO 0",
    "lines of GO": "GO",
    "blank lines": "   ",
    "transactions": "BEGIN TRAN CREATE QUEUE q# ROLLBACK",
    "procedures": "GO\nCREATE PROCEDURE p# AS CREATE QUEUE q#\nGO\nEXEC p#",
    "misplaced procedures": "PRINT 1 CREATE PROCEDURE p AS CREATE QUEUE q",
    "labels": "x: CREATE QUEUE q",
    "jumps": "GOTO x",
    "guards": "IF DB_ID('x') IS NULL CREATE DATABASE x",
    "guards of routes": f"IF EXISTS (SELECT 1 FROM sys.routes WHERE name = 'r#') DROP ROUTE r# {ROUTE}",
    "strings that run": "EXEC ('CREATE QUEUE q#')",
    "strings with parameters": "EXEC sp_executesql N'EXEC (@a)', N'@a nvarchar(max)', @a = N'CREATE QUEUE q'",
    "strings that are not known": "EXEC (@x + 'CREATE QUEUE q#')",
    "unknown texts": "SET @u = dbo.f(@u) EXEC (@u)",
    "a text that grows": "SET @t = @t + N'a'",
    "a text that grows by cases": "SET @t += CASE WHEN 1 = 2 THEN N'b' ELSE N'a' END",
    "declarations": "DECLARE @a# int = #",
    "mentions": "SELECT @u FROM x",
    "variables of sqlcmd": ":setvar a# b",
    "values of sqlcmd": "CREATE QUEUE [$(v)#]",
    "values that are missing": "CREATE QUEUE $(w)",
    "templates": "CREATE QUEUE <a, b, c>",
    "connections": ":CONNECT s#\nUSE A",
    "lines of BrokerUI": '-- brokerui: {"hop_limit": 3}',
    "bad lines of BrokerUI": "-- brokerui: x",
    "identifiers": (
        '-- brokerui: {"database": {"name": "d#", "broker_instance": "00000000-0000-4000-8000-########",'
        ' "broker_enabled": true}}'
    ),
    "statements that end early": "CREATE ROUTE r WITH ADDRESS =",
    "verbs": "CREATE",
    "endpoints": "CREATE ENDPOINT e AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER () DROP ENDPOINT e",
    "prose": "PRINT @y + 'please create route r; '",
}
"""A line that is repeated; `#` is its number."""
HEAD = (
    ":setvar v x\nUSE A\nGO\nCREATE QUEUE k CREATE CONTRACT c (m SENT BY ANY) CREATE SERVICE s ON QUEUE k\n"
    "DECLARE @u nvarchar(max), @t nvarchar(max) = N''\n"
)


def numbered(line: str, number: int) -> str:
    return line.replace("########", f"{number:012}").replace("#", str(number))


def listing(line: str, count: int) -> str:
    return HEAD + "".join(f"{numbered(line, number)}\n" for number in range(count))


def nesting(parts: tuple[str, str, str], count: int) -> str:
    before, one, after = parts
    return f"USE A\nGO\n{before}{''.join(numbered(one, number) for number in range(count))}{after}"


def steps(work: Callable[[], object]) -> int:
    """How many lines of Python run, each turn of a loop included."""
    count = 0

    def counted(_: object, event: str, __: object) -> Any:
        nonlocal count
        count += event == "line"
        return counted

    before = sys.gettrace()
    sys.settrace(counted)
    try:
        work()
    except InputError:
        pass  # a script beyond a limit is refused
    finally:
        sys.settrace(before)
    return count


def read(text: str, include: Any = None) -> Any:
    return read_scripts([ScriptGroup("h", None, [("x.sql", text)], include=include)], at=AT)


def check(work_of: Callable[[int], Callable[[], object]], count: int = MANY, most: float = MOST_OF_MANY) -> None:
    short, long = steps(work_of(count)), steps(work_of(2 * count))
    assert long <= most * short + 1_000, (short, long)


@pytest.mark.parametrize("name", NESTED)
def test_what_nests_twice_as_deep_takes_twice_as_long(name: str) -> None:
    def of(count: int) -> Callable[[], object]:
        text = nesting(NESTED[name], count)
        return lambda: read(text)

    check(of, DEEP, MOST_OF_DEEP)


@pytest.mark.parametrize("name", LISTED)
def test_twice_as_many_statements_take_twice_as_long(name: str) -> None:
    def of(count: int) -> Callable[[], object]:
        text = listing(LISTED[name], count)
        return lambda: read(text)

    check(of)


@pytest.mark.parametrize("name", ["queues", "routes", "services", "databases", "contracts of one service"])
def test_twice_as_many_objects_take_twice_as_long_to_export(name: str) -> None:
    def of(count: int) -> Callable[[], object]:
        estate, _ = read(listing(LISTED[name], count))
        return lambda: export_sql(estate, at=AT)

    check(of)


def test_twice_as_many_files_take_twice_as_long_to_read_in() -> None:
    def include(_: str, parts: Parts) -> tuple[str, str]:
        return parts[-1], f"CREATE QUEUE [{parts[-1]}]\n"

    def of(count: int) -> Callable[[], object]:
        text = "USE A\nGO\n" + "".join(f":r f{number}.sql\n" for number in range(count))
        return lambda: read(text, include)

    check(of)


TABLES = {
    "a grid": ("name\tremote_service_name\taddress\n", "r#\tS\tLOCAL\n"),
    "a grid without headings": ("AutoCreatedLocal\tNULL\tLOCAL\n", "r#\tS\tLOCAL\n"),
    "a drawn table": ("| name | remote_service_name | address |\n|---|---|---|\n", "| r# | S | LOCAL |\n"),
    "a list": ("", "name : r#\nremote_service_name : S\naddress : LOCAL\n\n"),
    "columns": (
        "name remote_service_name address\n---- ------------------- -------\n",
        "r    S                   LOCAL\n",
    ),
    "quotes": ("name,remote_service_name,address\n", '"r""#",S,LOCAL\n'),
    "blank lines": ("name,remote_service_name,address\n", "\n"),
    "bars": ("", "|"),
}


@pytest.mark.parametrize("name", TABLES)
def test_twice_as_many_rows_take_twice_as_long(name: str) -> None:
    head, row = TABLES[name]

    def of(count: int) -> Callable[[], object]:
        content = (head + "".join(numbered(row, number) for number in range(count))).encode()
        return lambda: read_saved(content, where="x.txt", database="D")

    check(of)
