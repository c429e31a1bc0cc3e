"""Whoever ends a job leaves no process behind, also while Java starts."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from brokerui.home import CHECKOUT
from pipeline.ending import ENDING, end_in_time, undisturbed
from tests.brokerui.product import environment, eventually, processes_of
from tests.pipeline.estates import row, written
from tests.pipeline.telemetry.event_logs import random_log, write_log

SECONDS = 300
SPARK = "\0-XX:+IgnoreUnrecognizedVMOptions\0"
"""What only the Java itself has in its command, and not the programs that find out how to start it."""
INTERRUPTED = 130


class EndedError(Exception):
    """By a signal."""


@pytest.fixture
def handlers() -> Iterator[None]:
    """As a program has them that clears up when it is told to end."""

    def end(number: int, _frame: object) -> None:
        raise EndedError(number)

    former = {number: signal.signal(number, end) for number in ENDING}
    yield
    for number, handler in former.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("number", ENDING)
def test_who_is_told_to_end_does_so_afterwards(number: int) -> None:
    told: list[int] = []

    def work() -> None:
        with undisturbed():
            for _ in range(2):
                signal.raise_signal(number)
                told.append(number)

    with pytest.raises(EndedError):
        work()
    assert told == [number] * 2
    with pytest.raises(EndedError):
        signal.raise_signal(number)


@pytest.mark.usefixtures("handlers")
def test_a_handler_that_was_set_meanwhile_stays() -> None:
    heard: list[int] = []
    with undisturbed():
        signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    signal.raise_signal(signal.SIGINT)
    assert heard == [signal.SIGINT]


def test_in_a_thread_nothing_is_done() -> None:
    def work() -> None:
        with undisturbed():
            done.append(signal.getsignal(signal.SIGTERM))

    done: list[object] = []
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [signal.getsignal(signal.SIGTERM)]


def test_its_last_moments_begin_when_java_has_started(monkeypatch: pytest.MonkeyPatch) -> None:
    told, ended = threading.Event(), threading.Event()
    monkeypatch.setattr(os, "kill", lambda *_: told.set())
    monkeypatch.setattr(os, "_exit", lambda _: ended.set())
    end = threading.Thread(target=end_in_time, args=(0.0,))
    with undisturbed():
        end.start()
        assert told.wait(SECONDS)
        assert not ended.wait(0.5)
    end.join()
    assert ended.is_set()


@pytest.mark.parametrize("how", ["told", "left"])
def test_nothing_stays(tmp_path: Path, how: str) -> None:
    """Its job is told to end, or the program ends that started the job."""
    home = tmp_path / "home"
    traffic = written(tmp_path / "in" / "a.jsonl", [row()])
    job = started(home, "ingest", "--in", traffic, "--out", str(home / "lake"), "--watched")
    eventually(lambda: processes_of(home, SPARK), SECONDS)
    if how == "told":
        job.send_signal(signal.SIGTERM)
    assert job.stdin is not None
    job.stdin.close()
    assert job.wait(SECONDS) == INTERRUPTED
    eventually(lambda: not processes_of(home))
    assert list(home.rglob("_commits/*")) == []


def test_nothing_of_a_graph_stays(tmp_path: Path) -> None:
    """Spark's program is a Java that starts a Python that starts a Java, and looks for its folder in vain."""
    home = tmp_path / "home"
    log = write_log(random_log(random.Random(3), 20), tmp_path / "log")
    with started(home, "graph", "--compute", "--events", log, "--out", str(home / "out")) as job:
        eventually(lambda: len(processes_of(home, SPARK)) == 2, SECONDS)
        job.send_signal(signal.SIGTERM)
        assert job.wait(SECONDS) == INTERRUPTED
    eventually(lambda: not processes_of(home), SECONDS)
    assert list(home.iterdir()) == []


def started(home: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "pipeline", *words, "--master", "local[2]"],
        cwd=CHECKOUT,
        env=environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
