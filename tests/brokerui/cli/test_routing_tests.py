"""`brokerui test`: what a person reads, what a build server reads, and the exit status."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from brokerui.core.home import CHECKOUT
from tests.brokerui.cli.command_line import AT, FOUND, LOST, Call, Result, call_with, misused, refused, written

HOLDS = "tests:\n- {name: it arrives, from: host1/Orders, to: Stock, must: delivered host2/Parts}\n"
BOTH = HOLDS + "- {name: it <waits>, from: host1/Orders, to: Stock, must: delayed, may: exits}\n"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


@pytest.fixture
def judge_on(call: Call, tmp_path: Path) -> Call:
    """Tests of a text, on an estate."""

    def testing(tests: str, estate: object, *more: object) -> Result:
        file = written(tmp_path, "t.yaml", tests)
        return call("test", file, "--estate", written(tmp_path, "e.json", estate), *AT, *more)

    return testing


def test_the_text_says_what_failed_and_what_it_got(judge_on: Call, tmp_path: Path) -> None:
    result = judge_on(BOTH, FOUND)
    assert (result.status, result.err) == (1, "")
    assert result.out == (
        f"{tmp_path}/t.yaml\n"
        "  passed  it arrives\n"
        "  FAILED  it <waits> (line 3)\n"
        "          must be delayed, got delivered host2/Parts\n"
        "          may be exits, but no outcome is\n"
        "          got: delivered host2/Parts\n"
        "2 tests: 1 passed, 1 failed.\n"
        "Their outcomes use 2 of 5 routes of the estate, 40.0 %.\n"
    )


def test_all_hold(judge_on: Call) -> None:
    result = judge_on(HOLDS, FOUND)
    assert (result.status, result.out.splitlines()[-2]) == (0, "1 test: 1 passed, 0 failed.")
    assert judge_on(HOLDS, LOST).status == 1
    assert judge_on("tests: []", FOUND).status == 0


@pytest.mark.parametrize(("percent", "status"), [("40", 0), ("40.1", 1), ("100", 1), ("0", 0)])
def test_too_few_routes_are_used(judge_on: Call, percent: str, status: int) -> None:
    result = judge_on(HOLDS, FOUND, "--fail-under", percent)
    assert result.status == status
    assert ("fewer than --fail-under" in result.out) is bool(status)


def test_junit_names_each_case_and_its_failure(judge_on: Call, tmp_path: Path) -> None:
    assert judge_on(BOTH, FOUND, "--junit", tmp_path / "r.xml").out.startswith(f"{tmp_path}/t.yaml\n")
    root = ElementTree.parse(tmp_path / "r.xml").getroot()
    (suite,) = root
    assert [element.attrib["failures"] for element in (root, suite)] == ["1", "1"]
    passed, failed = suite
    assert (passed.attrib["name"], list(passed)) == ("it arrives", [])
    assert {"classname", "name", "file", "line", "time"} == failed.attrib.keys()
    assert failed[0].attrib["message"] == "must be delayed, got delivered host2/Parts; may be exits, but no outcome is"
    assert (failed[0].text or "").endswith("got: delivered host2/Parts")


def test_junit_on_standard_output_stands_alone(judge_on: Call) -> None:
    result = judge_on(HOLDS, FOUND, "--junit", "-")
    assert (result.status, ElementTree.fromstring(result.out).tag) == (0, "testsuites")


def test_a_name_that_xml_cannot_hold_is_escaped(judge_on: Call) -> None:
    strange = json.loads(json.dumps(FOUND).replace('"name": "host2"', '"name": "ho\\u0001st2"'))
    root = ElementTree.fromstring(judge_on(HOLDS, strange, "--junit", "-").out)
    assert "ho\\x01st2/Parts" in root[0][0][0].attrib["message"]


def test_a_name_that_the_estate_lacks_is_remarked(judge_on: Call, tmp_path: Path) -> None:
    """A `never` that is misspelt would hold for ever."""
    never = ", ".join(
        ("delivered hots2/Parts", "delivered host2/Part", "dropped no_rout", "delayed host1 no_route", "dropped host2")
    )
    result = judge_on(f"tests:\n- {{name: a, from: host1/Orders, to: Stock, never: [{never}, exits]}}", FOUND)
    assert result.status == 0
    remark = f'{tmp_path}/t.yaml: line 2: the estate has nothing that "{{}}" can match\n'
    assert result.err == "".join(
        map(remark.format, ("delivered hots2/Parts", "delivered host2/Part", "dropped no_rout"))
    )


def test_bad_input_is_refused_whole(judge_on: Call, call: Call, tmp_path: Path) -> None:
    junit = tmp_path / "r.xml"
    assert refused(judge_on(HOLDS + "- {name: b}", FOUND, "--junit", junit)).endswith(
        "line 3: $.tests[1].to: is missing"
    )
    nowhere = "tests:\n- {name: a, from: host3/X, to: S, must: exits}"
    assert "line 2: $.tests[0].from: there is no database" in refused(judge_on(nowhere, FOUND, "--junit", junit))
    assert not junit.exists()
    assert "cannot be read" in refused(call("test", tmp_path / "no.yaml", "--estate", tmp_path / "e.json"))
    assert "cannot be written" in refused(judge_on(HOLDS, FOUND, "--junit", tmp_path))


def test_bad_usage(call: Call, judge_on: Call) -> None:
    assert "--estate" in misused(call("test", "t.yaml"))
    assert "FILE" in misused(call("test", "--estate", "e.json"))
    assert misused(judge_on(HOLDS, FOUND, "--fail-under", "101")).endswith("0 to 100, not '101'")
    assert misused(call("test", "-", "--estate", "-")).endswith("only one input can be standard input")


def test_the_example_holds_as_the_guide_shows_it(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """The block of the guide is the file, and its answer is what the command prints."""
    monkeypatch.chdir(CHECKOUT)
    guide = (CHECKOUT / "docs" / "how-to" / "routing-tests.md").read_text(encoding="utf-8")
    example = "examples/three-servers/routing-tests.yaml"
    assert f"```yaml\n{Path(example).read_text(encoding='utf-8')}```" in guide
    result = call("test", example, "--estate", "examples/three-servers.json")
    assert (result.status, f"```text\n{result.out}```" in guide) == (0, True)
