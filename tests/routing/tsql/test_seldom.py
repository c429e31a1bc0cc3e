"""Rare statements, and rare mistakes in scripts: each is read or reported, and no other statement is lost by it."""

from __future__ import annotations

import pytest

from routing.tsql import ScriptGroup, read_scripts, report
from tests.routing.tsql.rich import AT
from tests.routing.tsql.sketch import lines_of, sketch

BEGINNING = "CREATE DATABASE d\nGO\nUSE d\nGO\n"
"""Four lines, after which each case begins."""
MADE = "CREATE ROUTE r WITH ADDRESS = 'LOCAL'"
R = "d: route r: * -> LOCAL"


def read(text: str) -> tuple[list[str], list[str]]:
    """Return the objects that a script creates besides its database, and the findings in it."""
    estate, findings = read_scripts([ScriptGroup("h", None, [("a.sql", BEGINNING + text)])], at=AT)
    return [line for line in sketch(estate) if line not in ("d", "master", "other master")], lines_of(findings)


@pytest.mark.parametrize(
    ("text", "made", "found"),
    [
        (f"/* GO \n*/ {MADE}\nGO\nCREATE PROCEDURE p AS SELECT 1 /* x */\nGO", [R], []),
        (f"{MADE}\nGO\nSELECT 1 CREATE PROCEDURE p AS SELECT 'open", [R], ["error not-understood 7"]),
        ("SELECT 1\nCREATE PROCEDURE p AS SELECT 1 /* never closed", [], ["error not-understood 6"]),
        (f"{MADE} BEGIN TRAN ROLLBACK /* open", [R], ["error not-understood 5"]),
        (f"CREATE SCHEMA s CREATE VIEW v AS SELECT 1; {MADE}", [], ["info not-executed 5 r"]),
        (f"SELECT 1\n!!dir\n/* a */ CREATE PROCEDURE p AS {MADE}", [], ["error refused 7 p", "info not-executed 7 r"]),
        (f"CREATE PROCEDURE p AS {MADE}", [], ["info not-executed 5 r"]),
        (f"{MADE}\nGO 0\nSELECT 'open", [], ["info not-executed 5 r", "error not-understood 7"]),
        (f":setvar x y\n{MADE}\nGO 0\n", [], ["info not-executed 6 r"]),
        (f"{MADE} /* open CREATE PROCEDURE p", [R], ["error not-understood 5"]),
        (f"{MADE}\nSELECT 'open CREATE PROCEDURE p AS", [R], ["error not-understood 6"]),
        (f"BEGIN TRAN\n{MADE}\nGO 0\nROLLBACK", [], ["info not-executed 6 r"]),
    ],
)
def test_batches_and_what_holds_them(text: str, made: list[str], found: list[str]) -> None:
    assert read(text) == (made, found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"CREATE OR REPLACE PROCEDURE p AS {MADE}", ["error not-understood 5 p", "info not-executed 5 r"]),
        (f"ALTER OR REPLACE VIEW v AS {MADE}", ["error not-understood 5 v", "info not-executed 5 r"]),
        ("CREATE OR REPLACE ROUTE r WITH ADDRESS = 'LOCAL'", ["error not-understood 5"]),
        (f"CREATE OR ALTER PROCEDURE p AS {MADE}", ["info not-executed 5 r"]),
    ],
)
def test_or_replace_is_no_t_sql_and_makes_nothing(text: str, found: list[str]) -> None:
    assert read(text) == ([], found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"CREATE BROKER b;\n{MADE}", ["error not-understood 5"]),
        (f"CREATE MESSAGE m VALIDATION = NONE\n{MADE}", ["error not-understood 5"]),
        (f"ALTER REMOTE SERVICE b;\n{MADE}", ["error not-understood 5"]),
        (f"ALTER TABLE t DROP message;\n{MADE}", []),
        (f"ALTER TABLE t DROP broker\n{MADE}", []),
        (f"CREATE REMOTE TABLE t AT ('x') AS SELECT 1;\n{MADE}", []),
        (f"GRANT CREATE MESSAGE TYPE TO somebody;\n{MADE}", []),
    ],
)
def test_a_kind_of_which_a_word_is_missing_is_told(text: str, found: list[str]) -> None:
    assert read(text) == ([R], found)


def test_the_first_string_over_go_is_looked_for_past_comments_and_commands() -> None:
    text = "/* 'x\nGO\n' */\n:setvar a b'\nSELECT 'x\nGO\ny'\nSELECT 'open"
    _, findings = read_scripts([ScriptGroup("h", None, [("a.sql", text)])], at=AT)
    assert [(one.line, one.reason.values["line"]) for one in findings] == [(8, 5)]


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        '{"database": {"mirroring_role": "WITNESS"}}',
        '{"route": {"address": "LOCAL"}}',
        '{"drop": []}',
        '{"place": []}',
        '{"place": {"tables": []}}',
    ],
)
def test_a_line_of_brokerui_that_says_nothing_that_can_be_done(content: str) -> None:
    assert read(f"{MADE}\n-- brokerui: {content}\n") == ([R], ["error not-understood 6"])


def test_a_line_of_brokerui_belongs_to_no_database_where_use_cannot_be_read() -> None:
    text = 'USE $(x)\nGO\n-- brokerui: {"route": {"name": "r", "address": "LOCAL"}}'
    assert read(text) == ([], ["error value-not-literal 5", "error not-understood 7"])


def test_a_line_of_brokerui_takes_an_endpoint_away() -> None:
    endpoint = "CREATE ENDPOINT e STATE = STARTED AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER ()"
    text = f'{endpoint}\n-- brokerui: {{"instance": {{"endpoint": null}}}}\n'
    estate, findings = read_scripts([ScriptGroup("h", None, [("a.sql", text)])], at=AT)
    assert (estate.instances["h"].endpoint, findings) == (None, ())


def test_of_names_that_differ_in_case_alone_the_exact_one_is_dropped() -> None:
    rows = "\n".join(
        f'-- brokerui: {{"route": {{"name": "{name}", "address": "LOCAL"}}}}' for name in ("rr", "rR", "RR")
    )
    kept = ["d: route rr: * -> LOCAL", "d: route RR: * -> LOCAL"]
    assert read(f"{rows}\nDROP ROUTE rR") == (kept, [])


@pytest.mark.parametrize(
    "text",
    [
        "ALTER SERVICE S",
        "ALTER SERVICE S ()",
        "ALTER MESSAGE TYPE M",
        "ALTER REMOTE SERVICE BINDING b WITH",
        "CREATE ENDPOINT e STATE = STARTED AS TCP (LISTENER_PORT = 4022)",
        "CREATE ENDPOINT e STATE = STARTED STATE = STOPPED AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER ()",
        "CREATE ENDPOINT e AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER (AUTHENTICATION = NOTHING)",
    ],
)
def test_a_statement_that_says_too_little_or_too_much_changes_nothing(text: str) -> None:
    there = (
        "CREATE QUEUE q; CREATE SERVICE S ON QUEUE q; CREATE MESSAGE TYPE M;"
        " CREATE REMOTE SERVICE BINDING b TO SERVICE 'S' WITH USER = u;"
    )
    before, _ = read(there)
    made, found = read(f"{there}\n{text}")
    assert made == before
    assert [line.split()[:3] for line in found] == [["error", "not-understood", "6"]]


