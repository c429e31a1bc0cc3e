"""Scripts that were made to break a reader: no crash, no hang, nothing lost, time and memory in proportion."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.common.errors import InputError
from routing.documents.estate_document import read_estate, write_estate
from routing.tsql import ScriptGroup, decode_script, export_sql, read_scripts
from routing.tsql.lexer import words
from tests.extent import IS_ALL
from tests.routing.tsql.rich import AT


def read(text: str) -> Any:
    return read_scripts([ScriptGroup("h", None, [("x.sql", text)])], at=AT)


# ---------------------------------------------------------------- text put together at random

WORDS = tuple(
    sorted(
        words(
            """create alter drop route service queue contract database endpoint use go grant deny to from on with
        set if else begin end try catch case while exec print declare select add as for in begin_tran tcp
        address lifetime partner broker enable_broker a b @x $(x) 1 60 local state authorization by sent any
        message type priority remote binding"""
        )
    )
)
CALM = (
    *WORDS, *map(str.upper, WORDS), "(", ")", ",", ";", "=", ".", "+", "'text'", "N'LOCAL'", "[name]", '"name"', "\n",
    "\nGO\n", "\ngo 2", "\n:setvar x y\n", "ALTER SERVICE s (", "DROP CONTRACT c", "ADD CONTRACT c", "IF EXISTS (",
    "CREATE PROCEDURE p AS", "BEGIN TRAN", "END CONVERSATION @h", "ALTER DATABASE A SET", "FOR SERVICE_BROKER (",
    "CREATE ENDPOINT e AS TCP (LISTENER_IP = (", "WITH ADDRESS =", "USE A", "CREATE ROUTE r WITH", "-- comment\n",
    "/* comment */", "ACTIVATION (", "SET PARTNER", "SET PARTNER =", "GRANT CREATE ROUTE", "<x, y, z>",
    "EXEC p", "CREATE SCHEMA s", "DROP QUEUE IF EXISTS", '"CREATE ROUTE x"',
)  # fmt: skip
WILD = (
    *CALM, "'", '"', "[", "]", "/*", "*/", "--", "''", "]]", "\0", "\r", "\ufeff", "💥", ":", "!!", "$(", "<", ">",
    "\n-- brokerui: ", '{"route": {"name": "r"}}', "-- brokerui: {", "CHAR(39)", "'CREATE ROUTE x'", ":CONNECT ",
    ":CONNECT h2\n", ":r x\n", ":quit\n", "9" * 30, "LIFETIME = 99999999999999999999999", "\\", "\ud7ff", "ß", "İ",
)  # fmt: skip


@given(st.lists(st.sampled_from(WILD), max_size=60).map(" ".join) | st.lists(st.sampled_from(WILD)).map("".join))
def test_no_text_breaks_it(text: str) -> None:
    estate, findings = read(text)
    assert read_estate(write_estate(estate)) == estate
    assert all(1 <= finding.line <= text.count("\n") + text.count("\r") + 1 for finding in findings if finding.line)
    again, _ = read_scripts([ScriptGroup("any", None, [("e", export_sql(estate, at=AT))])], at=AT)
    assert write_estate(again) == write_estate(estate)


@given(st.binary(max_size=300))
def test_no_bytes_break_the_decoding(data: bytes) -> None:
    with suppress(InputError):
        read(decode_script(data))


@given(st.lists(st.sampled_from(CALM) | st.just(None), max_size=40))
def test_every_statement_is_applied_or_reported(pieces: list[str | None]) -> None:
    placed = [f"r{number}" for number, piece in enumerate(pieces) if piece is None]
    texts = [piece or f"CREATE ROUTE [r{number}] WITH ADDRESS = 'LOCAL'" for number, piece in enumerate(pieces)]
    estate, findings = read(" ".join(texts))
    there = {name for one in estate.instances.values() for db in one.databases.values() for name in db.table.routes}
    reported = {finding.object for finding in findings}
    assert set(placed) <= there | reported


# ---------------------------------------------------------------- size

ROUTE = "CREATE ROUTE [r{0}] WITH SERVICE_NAME = N'//x/{0}', ADDRESS = N'tcp://host{0}:4022'\nGO\n"
SIZES: dict[str, Callable[[int], str]] = {
    "routes": lambda n: "USE A\n" + "".join(ROUTE.format(i) for i in range(n // 90)),
    "rows": lambda n: "INSERT t (a, b) VALUES (1, N'x''y'), (2, NULL)\n" * (n // 47),
    "one line": lambda n: "x " * (n // 2),
    "batches": lambda n: "GO\n" * (n // 3),
    "batches that are run twice": lambda n: "CREATE ROUTE r WITH ADDRESS = 'LOCAL'\nGO 2\n" * (n // 43),
    "batches that are not run": lambda n: "CREATE ROUTE r WITH ADDRESS = 'LOCAL'\nGO 0\n" * (n // 43),
    "open transactions": lambda n: "BEGIN TRAN\nDROP ROUTE r\nGO\n" * (n // 27),
    "labels": lambda n: "GOTO a b: " * (n // 10),
    "errors in open blocks": lambda n: "BEGIN TRY " * (n // 30) + "THROW 1, 'x', 1 " * (n // 30),
    "what no script makes": lambda n: "CREATE SERVICE s ON QUEUE q DROP SERVICE s " * (n // 43),
    "one line of GO": lambda n: "go " * (n // 3),
    "a string without end": lambda n: "SELECT '" + "x" * n,
    "quotes, one too many": lambda n: "'a' " * (n // 4) + "'",
    "a comment without end": lambda n: "/* " * (n // 3),
    "nested comments": lambda n: "/*" * (n // 4) + "*/" * (n // 4),
    "brackets": lambda n: "[" * n,
    "statements cut off": lambda n: "create route " * (n // 13),
    "endpoints cut off": lambda n: "CREATE ENDPOINT e AS TCP (LISTENER_IP = ( " * (n // 42),
    "open conditions": lambda n: "if 1 = 1 begin " * (n // 30) + "create route r " * (n // 30),
    "open cases": lambda n: "case begin " * (n // 11),
    "one long concatenation": lambda n: "'create '+" * (n // 10),
    "open calls": lambda n: "'create '+f(" * (n // 12),
    "dynamic statements": lambda n: "EXEC('" + "create route x " * (n // 15) + "')",
    "sentences in strings": lambda n: "SET @x = '" + "please create route x: " * (n // 23) + "'",
    "strings in double quotes": lambda n: 'EXEC("create route x") ' * (n // 23),
    "bodies that do not stand first": lambda n: "DROP ROUTE r CREATE PROC p AS DROP ROUTE r\nGO\n" * (n // 46),
    "bodies that are called": lambda n: "CREATE PROC p AS DROP ROUTE r\nGO\nEXEC p\nGO\n" * (n // 43),
    "bodies in strings": lambda n: "DROP ROUTE r EXEC('create proc p')\n" * (n // 35),
    "dynamic lines": lambda n: "EXEC('" + "create database\n" * (n // 16) + "')",
    "values in loops": lambda n: "DECLARE @a int WHILE 1 = 1 SET @a = 2 " * (n // 38),
    "many variables": lambda n: "".join(f"DECLARE @a{i} int = 1 " for i in range(n // 44)) + "b: " * (n // 6),
    "a text that grows": lambda n: (
        "DECLARE @a nvarchar(max) = N'' " + "SET @a += N'DROP ROUTE r ' " * (n // 27) + "EXEC (@a)"
    ),
    "strings that are run": lambda n: "EXEC (N'CREATE QUEUE q;') " * (n // 26),
    "conditions that never end": lambda n: "IF NOT " * (n // 7),
    "queries that never end": lambda n: "IF EXISTS (SELECT * FROM sys.services WHERE name = 'a' AND " * (n // 58),
    "calls in calls": lambda n: "SET @a = " + "UPPER(" * (n // 6),
    "variables": lambda n: ":setvar a b\n$(a)" * (n // 16),
    "templates": lambda n: "<a, " * (n // 4),
    "templates on lines": lambda n: "<a, b, c>\n" * (n // 10),
    "a long template": lambda n: "<a, b, " + "x" * n,
    "calls elsewhere": lambda n: "EXEC a.b.sp_executesql N'create route x' " * (n // 41),
    "blanks before words": lambda n: (" " * 1000 + "go x\n") * (n // 1005),
    "directives": lambda n: '-- brokerui: {"route": {"name": "r", "address": "LOCAL"}}\n' * (n // 58),
}


@pytest.mark.parametrize("name", SIZES)
def test_four_times_the_size_takes_about_four_times_as_long(name: str) -> None:
    small, large = SIZES[name](SMALL_CHARACTERS), SIZES[name](4 * SMALL_CHARACTERS)
    # In turns, so that whatever else the machine does slows both; a shape that is read at a glance is read often.
    times = max(1, int(SHORTEST / max(_seconds(small, 1), 1e-6)))
    ratios = (_seconds(large, times) / _seconds(small, times) for _ in range(10))
    # One ratio below the limit is proof enough; only noise or a slow reader asks for another.
    assert any(ratio < LARGEST_RATIO for ratio in ratios)


SMALL_CHARACTERS = 60_000 if IS_ALL else 20_000
"""Length of the shorter script."""
SHORTEST = 0.01
"""Shortest measurement, in seconds, in which noise is small."""
LARGEST_RATIO = 9
"""Quadratic time would show as 16."""


def _seconds(text: str, times: int) -> float:
    """Return the processor seconds for reading a script a number of times."""
    begun = time.process_time()
    for _ in range(times):
        read(text)
    return time.process_time() - begun


@pytest.mark.parametrize("name", ["routes", "rows", "one line", "batches", "quotes, one too many", "nested comments"])
def test_memory_is_at_most_twelve_times_the_script(name: str) -> None:
    data = SIZES[name](600_000 if IS_ALL else 75_000).encode()
    # When cycles are collected is chance, and caches of other tests play a part: one of three has to keep it.
    assert any(_peak(data) + len(data) < 12 * len(data) for _ in range(3))


def _peak(data: bytes) -> int:
    gc.collect()
    tracemalloc.start()
    read(decode_script(data))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak
