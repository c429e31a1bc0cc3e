"""`brokerui lint`: lines for people, JSON for scripts, and what it exits with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from brokerui.analysis.lint.finding_text import SHOWN, counted, findings_as_text, place
from brokerui.cli.main import BAD_INPUT, main
from brokerui.core.home import CHECKOUT
from routing.common.finding import ERROR, INFO, WARNING, Finding
from routing.common.sentence import say
from routing.lint.registry import CHECKS
from routing.lint.suppression import FORMAT
from tests.brokerui.estates import LOCAL, database, document, instance, to

EXAMPLES = CHECKOUT / "examples"
HEALTHY = str(EXAMPLES / "1-default.json")
FAULTY = str(EXAMPLES / "three-servers.json")
WARNED = str(EXAMPLES / "3-mirrored-database.json")
KEYS = ["code", "severity", "instance", "database", "object", "reason", "remedy_sql", "file", "line", "remedy_does"]
AT = ["--at", "2030-01-01"]


def suppression(expires: str = "2031-01-01T00:00:00Z", **more: Any) -> dict[str, Any]:
    of_the_port = {"code": "wrong-port", "instance": "shop", "database": "Orders", "object": "PostRoute"}
    return {**of_the_port, "owner": "ana", "reason": "a tunnel", "expires": expires} | more


@pytest.fixture
def suppressions(tmp_path: Path) -> Any:
    """Writes a file of suppressions and says where it is."""

    def write(*members: Any) -> str:
        path = tmp_path / "suppressions.json"
        path.write_text(json.dumps({"format": FORMAT, "suppressions": members}), encoding="utf-8")
        return str(path)

    return write


def test_a_healthy_estate_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", HEALTHY, *AT]) == 0
    assert capsys.readouterr() == (f"None of these {len(CHECKS)} checks found anything.\n", "")


def test_an_error_exits_with_1_and_a_warning_with_0() -> None:
    assert main(["lint", FAULTY, *AT]) == 1
    assert main(["lint", WARNED, *AT]) == 0


def test_the_lines_are_grouped_and_the_worst_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    main(["lint", FAULTY, *AT])
    lines = capsys.readouterr().out.splitlines()
    heads = [line.split(" ")[0] for line in lines if line and not line.startswith(" ")]
    assert heads == ["error:"] * 5 + ["warning:", "5"]
    assert lines[0] == "error: no-return-route (1): Replies do not arrive"
    assert lines[1] == "  depot/Printing"
    assert "        USE [Printing];" in lines
    assert lines[-1] == "5 errors, 1 warning"


def test_the_servers_that_are_missing_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    estate = tmp_path / "estate.json"
    lone = instance("a", database("D", LOCAL, to("tcp://gone:4022", "Bill")), database("msdb", LOCAL))
    estate.write_text(document(lone), encoding="utf-8")
    assert main(["lint", str(estate), *AT]) == 0
    assert "still missing: the instance tcp://gone:4022 that routes point to\n" in capsys.readouterr().out


@pytest.mark.parametrize(("estate", "count"), [(HEALTHY, 0), (FAULTY, 6)])
def test_json_is_one_array_of_findings(estate: str, count: int, capsys: pytest.CaptureFixture[str]) -> None:
    main(["lint", estate, *AT, "--format", "json"])
    findings = json.loads(capsys.readouterr().out)
    assert len(findings) == count
    assert all(list(finding) == KEYS for finding in findings)


def test_a_finding_that_is_suppressed_is_counted(suppressions: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", FAULTY, *AT, "--suppress", suppressions(suppression())]) == 1
    out, err = capsys.readouterr()
    assert "wrong-port" not in out
    assert out.endswith("4 errors, 1 warning\nsuppressed: 1\n")
    assert err == ""


def test_one_that_expired_suppresses_nothing_and_is_told(suppressions: Any, capsys: pytest.CaptureFixture[str]) -> None:
    main(["lint", FAULTY, *AT, "--suppress", suppressions(suppression("2029-12-31T00:00:00Z"))])
    out, err = capsys.readouterr()
    assert "wrong-port" in out
    assert err == "suppression expired: wrong-port shop/Orders/PostRoute (ana: a tunnel)\n"


def test_one_whose_finding_is_gone_is_told(suppressions: Any, capsys: pytest.CaptureFixture[str]) -> None:
    main(["lint", HEALTHY, *AT, "--suppress", suppressions(suppression())])
    out, err = capsys.readouterr()
    assert out.startswith("None of these")
    assert err == "suppression matches no finding any more: wrong-port shop/Orders/PostRoute (ana: a tunnel)\n"


def test_with_every_error_suppressed_it_exits_with_0(suppressions: Any, capsys: pytest.CaptureFixture[str]) -> None:
    main(["lint", FAULTY, *AT, "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    keys = ("code", "instance", "database", "object")
    members = [suppression() | {key: each[key] for key in keys} for each in found if each["severity"] == ERROR]
    assert main(["lint", FAULTY, *AT, "--suppress", suppressions(*members)]) == 0


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (b"{}", "$.format: is missing"),
        (b"\xff", "is not UTF-8"),
        (b"[" * 100_000, "$: must be an object"),
    ],
)
def test_suppressions_that_cannot_be_read(
    source: bytes, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(source)
    assert main(["lint", FAULTY, "--suppress", str(path)]) == BAD_INPUT
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"error: {path}: {says}")


def test_suppressions_are_bounded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "large.json"
    path.write_bytes(b" " * 11)
    assert main(["lint", FAULTY, "--suppress", str(path), "--max-size", "10"]) == BAD_INPUT
    assert "is larger than 10 bytes" in capsys.readouterr().err


def test_only_one_input_can_be_standard_input(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as misused:
        main(["lint", "-", "--suppress", "-"])
    assert misused.value.code == 2
    assert "only one input can be standard input" in capsys.readouterr().err


def test_it_starts_without_django() -> None:
    code = f"""
