"""The short form of `make chaos`: every kind of process is killed once, and the wire, the disk and the pairs fail."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from scripts.postgres import CannotRunError
from tests.acceptance import records
from tests.acceptance.chaos import POSTGRES, PROGRAMS, RETRY_PERIOD, Kill, Scene, load, order, recovery, scene
from tests.brokerui.product import eventually

pytestmark = pytest.mark.slow

SEED = 20
CONVERSATIONS = 50
RATE = 30.0
PAUSE = 2.0


@pytest.mark.thorough("each failure has a test of its own: killed processes, a full volume, failovers, a broken wire")
def test_nothing_is_lost_whatever_fails(tmp_path_factory: pytest.TempPathFactory) -> None:
    try:
        with scene(tmp_path_factory.mktemp("c"), SEED) as found:
            let_fail(found)
            verdicts = [records.compare(*found.urls), records.compare(*reversed(found.urls))]
    except CannotRunError as reason:
        pytest.skip(str(reason))
    assert all(verdict.is_clean for verdict in verdicts), verdicts
    assert all(verdict.received > CONVERSATIONS / 2 for verdict in verdicts), verdicts


def let_fail(found: Scene) -> None:
    places = random.Random(SEED)
    with load(found, CONVERSATIONS, RATE, SEED) as stop:
        found.break_wire(0.25)
        for program in (*PROGRAMS, POSTGRES):
            time.sleep(PAUSE)
            found.kill(program if program == POSTGRES else f"{places.choice('AB')}.{program}")
        with found.full_disk():
            time.sleep(PAUSE)
        found.break_wire(0)
        found.fail_over()
        time.sleep(PAUSE)
        stop()
        drained(found)


def drained(found: Scene) -> None:
    """Wait until every message is received; where one is not, say what both deployments hold."""
    try:
        eventually(lambda: found.waiting == 0, 2 * RETRY_PERIOD)
    except AssertionError:
        held = "\n".join(line for url in found.urls for line in records.standstill(url))
        pytest.fail(f"{found.waiting} messages were not received:\n{held}")


def test_each_kind_is_killed_as_often_as_any_other() -> None:
    kinds = 2 * len(PROGRAMS) + 1
    chosen = order(5 * kinds + 3, random.Random(1))
    assert len(chosen) == 5 * kinds + 3
    assert {chosen[: 5 * kinds].count(one) for one in set(chosen)} == {5}


def test_what_a_wire_did_to_messages_is_found(tmp_path: Path) -> None:
    sent = {("c", number): f"digest {number}" for number in range(5)}
    right = [("c", number, f"digest {number}") for number in range(5)]
    assert records.judged(sent, right).is_clean
    for wrong, what in (
        (right[:-1], "lost"),
        ([*right, right[-1]], "doubled"),
        ([right[1], right[0], *right[2:]], "out_of_order"),
        ([*right[:-1], ("c", 4, "another")], "partial"),
        ([*right, ("c", 5, "nobody sent it")], "partial"),
    ):
        verdict = records.judged(sent, wrong)
        assert getattr(verdict, what) == 1, what
        assert not verdict.is_clean


def test_recovery_is_the_first_window_with_as_much_as_before() -> None:
    before = [number / 10 for number in range(-300, 0)]
    pause = [number / 10 for number in range(80, 1000)]
    assert recovery([*before, *pause], Kill("a", 0.0)) == pytest.approx(7.4, abs=0.2)
    assert recovery([number / 10 for number in range(-300, 1000)], Kill("a", 0.0)) == 0
    assert recovery(before, Kill("a", 0.0)) is None


def test_what_was_caught_up_before_is_not_the_level() -> None:
    """Half a minute after another kill: the rate of sending never reaches the mean again."""
    even = [number / 10 for number in range(-300, 1000)]
    caught_up = [-29.5 + number / 100 for number in range(60)]
    assert recovery(sorted([*even, *caught_up]), Kill("a", 0.0)) == 0
