"""Scripts without USE, with variables from outside, and with files that they read in."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from routing.documents.estate_document import read_estate
from tests.brokerui.cli.command_line import Call, Result, call_with, misused, written

ROUTE = "CREATE ROUTE [ToDepot] WITH SERVICE_NAME = N'Tell', ADDRESS = N'$(DepotAddress)';\n"
PLAIN = "CREATE ROUTE [ToDepot] WITH SERVICE_NAME = N'Tell', ADDRESS = N'TCP://depot:4022';\n"
VARIABLE = ("-v", "DepotAddress=TCP://depot:4022")


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


def address(answer: Result, database: str = "Shop") -> str:
    """The address of the route of the tests."""
    table = read_estate(answer.out).instances["shop"].databases[database].table
    return str(table.routes["ToDepot"].address.text)


def test_the_database_is_said_beside_the_instance(call: Call, tmp_path: Path) -> None:
    answer = call("import-sql", f"shop/Shop={written(tmp_path, 'Route.sql', ROUTE)}", *VARIABLE)
    assert (answer.status, answer.err) == (0, "")
    assert address(answer) == "TCP://depot:4022"
    assert list(read_estate(answer.out).instances) == ["shop"]


def test_a_use_leaves_the_database_that_was_said(call: Call, tmp_path: Path) -> None:
    script = written(tmp_path, "a.sql", f"USE Shop;\nGO\n{PLAIN}")
    answer = call("import-sql", f"shop/Other={script}")
    assert address(answer) == "TCP://depot:4022"


@pytest.mark.parametrize("name", ["depotaddress", "DEPOTADDRESS"])
def test_a_name_of_a_variable_has_no_case(call: Call, tmp_path: Path, name: str) -> None:
    answer = call("import-sql", "-v", f'{name}="TCP://x:1"', f"shop/Shop={written(tmp_path, 'r.sql', ROUTE)}")
    assert address(answer) == "TCP://x:1"


def test_setvar_holds_for_the_files_after_it_and_is_stronger(call: Call, tmp_path: Path) -> None:
    first = written(tmp_path, "vars.sql", ":setvar DepotAddress TCP://second:1\n")
    answer = call("import-sql", f"shop/Shop={first},{written(tmp_path, 'r.sql', ROUTE)}", *VARIABLE)
    assert (answer.status, address(answer)) == (0, "TCP://second:1")


def test_a_variable_of_one_instance_is_none_of_another(call: Call, tmp_path: Path) -> None:
    first = written(tmp_path, "vars.sql", ":setvar DepotAddress TCP://second:1\n")
    answer = call("import-sql", f"office={first}", f"shop/Shop={written(tmp_path, 'r.sql', ROUTE)}")
    assert answer.status == 1
    assert "$(DepotAddress)" in answer.err


@pytest.mark.parametrize("bad", ["x", "=1", "a b=1", "a;b=1"])
def test_what_is_no_variable_is_refused(call: Call, tmp_path: Path, bad: str) -> None:
    assert "variable" in misused(call("import-sql", f"shop={written(tmp_path, 'r.sql', PLAIN)}", "-v", bad))


@pytest.mark.parametrize("command", [":r .\\Route.sql", ":R route.sql", ':r ".\\Route.sql"', ":r $(here)\\Route.sql"])
def test_a_file_beside_the_script_is_read_in(call: Call, tmp_path: Path, command: str) -> None:
    written(tmp_path, "Route.sql", PLAIN)
    post = written(tmp_path, "post.sql", f"USE Shop\nGO\n{command}\nGO\n")
    answer = call("import-sql", f"shop={post}", "-v", "here=.")
    assert (answer.status, answer.err, address(answer)) == (0, "", "TCP://depot:4022")


def test_findings_stand_at_the_line_of_their_own_file(call: Call, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    part = written(tmp_path / "sub", "part.sql", "\n\nCREATE ROUTE a WITH ADDRESS = @a\n:r ..\\last.sql\n")
    written(tmp_path, "last.sql", PLAIN)
    post = written(tmp_path, "post.sql", "USE Shop\nGO\n:r sub/part.sql\nGO\nCREATE ROUTE b WITH ADDRESS = @b\n")
    answer = call("import-sql", f"shop={post}")
    assert f"{part}:3: " in answer.err
    assert f"{post}:5: " in answer.err
    assert address(answer) == "TCP://depot:4022"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (":r ..\\secret.sql", "leads out of the folder"),
        (":r sub\\..\\..\\secret.sql", "leads out of the folder"),
        (":r /etc/hostname", "relative to it"),
        (":r C:\\x.sql", "relative to it"),
        (":r \\\\server\\share\\x.sql", "relative to it"),
        (":r link.sql", "symbolic link"),
        (":r folder\\secret.sql", "symbolic link"),
        (":r pipe", "no regular file"),
        (":r nothing.sql", "no such file"),
        (":r $(unset)\\x.sql", "has no value"),
        (":r post.sql", "read itself in again"),
    ],
)
def test_nothing_outside_of_the_folder_is_read(call: Call, tmp_path: Path, command: str, reason: str) -> None:
    written(tmp_path, "secret.sql", PLAIN)
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / "link.sql").symlink_to(tmp_path / "secret.sql")
    (folder / "folder").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    script = f"USE Shop\nGO\n{command}"
    answer = call("import-sql", f"shop={written(folder, 'post.sql', script)}")
    assert answer.status == 1
    assert "ToDepot" not in answer.out
    [line] = [line for line in answer.err.splitlines() if "is read in here by sqlcmd" in line]
    assert reason in line


def one_reason(answer: Result) -> str:
    """The reason of the only file that was not read in."""
    (line,) = (line for line in answer.err.splitlines() if "is read in here by sqlcmd" in line)
    assert answer.status == 1
    return line.partition("; it was not read: ")[2]


@pytest.mark.parametrize("back", ["a.sql", "A.SQL", ".\\a.sql", "sub\\..\\a.sql"])
def test_a_circle_of_files_is_cut_at_its_first_repetition(call: Call, tmp_path: Path, back: str) -> None:
    written(tmp_path, "b.sql", "CREATE DATABASE B\nGO\n:r c.sql\n")
    written(tmp_path, "c.sql", f":r {back}\nGO\n{PLAIN}")
    first = written(tmp_path, "a.sql", "USE Shop\nGO\n:r b.sql\n")
    answer = call("import-sql", f"shop={first}")
    assert one_reason(answer) == "the file would read itself in again"
    assert address(answer) == "TCP://depot:4022", "the rest is read"


def test_files_that_differ_in_case_alone_are_two(call: Call, tmp_path: Path) -> None:
    written(tmp_path, "q.sql", PLAIN)
    both = written(tmp_path, "Q.sql", "USE Shop\nGO\n:r q.sql\n")
    answer = call("import-sql", f"shop={both}")
    assert (answer.status, address(answer)) == (0, "TCP://depot:4022")
    (tmp_path / "other").mkdir()
    for name in ("n.sql", "N.sql"):
        written(tmp_path / "other", name, PLAIN)
    answer = call("import-sql", f"shop={written(tmp_path, 'z.sql', ':r other/N.SQL')}")
    assert one_reason(answer) == "N.sql, n.sql differ from it in case alone"


def test_depth_is_bounded(call: Call, tmp_path: Path) -> None:
    for number in range(30):
        written(tmp_path, f"a{number}.sql", f":r a{number + 1}.sql\nGO\nCREATE DATABASE D{number}\nGO\n")
    answer = call("import-sql", f"shop={tmp_path / 'a0.sql'}")
    assert one_reason(answer) == "files that read in files may be nested 16 deep"
    assert f"{tmp_path / 'a16.sql'}:1: " in answer.err


def tree(folder: Path, width: int) -> Path:
    """Scripts that read in the next one several times each: hundreds of bytes, and millions of files."""
    for number in range(14):
        written(folder, f"x{number}.sql", f":r x{number + 1}.sql\nGO\n" * width)
    written(folder, "x14.sql", "PRINT 1\n")
    return folder / "x0.sql"


def wide(folder: Path) -> Path:
    written(folder, "one.sql", "PRINT 1\n")
    return written(folder, "w.sql", ":r one.sql\nGO\n" * 200_000)


def missing(folder: Path) -> Path:
    return written(folder, "w.sql", "".join(f":r missing{number}.sql\n" for number in range(50_000)))


def huge(folder: Path) -> Path:
    written(folder, "huge.sql", f"-- {'x' * 100}\n" * 200_000)
    return written(folder, "w.sql", ":r huge.sql\nGO\n" * 100_000)


def many(folder: Path) -> Path:
    written(folder, "part.sql", f"-- {'x' * 100}\n" * 1_000)
    return written(folder, "w.sql", ":r part.sql\nGO\n" * 900)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (lambda folder: tree(folder, 3), "x13.sql: line 1: this script reads in more than 1,000 files"),
        (wide, "w.sql: line 2001: this script reads in more than 1,000 files"),
        (missing, "w.sql: line 1001: this script reads in more than 1,000 files"),
        (huge, "w.sql: line 1: all files that this script reads in have more than 16,777,216 characters"),
        (many, "w.sql: line 323: all files that this script reads in have more than 16,777,216 characters"),
    ],
    ids=["tree", "wide", "missing", "huge", "many"],
)
def test_a_script_that_reads_in_too_much_is_refused_in_one_line(
    call: Call, tmp_path: Path, script: Callable[[Path], Path], reason: str
) -> None:
    began = time.process_time()
    answer = call("import-sql", f"shop={script(tmp_path)}")
    assert (answer.status, answer.out) == (4, "")
    assert answer.err == f"error: {tmp_path}/{reason}\n"
    assert time.process_time() - began < 20, "seconds; forty times the measured time"


def test_a_link_to_the_folder_of_the_script_is_the_users_own(call: Call, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    written(real, "part.sql", PLAIN)
    written(real, "main.sql", "USE Shop\nGO\n:r part.sql\n")
    (tmp_path / "link").symlink_to(real)
    assert address(call("import-sql", f"shop={tmp_path / 'link' / 'main.sql'}")) == "TCP://depot:4022"


TWO = "CREATE ROUTE [ToDepot] WITH SERVICE_NAME = N'$(Service)', ADDRESS = N'TCP://$(Host):4022';\n"


@pytest.mark.parametrize(
    "words",
    [
        ["{}", "-v", "Service=Tell", "Host=depot"],
        ["-v", "Service=Tell", "Host=depot", "{}"],
        ["-v", "Service=Tell", "-v", "Host=depot", "{}"],
        ["-v", "Service=Tell", "Host=depot", "--", "{}"],
        ["-v", "Service=Tell", "Host=depot", "--format", "text", "{}"],
    ],
)
def test_several_variables_follow_one_option_as_with_sqlcmd(call: Call, tmp_path: Path, words: list[str]) -> None:
    source = f"shop/Shop={written(tmp_path, 'two.sql', TWO)}"
    answer = call("import-sql", *(word.format(source) for word in words))
    assert (answer.status, answer.err, address(answer)) == (0, "", "TCP://depot:4022")


def test_a_file_that_is_missing_is_no_variable(call: Call, tmp_path: Path) -> None:
    answer = call("import-sql", "-v", "Service=Tell", f"shop={tmp_path / 'missing.sql'}")
    assert answer.status == 4
    assert "missing.sql: cannot be read" in answer.err


def test_a_variable_that_is_not_set_names_every_way_to_set_it(call: Call, tmp_path: Path) -> None:
    answer = call("import-sql", f"shop/Shop={written(tmp_path, 'r.sql', ROUTE)}")
    assert answer.status == 1
    assert ":setvar DepotAddress" in answer.err
    assert "-v DepotAddress=" in answer.err
    assert "field Variables" in answer.err


COMMENT = "/* Post-Deployment Script Template */\n"


def test_a_file_of_comments_stops_no_other(call: Call, tmp_path: Path) -> None:
    comment, script = written(tmp_path, "post.sql", COMMENT), written(tmp_path, "r.sql", PLAIN)
    answer = call("import-sql", f"shop/Shop={comment},{script}", f"office={comment}")
    assert answer.status == 1  # office was asked for, and is not there
    assert list(read_estate(answer.out).instances) == ["shop"]
    assert address(answer) == "TCP://depot:4022"
    assert answer.err.count("says nothing") == 2
    assert f"  {comment}: office\n" in answer.err
    assert f"  {comment}: shop\n" in answer.err
    assert call("import-sql", f"shop/Shop={comment},{script}").status == 0


def test_files_of_comments_alone_are_refused(call: Call, tmp_path: Path) -> None:
    comment, empty = written(tmp_path, "post.sql", COMMENT), written(tmp_path, "empty.sql", "")
    answer = call("import-sql", f"shop={comment},{empty}")
    assert (answer.status, answer.out) == (4, "")
    assert answer.err.count("\n") == 1
    assert "post.sql: says nothing" in answer.err


def test_a_file_of_comments_can_be_read_in(call: Call, tmp_path: Path) -> None:
    written(tmp_path, "vars.sql", "-- later\n")
    answer = call("import-sql", f"shop/Shop={written(tmp_path, 'r.sql', ':r vars.sql' + chr(10) + PLAIN)}")
    assert (answer.status, answer.err) == (0, "")