@pytest.mark.parametrize(
    ("text", "made", "found"),
    [
        (
            "CREATE QUEUE q; CREATE SERVICE S ON QUEUE q;\nALTER SERVICE S (DROP CONTRACT [DEFAULT])",
            ["d: queue dbo.q", "d: service S on dbo.q"],
            ["warning not-found 6 S"],
        ),
        (
            "CREATE SERVICE S ON QUEUE Q; DROP SERVICE S; CREATE QUEUE q",
            ["d: queue dbo.q"],
            ["warning not-found 5 S", "warning not-found 5 S"],
        ),
        ("ALTER DATABASE CURRENT SET ENABLE_BROKER", [], []),
        (
            "USE $(x)\nGO\nALTER DATABASE CURRENT SET ENABLE_BROKER",
            [],
            ["error value-not-literal 5", "error value-not-literal 7 CURRENT"],
        ),
        (
            "CREATE QUEUE q; CREATE SERVICE S ON QUEUE q ([DEFAULT]);\nALTER SERVICE S (ADD CONTRACT [DEFAULT])",
            ["d: queue dbo.q", "d: service S on dbo.q (DEFAULT)"],
            ["warning already-exists 6 S"],
        ),
        (f"USE HINT; {MADE}", ["HINT", "HINT: route r: * -> LOCAL"], []),
        ("CREATE DATABASE e; ALTER DATABASE e MODIFY NAME = d", ["e"], ["warning already-exists 5 e"]),
        (
            f":CONNECT $(server)\n{MADE}\nGO",
            [],
            ["error value-not-literal 5", "error value-not-literal 6 r"],
        ),
        (
            "USE e\nGO\nCREATE SERVICE S ON QUEUE Q; DROP SERVICE S; CREATE QUEUE q",
            ["e", "e: queue dbo.q"],
            ["warning not-found 7 S", "info dropped-again 7 S"],
        ),
        (
            "CREATE ENDPOINT e AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER (AUTHENTICATION = (WINDOWS))",
            ["endpoint 4022 STOPPED WINDOWS REQUIRED"],
            [],
        ),
        ("CREATE ROUTE r WITH SERVICE_NAME = @a, ADDRESS = @b", [], ["error value-not-literal 5 r"]),
    ],
)
def test_what_is_named_and_is_not_there_or_not_known(text: str, made: list[str], found: list[str]) -> None:
    assert read(text) == (made, found)


@pytest.mark.parametrize(
    ("text", "made", "found"),
    [
        (
            f"GOTO a; other: CREATE ROUTE x WITH ADDRESS = 'LOCAL'; a: {MADE}",
            ["d: route x: * -> LOCAL", R],
            ["info conditional 5 x"],
        ),
        (f"GOTO a; b: SELECT 1; c: {MADE}", [R], ["info conditional 5 r"]),
        (f"RETURN USE $(x)\nGO\n{MADE}", [R], ["info not-executed 5"]),
        (f"SELECT 1 AS exit\n{MADE}", [R], []),
        (f":setvar a LOCAL\n{MADE}\nGO 2", [R], ["warning already-exists 6 r"]),
        (f"BEGIN TRAN {MADE}; ROLLBACK; SELECT 'open", [], ["info not-executed 5 r", "error not-understood 5"]),
        (f"END {MADE}", [R], []),
        (f"RAISERROR 'x', 20, 1 {MADE}", [R], []),
        (f"SELECT 1 OPTION (USE HINT ('X')) {MADE}", [R], []),
        (f"SELECT 1 OPTION (USE PLAN N'<x/>') {MADE}", [R], []),
        (f"SET @x = 1 {MADE}", [R], []),
        (f"SET a, b, c, d {MADE}", [R], []),
        (f"SET {', '.join(['ansi_nulls'] * 21)} ON {MADE}", [R], []),
        (f"SET NOEXEC ON\nBEGIN TRAN\nSET NOEXEC OFF\n{MADE}\nROLLBACK", [R], []),
        (f"BEGIN TRAN\nGO x\n{MADE}\nROLLBACK", [], ["info not-executed 7 r"]),
        (f"ALTER DATABASE d SET ENABLE_BROKER WITH ROLLBACK IMMEDIATE {MADE}", [R], []),
        (f"BEGIN TRAN /* x */ {MADE} ROLLBACK", [], ["info not-executed 5 r"]),
        (f"BEGIN TRAN\n:setvar x y\n{MADE}\nROLLBACK", [], ["info not-executed 7 r"]),
        (f"BEGIN TRAN a:{MADE} ROLLBACK", [], ["info not-executed 5 r"]),
        (
            f"BEGIN TRANSACTION\n:CONNECT other\n{MADE}\nGO",
            ["other master: route r: * -> LOCAL"],
            ["warning no-use 7 r"],
        ),
    ],
)
def test_what_is_reached_and_kept(text: str, made: list[str], found: list[str]) -> None:
    assert read(text) == (made, found)


def test_a_statement_in_a_string_is_told_in_the_line_of_its_own_piece() -> None:
    text = "EXEC ('SELECT 1;' +\n'SELECT 2;' +\n'CREATE ROUTE r WITH ADDRESS = ''LOCAL''' + @more)"
    assert read(text) == ([], ["warning dynamic-sql 7 r"])


