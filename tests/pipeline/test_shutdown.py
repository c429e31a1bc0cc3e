"""Ending a job leaves no process behind and nothing half written, while Java starts and while it writes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from py4j.protocol import Py4JNetworkError

from brokerui.core.home import CHECKOUT
from pipeline.runtime.shutdown import GRACE_S, SIGNALS, Shutdown
from tests.brokerui.product import environment, eventually, processes_of
from tests.pipeline.estates import row, written
from tests.pipeline.telemetry.event_logs import random_log, write_log

SECONDS = 200
SILENT_S = 20
"""Time that a log takes to end which never does; shorter than the grace of a job."""
SPARK = "\0-XX:+IgnoreUnrecognizedVMOptions\0"
"""A word that only the Java itself has in its command, and not the programs that find out how to start it."""
INTERRUPTED = 130


@pytest.mark.parametrize("number", SIGNALS)
def test_told_once_it_ends_in_its_time(ending: Shutdown, number: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)
    signal.raise_signal(number)
    assert 0 < signal.alarm(0) <= GRACE_S


@pytest.mark.parametrize("number", SIGNALS)
def test_what_is_not_to_be_disturbed_ends_first(ending: Shutdown, number: int) -> None:
    order: list[int] = []

    def work() -> None:
        with ending.deferred():
            for _ in range(2):
                signal.raise_signal(number)
                order.append(number)
            raise ValueError

    with pytest.raises(KeyboardInterrupt):
        work()
    assert order == [number] * 2
    assert 0 < signal.alarm(0) <= GRACE_S


def test_a_thread_that_hears_no_signal_defers_none(ending: Shutdown) -> None:
    def work() -> None:
        with ending.deferred():
            has_begun.set()
            may_end.wait(SECONDS)

    has_begun, may_end = threading.Event(), threading.Event()
    with ThreadPoolExecutor() as threads:
        working = threads.submit(work)
        has_begun.wait(SECONDS)
        try:
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        finally:
            may_end.set()
        working.result()


def test_who_is_not_told_is_not_ended(ending: Shutdown) -> None:
    with ending.deferred():
        pass
    assert signal.alarm(0) == 0


def test_what_writes_ends_before_anything_is_cleared_up(ending: Shutdown) -> None:
    """Spark took Ctrl-C for itself meanwhile."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"]) as writer:
        ending.own_java(writer)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        status = writer.poll()
        writer.kill()
    assert status == -signal.SIGTERM


@pytest.mark.parametrize("fails", [True, False])
def test_the_log_of_java_ends_before_its_tasks_fail_and_never_delays_the_end(
    fails: bool, ending: Shutdown, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silence() -> None:
        order.append(process.poll())
        if fails:
            raise Py4JNetworkError
        if not may_end.wait(SILENT_S):
            order.append("the job waited")

    order, may_end = list[int | str | None](), threading.Event()
    monkeypatch.setattr("pipeline.runtime.shutdown.SILENCE_S", 0.1)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"]) as process:
        ending.own_java(process, silence)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        may_end.set()
        assert (order, process.wait(SECONDS)) == ([None], -signal.SIGTERM)


def test_nothing_stays_of_one_whose_starter_has_gone(tmp_path: Path) -> None:
    """While Java starts."""
    traffic = written(tmp_path / "in" / "a.jsonl", [row()])
    with started(tmp_path / "home", "ingest", "--in", traffic, "--out", "lake", "--watched") as job:
        eventually(lambda: processes_of(tmp_path / "home", SPARK), SECONDS)
        assert job.stdin is not None
        job.stdin.close()
        assert job.wait(SECONDS) == INTERRUPTED
    eventually(lambda: not processes_of(tmp_path / "home"))
    assert list(tmp_path.rglob("_delta_log/*")) == []


@pytest.mark.thorough("a job whose starter goes stands for it in `make test`")
def test_nothing_stays_of_a_graph(tmp_path: Path) -> None:
    """Its program is a Java that starts a Python that starts a Java, which has the memory that was asked for."""
    log = write_log(random_log(random.Random(3), 20), tmp_path / "log")
    home = tmp_path / "home"
    with started(home, "graph", "--compute", "--events", log, "--out", "out/graph", "--memory", "600m") as job:
        eventually(lambda: is_writing(home / "out"), SECONDS)
        assert any("-Xmx600m" in command_of(process) for process in processes_of(home, SPARK))
        job.send_signal(signal.SIGTERM)
        assert job.wait(SECONDS) == INTERRUPTED
    eventually(lambda: not processes_of(home))
    assert list((home / "out").iterdir()) == []


@pytest.mark.thorough("a job whose starter goes ends by the same steps")
def test_one_that_follows_ends_well(tmp_path: Path) -> None:
    """Its end is no failure."""
    home, traffic = tmp_path / "home", tmp_path / "in"
    written(traffic / "a.jsonl", [row()])
    with started(home, "ingest", "--in", str(traffic), "--out", "lake", "--follow", "--every", "1 second") as job:
        eventually(lambda: [*(home / "lake" / "silver" / "_delta_log").glob("*.json")], SECONDS)
        job.send_signal(signal.SIGINT)
        assert job.wait(SECONDS) == 0
    eventually(lambda: not processes_of(home))


def is_writing(folder: Path) -> bool:
    """Whatever comes and goes in it meanwhile."""
    return any(name.endswith(".parquet") for _, _, names in os.walk(folder) for name in names)


def command_of(process: int) -> str:
    return Path(f"/proc/{process}/cmdline").read_text()


def started(home: Path, *words: str) -> subprocess.Popen[bytes]:
    home.mkdir()
    return subprocess.Popen(
        [sys.executable, "-m", "pipeline", *words, "--master", "local[2]"],
        cwd=home,
        env={**environment(home), "PYTHONPATH": str(CHECKOUT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


INTERRUPTED_EARLY = """
import os, runpy, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "pipeline.cli":
            os.kill(os.getpid(), getattr(signal, sys.argv.pop()))

sys.meta_path.insert(0, Interrupts())
runpy.run_module("pipeline", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_before_the_command_line_is_read_ends_the_job_as_any_other(name: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED_EARLY, name]
    found = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (INTERRUPTED, "", "")
