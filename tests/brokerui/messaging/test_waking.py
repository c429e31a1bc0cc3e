"""Wake-ups: one for many reasons, none for a worker that is at work, none lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Timer
from types import SimpleNamespace

import pytest
from celery.signals import worker_init, worker_shutting_down

from brokerui.core.worker_stop import is_stopping
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


def long_work(turns: list[int], end: Callable[[], bool]) -> Callable[[], bool]:
    """Work that has always more, until `end`; counts its calls in `turns`."""

    def work() -> bool:
        turns.append(1)
        return not end()

    return work


def test_work_with_looks_around_goes_on_where_nobody_waits(woken: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wake_debounce, "TURN_S", 0.0)
    turns, looks = list[int](), list[int]()
    run_until_idle(TASK, long_work(turns, lambda: len(turns) == 5), on_turn=lambda: looks.append(1))
    assert (len(turns), len(looks), woken) == (5, 4, [])


@pytest.mark.parametrize("queue", ["transmit", "maintenance"])
def test_a_task_that_waits_has_the_worker_after_the_turn(
    woken: list[str], monkeypatch: pytest.MonkeyPatch, queue: str
) -> None:
    monkeypatch.setattr(wake_debounce, "TURN_S", 0.0)
    redis().rpush(queue, b"a task")
    turns, looks = list[int](), list[int]()
    run_until_idle(TASK, long_work(turns, lambda: len(turns) == 5), on_turn=lambda: looks.append(1))
    assert (len(turns), looks, woken) == (1, [], ["some.task"])
    wake_once(TASK)
    assert woken == ["some.task"], "one is on its way"


def test_a_round_of_the_pipeline_that_waits_ends_no_turn(woken: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its worker does nothing else, and may not run at all."""
    monkeypatch.setattr(wake_debounce, "TURN_S", 0.0)
    redis().rpush("pipeline", b"a round")
    turns = list[int]()
    run_until_idle(TASK, long_work(turns, lambda: len(turns) == 5), on_turn=lambda: None)
    assert (len(turns), woken) == (5, [])


def test_no_turn_is_endless(woken: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wake_debounce, "TURN_S", 0.0)
    monkeypatch.setattr(wake_debounce, "LONGEST_S", 0.0)
    turns = list[int]()
    run_until_idle(TASK, long_work(turns, lambda: len(turns) == 5), on_turn=lambda: None)
    assert (len(turns), woken) == (1, ["some.task"])


def test_a_worker_that_is_to_stop_ends_the_turn_at_once(woken: list[str]) -> None:
    turns = list[int]()

    def stop() -> bool:
        worker_shutting_down.send(sender=None)
        return False

    try:
        run_until_idle(TASK, long_work(turns, stop), on_turn=lambda: None)
        assert (len(turns), woken) == (1, ["some.task"])
    finally:
        worker_init.send(sender=None)
    assert not is_stopping()


def test_a_child_hears_of_a_stop_after_it_was_forked() -> None:
    """The worker hears the signal, and its children do the tasks."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.read(reading, 1)
        os._exit(int(is_stopping()))
    try:
        worker_shutting_down.send(sender=None)
        os.write(writing, b".")
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    finally:
        worker_init.send(sender=None)
        os.close(reading)
        os.close(writing)