def test_the_first_piece_of_a_string_may_hold_another_verb() -> None:
    text = "EXEC ('DROP TABLE x;' +\n'CREATE ROUTE r WITH ADDRESS = ''LOCAL''' + @more)"
    assert read(text) == ([], ["warning dynamic-sql 6 r"])


def test_a_column_is_no_piece_of_the_string_that_is_added_to_it() -> None:
    assert read("UPDATE t SET \"create\" += ' route r WITH ADDRESS = ''LOCAL'''") == ([], [])


TOO_LONG = "n" * 129
NOWHERE = ["error refused 5", "error value-not-literal 7 r"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"CREATE DATABASE [{TOO_LONG}]", [f"error refused 5 {TOO_LONG}"]),
        (f"ALTER DATABASE d MODIFY NAME = [{TOO_LONG}]", ["error refused 5 d"]),
        (f"USE [{TOO_LONG}]\nGO\n{MADE}", NOWHERE),
        (f"USE [a\0]\nGO\n{MADE}", NOWHERE),
        (f":CONNECT {'n' * 257}\nGO\n{MADE}", NOWHERE),
    ],
)
def test_a_name_that_nothing_can_have_is_refused_and_nothing_else_is_lost(text: str, found: list[str]) -> None:
    assert read(f"{text}\nGO\nUSE d\nGO\nCREATE QUEUE q") == (["d: queue dbo.q"], found)


def test_what_cannot_be_read_is_counted_where_no_more_findings_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "MAX_FINDINGS", 3)
    _, findings = read_scripts([ScriptGroup("h", None, [("a.sql", BEGINNING + "CREATE ROUTE r; " * 10)])], at=AT)
    assert len(findings) == 4
    assert str(findings[3].reason) == "7 more findings of this script are left out"


def test_two_named_instances_of_a_host_listen_at_one_port() -> None:
    endpoint = "CREATE ENDPOINT e STATE = STARTED AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER ()"
    groups = [ScriptGroup(name, None, [("a.sql", endpoint)]) for name in ("h", "h\\i")]
    estate, findings = read_scripts(groups, at=AT)
    assert [len(one.addresses) for one in estate.instances.values()] == [1, 0]
    assert str(findings[0].reason).startswith("tcp://h:4022 is the address of h already:")


def test_a_lifetime_ends_before_the_year_10000() -> None:
    text = BEGINNING + "CREATE ROUTE r WITH ADDRESS = 'LOCAL', LIFETIME = 2147483647"
    _, findings = read_scripts([ScriptGroup("h", None, [("a.sql", text)])], at=AT.replace(year=9999))
    assert lines_of(findings) == ["error refused 5 r"]


def test_of_a_name_that_is_too_long_for_a_host_no_address_is_made() -> None:
    name = "h" * 256
    estate, findings = read_scripts([ScriptGroup(name, None, [("a.sql", BEGINNING)])], at=AT)
    assert estate.instances[name].addresses == ()
    assert [one.code for one in findings] == ["address-unknown"]


@pytest.mark.parametrize(
    "text",
    [
        f"EXEC ('CREATE ROUTE r WITH ADDRESS = ''LOCAL''', {', '.join('1' * 60)}) AT srv",
        "EXEC ('CREATE ROUTE r WITH ADDRESS = ''LOCAL''') AT DATA_SOURCE ds",
        "EXEC ('CREATE ROUTE r WITH ADDRESS = ''LOCAL''', 1, (2)) AT srv",
        "DECLARE @s nvarchar(max) = 'CREATE ROUTE r ' + [x] + 'WITH ADDRESS = ''LOCAL'''; EXEC (@s)",
        "EXEC 'CREATE ROUTE r WITH ADDRESS = ''LOCAL'''",
        f"EXEC ('CREATE ROUTE r WITH ADDRESS = ''' + f({', '.join('1' * 60)}) + '''')",
        "SET @x += 'CREATE ROUTE r ' + ( 'WITH ADDRESS = ''LOCAL'''); EXEC (@x)",
    ],
)
def test_what_is_made_in_a_string_is_told(text: str) -> None:
    assert read(text) == ([], ["warning dynamic-sql 5 r"])
