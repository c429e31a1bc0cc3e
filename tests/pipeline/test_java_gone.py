"""A Java that is killed in the middle of a call: known for what it is, and said in one line however the wire broke."""

from __future__ import annotations

import logging
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from py4j.clientserver import ClientServer, JavaParameters
from py4j.protocol import Py4JError

from pipeline.runtime.shutdown import SHUTDOWN, is_not_of_py4j, silence_py4j
from pipeline.runtime.spark_errors import spark_has_ended

Ask = Callable[[ClientServer], None]
RESET = struct.pack("ii", 1, 0)
"""Linger for no time: a process that is killed with unread bytes resets the connection instead of closing it."""


@pytest.fixture
def logged() -> Iterator[list[logging.LogRecord]]:
    """What a job logs; the log is of these tests again afterwards."""
    root, py4j = logging.getLogger(), logging.getLogger("py4j")
    level, records = py4j.level, list[logging.LogRecord]()
    handler = logging.Handler()
    handler.emit = records.append  # type: ignore[method-assign] - the handler collects the records
    root.addHandler(handler)
    silence_py4j()
    yield records
    root.removeHandler(handler)
    root.removeFilter(is_not_of_py4j)
    py4j.setLevel(level)


@pytest.fixture
def java(monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """What stands for the Java of this process; its wire is elsewhere."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"]) as process:
        monkeypatch.setattr(SHUTDOWN, "_java", process)
        yield process
        process.kill()


def ask_for_a_class(gateway: ClientServer) -> None:
    """Py4J takes it that there is no such class."""
    gateway.jvm.System.exit(0)


def ask_for_work(gateway: ClientServer) -> None:
    gateway.entry_point.work()


def failure(ask: Ask, *, is_reset: bool) -> Exception:
    """What a call says whose Java takes it and is gone."""
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor() as threads:
        going = threads.submit(take_and_go, listening, is_reset=is_reset)
        gateway = ClientServer(JavaParameters(address="127.0.0.1", port=listening.getsockname()[1]))
        with pytest.raises(Py4JError) as caught:
            ask(gateway)
        going.result()
        gateway.shutdown()
    return caught.value


def take_and_go(listening: socket.socket, *, is_reset: bool) -> None:
    connection, _ = listening.accept()
    listening.close()
    with connection:
        connection.recv(1)
        if is_reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)


@pytest.mark.parametrize("is_reset", [True, False])
@pytest.mark.parametrize("ask", [ask_for_a_class, ask_for_work])
def test_it_is_known_and_py4j_says_nothing(
    java: subprocess.Popen[bytes], logged: list[logging.LogRecord], ask: Ask, is_reset: bool
) -> None:
    java.kill()
    assert spark_has_ended(failure(ask, is_reset=is_reset))
    assert logged == []


def test_a_java_that_answers_is_there(java: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.runtime.shutdown.CHILD_GRACE_S", 0.1)
    assert not spark_has_ended(Py4JError("Nothing does not exist in the JVM"))
    java.kill()
    assert spark_has_ended(Py4JError("Nothing does not exist in the JVM"))


def test_all_else_is_logged_as_ever(logged: list[logging.LogRecord]) -> None:
    logging.getLogger().warning("of no name")
    logging.getLogger("brokerui").warning("ours")
    assert [record.getMessage() for record in logged] == ["of no name", "ours"]