import sys
from brokerui.cli.main import main
main(["lint", {HEALTHY!r}])
print(sorted({{"django", "celery", "pyspark"}} & {{name.split(".")[0] for name in sys.modules}}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


# ---------------------------------------------------------------- lines


def found(name: str | None = "R", severity: str = WARNING, database: str | None = "D") -> Finding:
    return Finding(
        "wrong-port", severity, "a", database, name, say("because\nof {it}", it="it"), remedy_sql="x\x1b[0m\ny"
    )


def test_of_many_findings_of_one_code_some_are_shown() -> None:
    lines = list(findings_as_text([found()] * (SHOWN + 3), {"wrong-port": say("A port")}))
    assert lines[0] == f"warning: wrong-port ({SHOWN + 3}): A port\n"
    assert lines[-2] == "  and 3 more; --format json has all\n"


def test_what_a_terminal_would_obey_is_not_written() -> None:
    text = "".join(findings_as_text([found("R\x1b[2J\n")], {"wrong-port": say("A port")}))
    assert "\x1b" not in text
    assert "because of it\n" in text


@pytest.mark.parametrize(
    ("name", "database", "shown"),
    [("R", "D", "a/D/R"), ("D", "D", "a/D/D"), ("a", None, "a"), (None, None, "a"), ("S", None, "a/S")],
)
def test_a_place_names_each_part_once(name: str | None, database: str | None, shown: str) -> None:
    assert place(found(name, database=database)) == shown


def test_a_finding_about_a_database_names_it_once() -> None:
    about = Finding("broker-disabled", ERROR, "a", "D", "D", say("off"), remedy_sql=None)
    assert place(about) == "a/D"


def test_findings_are_counted_by_severity() -> None:
    severities = [ERROR, ERROR, WARNING, INFO, INFO]
    assert counted(found(severity=severity) for severity in severities) == "2 errors, 1 warning, 2 info"
    assert counted([]) == ""
