"""`brokerui simulate`: worlds counted, or the first broken promise told so that a person can read it."""

from __future__ import annotations

import re

import pytest

from tests.brokerui.cli.command_line import Call, call_with, misused
from tests.simulation.mutations import MUTATIONS


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


def test_worlds_that_keep_their_promises_are_counted(call: Call) -> None:
    result = call("simulate", "--seed", 3, "--runs", 2, "--faults", "light")
    assert (result.status, result.err) == (0, "")
    first, counted, took, promise = result.out.splitlines()
    assert first == "seeds 3 to 4, faults light"
    assert re.fullmatch(r"2 worlds: [\d,]+ messages in [\d,]+ frames, .*", counted)
    assert re.fullmatch(r"[\d,.]+ hours in [\d,.]+ seconds", took)
    assert promise.startswith("No promise was broken")


def test_a_fresh_seed_is_printed(call: Call) -> None:
    """Without faults nothing can be broken by chance."""
    result = call("simulate", "--faults", "none")
    assert result.status == 0
    assert re.match(r"seeds (\d+) to \1, faults none\n1 world: ", result.out)


def test_a_broken_promise_is_told_with_its_seed_and_its_story(call: Call) -> None:
    broken = next(mutation for mutation in MUTATIONS if mutation.name == "forget a duplicate")
    with broken.applied():
        result = call("simulate", "--seed", 0, "--runs", 500)
    assert (result.status, result.err) == (1, "")
    _, what, _, needed, *story, again = result.out.splitlines()
    found = re.fullmatch(r"seed (\d+): once-in-order is broken", what)
    assert found is not None
    assert re.fullmatch(r"needs .*conversation.*; \d+ of \d+ parts left out", needed)
    assert any("begins a dialog" in line for line in story)
    assert any("takes in frame" in line for line in story)
    assert again == f"again: brokerui simulate --seed {found[1]} --faults heavy"


@pytest.mark.parametrize(
    ("option", "given"),
    [("--seed", "-1"), ("--seed", "x"), ("--seed", "²"), ("--runs", "0"), ("--seed", "1" * 19), ("--faults", "some")],
)
def test_bad_usage_is_told(call: Call, option: str, given: str) -> None:
    assert option in misused(call("simulate", f"{option}={given}"))
