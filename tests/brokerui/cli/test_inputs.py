"""What every command does with its inputs: read whole, refused in one line, before anything is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.brokerui.cli.command_line import FOUND, Call, call_with, misused, question, refused, written

COMMANDS = {
    "outcomes": lambda estate, folder: ("outcomes", estate, written(folder, "asked.jsonl", [question()])),
    "explain": lambda estate, _: ("explain", estate, "--outside", "host1", "--to", "Stock"),
    "diff, before": lambda estate, folder: ("diff", estate, written(folder, "after.json", FOUND)),
    "diff, after": lambda estate, folder: ("diff", written(folder, "before.json", FOUND), estate),
}


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


@pytest.fixture(params=COMMANDS)
def arguments(request: pytest.FixtureRequest, tmp_path: Path) -> object:
    """The arguments of each command that reads an estate, made from the name of the estate's file."""
    return lambda estate: COMMANDS[request.param](estate, tmp_path)


# ---------------------------------------------------------------- estates


def test_an_estate_is_read_from_standard_input(call: Call, arguments: Call) -> None:
    result = call(*arguments("-"), stdin=json.dumps(FOUND))
    assert (result.status, result.err) == (0, "")
    assert result.out


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing.json", "No such file or directory"),
        (".", "Is a directory"),
        ("file/inside", "Not a directory"),
        ("n" * 300, "File name too long"),
        ("a\0b", "embedded null byte"),
    ],
)
def test_a_file_that_cannot_be_opened(call: Call, arguments: Call, tmp_path: Path, name: str, reason: str) -> None:
    written(tmp_path, "file", "{}")
    path = f"{tmp_path}/{name}"
    shown = path.replace("\0", r"\x00")
    assert refused(call(*arguments(path))) == f"{shown}: cannot be read: {reason}"


def test_a_file_that_cannot_be_read(call: Call, arguments: Call) -> None:
    """Even for root there is no memory at address nought."""
    assert refused(call(*arguments("/proc/self/mem"))) == "/proc/self/mem: cannot be read: Input/output error"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "$: must be an object (line 1, column 1)"),
        (b'{"format": "\xff"}', "is not utf-8 text: invalid start byte at byte 12"),
        (b'{"format": "brokerui.estate/1"', "$: expected } (line 1, column 31)"),
        (b'{"format": "brokerui.estate/9"}', '$.format: must be "brokerui.estate/1", not "brokerui.estate/9"'),
        ({**FOUND, "hop_limit": -1}, "$.hop_limit: must be 0 to 255"),
        ({**FOUND, "instances": [[]]}, "$.instances[0]: must be an object (line 1, column 47)"),
    ],
)
def test_a_document_that_is_wrong(call: Call, arguments: Call, tmp_path: Path, content: object, says: str) -> None:
    path = written(tmp_path, "estate.json", content)
    assert refused(call(*arguments(path))) == f"{path}: {says}"


def test_a_document_larger_than_allowed_is_refused(call: Call, arguments: Call, tmp_path: Path) -> None:
    path = written(tmp_path, "estate.json", json.dumps(FOUND) + " " * 10)
    size = path.stat().st_size
    says = f"is larger than {size - 1} bytes; --max-size allows more"
    assert refused(call(*arguments(path), "--max-size", size - 1)) == f"{path}: {says}"
    assert call(*arguments(path), "--max-size", size).status == 0


@pytest.mark.parametrize("size", ["1k", "1K", "1M", "1MB", "2G", "900000G"])
def test_sizes_have_units_and_reading_makes_no_room_beyond_the_file(
    call: Call, arguments: Call, tmp_path: Path, size: str
) -> None:
    path = written(tmp_path, "estate.json", json.dumps(FOUND) + " " * 1024)
    assert call(*arguments(path), "--max-size", size).status == (4 if size in ("1k", "1K") else 0)


@pytest.mark.parametrize("size", ["", "-1", "1T", "much", "1.5M"])
def test_what_is_no_size_is_bad_usage(call: Call, arguments: Call, size: str) -> None:
    says = misused(call(*arguments("-"), f"--max-size={size}"))
    assert says.endswith(f"argument --max-size: must be a number of bytes such as 200M, not {size!r}")


# ---------------------------------------------------------------- moments


@pytest.mark.parametrize(
    "moment", ["2026-06-01", "2026-06-01T12:00:00Z", "2026-06-01T14:00+02:00", "20260601T120000", "2026-06-01 12:00"]
)
def test_a_moment_is_given_as_iso_8601(call: Call, arguments: Call, moment: str) -> None:
    assert call(*arguments("-"), "--at", moment, stdin=json.dumps(FOUND)).status == 0


@pytest.mark.parametrize("moment", ["", "now", "2026-13-01", "1.6.2026", "2026-06-01T25:00"])
def test_what_is_no_moment_is_bad_usage(call: Call, arguments: Call, moment: str) -> None:
    says = misused(call(*arguments("-"), "--at", moment))
    assert "argument --at: must be a date and time as ISO 8601, e.g. 2030-01-31T12:00:00Z" in says


# ---------------------------------------------------------------- usage


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "brokerui: error: the following arguments are required: COMMAND"),
        (("--nothing",), "brokerui: error: the following arguments are required: COMMAND"),
        (("outcomes",), "brokerui outcomes: error: the following arguments are required: ESTATE, CONVERSATIONS"),
        (("outcomes", "a", "b", "c"), "brokerui: error: unrecognized arguments: c"),
        (("diff", "a"), "brokerui diff: error: the following arguments are required: AFTER"),
        (("diff", "a", "b", "--lim", "3"), "brokerui: error: unrecognized arguments: --lim 3"),
        (("outcomes", "-", "-"), "error: -: only one input can be standard input"),
        (("diff", "-", "-"), "error: -: only one input can be standard input"),
        (("diff", "-", "b", "--traffic", "-"), "error: -: only one input can be standard input"),
    ],
)
def test_bad_usage_exits_2(call: Call, arguments: tuple[str, ...], says: str) -> None:
    assert misused(call(*arguments)) == says


def test_an_unknown_command_is_told_the_known_ones(call: Call) -> None:
    says = misused(call("outcome"))
    assert "invalid choice: 'outcome'" in says
    assert "'outcomes', 'explain', 'diff'" in says


@pytest.mark.parametrize("command", ["outcomes", "explain", "diff", "up"])
def test_help_says_what_a_command_does(call: Call, command: str) -> None:
    assert f"\n    {command} " in call("--help").out
    result = call(command, "--help")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith(f"usage: brokerui {command} ")
