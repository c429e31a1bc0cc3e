"""Wake-ups: one for many reasons, none for a worker that is at work, none lost."""

from __future__ import annotations

from collections.abc import Callable
from threading import Timer
from types import SimpleNamespace

import pytest

from brokerui.messaging.exchange import wake_debounce
from brokerui.messaging.exchange.lists import FrameList, put, run, take_arrived
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.exchange.wake_debounce import LINGER_S, bell_of, run_until_idle, wake_once

pytestmark = pytest.mark.usefixtures("lists")

TASK = SimpleNamespace(name="some.task")


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The wake-ups that were sent."""
    sent: list[str] = []

    def wake(task: SimpleNamespace) -> bool:
        sent.append(task.name)
        return True

    monkeypatch.setattr(wake_debounce, "wake", wake)
    return sent


def works(*answers: bool, then: Callable[[], object] = lambda: None) -> tuple[Callable[[], bool], list[bool]]:
    """Work that says this each time whether there is more, and does something the first time."""
    left, done = list(answers), list[bool]()

    def work() -> bool:
        if not done:
            then()
        done.append(left.pop(0))
        return done[-1]

    return work, done


def test_one_that_is_on_its_way_serves_for_all(woken: list[str]) -> None:
    assert [wake_once(TASK) for _ in range(3)] == [True] * 3
    assert woken == ["some.task"]


def test_who_is_at_work_does_what_comes_meanwhile_too(woken: list[str]) -> None:
    wake_once(TASK)
    work, done = works(False, False, then=lambda: wake_once(TASK))
    run_until_idle(TASK, work)
    assert (len(done), woken) == (2, ["some.task"])
    wake_once(TASK)
    assert len(woken) == 2, "the worker has ended"


def test_who_is_at_work_takes_frames_that_arrive_without_another_request(woken: list[str]) -> None:
    def arrive() -> None:
        [answer] = run(redis(), put("P", [(FrameList("A", 0), b"a bundle")], bell_of(TASK)))
        assert not answer.first

    wake_once(TASK)
    work, done = works(False, False, then=arrive)
    run_until_idle(TASK, work)
    assert (len(done), woken) == (2, ["some.task"])
    run(redis(), take_arrived("A", 0, 1))
    assert run(redis(), put("P", [(FrameList("A", 0), b"a bundle")], bell_of(TASK)))[0].first, "the worker has ended"


def test_who_has_just_done_all_does_what_comes_soon_too(woken: list[str]) -> None:
    soon = Timer(LINGER_S / 4, wake_once, [TASK])
    work, done = works(False, False, then=soon.start)
    run_until_idle(TASK, work)
    soon.join()
    assert len(done) + len(woken) == 2, "one or the other, however slow the machine is"


def test_who_finds_another_at_work_leaves_it_to_him(woken: list[str]) -> None:
    """As when beat starts a look, or a wake-up came twice; the worker at work looks once more."""
    second, done_by_second = works(False)
    first, done_by_first = works(False, False, then=lambda: run_until_idle(TASK, second))
    run_until_idle(TASK, first)
    assert (len(done_by_first), len(done_by_second), woken) == (2, 0, [])


def test_who_was_not_asked_for_waits_for_nothing(woken: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It would occupy one of few processes, and workers that were woken would wait."""
    monkeypatch.setattr(wake_debounce, "LINGER_S", 600.0)
    work, done = works(False)
    run_until_idle(TASK, work)
    assert (len(done), woken) == (1, [])


def test_long_work_goes_on_after_the_turns_of_others(woken: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wake_debounce, "TURN_S", 0.0)
    work, done = works(True)
    run_until_idle(TASK, work)
    assert (len(done), woken) == (1, ["some.task"])
    wake_once(TASK)
    assert woken == ["some.task"], "one is on its way"


def test_more_is_done_at_once(woken: list[str]) -> None:
    work, done = works(True, True, False)
    run_until_idle(TASK, work)
    assert (len(done), woken) == (3, [])


def test_without_redis_the_work_is_done(woken: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wake_debounce, "redis", lambda: (_ for _ in ()).throw(OSError("no Redis")))
    assert not wake_once(TASK)
    work, done = works(False)
    run_until_idle(TASK, work)
    assert (len(done), woken) == (1, [])
