"""A stream that is interrupted: the caller goes on in its own session, or hears nothing of a Java that has ended."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pyarrow as pa
import pytest
from py4j.clientserver import ClientServer, JavaParameters
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from pipeline.jobs.batches import empty_total, ingest_batches

RESET = struct.pack("ii", 1, 0)
"""Linger for no time: a process that is killed with unread bytes resets the connection instead of closing it."""

PATIENCE = 10
"""Seconds until the call must have come."""


def interrupted(session: SparkSession) -> Any:
    """Rows of a stream of this session, whose user interrupts the query."""
    rows = Mock(sparkSession=session)
    writer = rows.writeStream.foreachBatch.return_value.option.return_value
    writer.trigger.return_value.start.return_value.awaitTermination.side_effect = KeyboardInterrupt
    return rows


def take_and_go(listening: socket.socket, *, is_reset: bool) -> None:
    connection, _ = listening.accept()
    listening.close()
    with connection:
        connection.recv(1)
        if is_reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)


@pytest.fixture(params=[True, False], ids=["reset", "closed"])
def session(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[SparkSession]:
    """The session of a Java that takes one call and is gone; the active session is again the former one afterwards."""
    monkeypatch.setattr(SparkSession, "_activeSession", SparkSession._activeSession)
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor() as threads:
        listening.settimeout(PATIENCE)
        going = threads.submit(take_and_go, listening, is_reset=request.param)
        gateway = ClientServer(JavaParameters(address="127.0.0.1", port=listening.getsockname()[1]))
        found = object.__new__(SparkSession)
        vars(found).update(_jvm=gateway.jvm, _jsparkSession=None, _sc=SimpleNamespace())
        yield found
        going.result()
        gateway.shutdown()


def test_nothing_is_said_of_the_java_that_has_ended(session: SparkSession, tmp_path: Path) -> None:
    total = empty_total("ingest", {})
    ingest_batches(interrupted(session), tmp_path, None, lambda _rows, _mark: total, total)
    assert set(total.counts.values()) == {0}


def test_the_session_says_so_itself(session: SparkSession) -> None:
    """Nobody is told only because the stream keeps it to itself."""
    with pytest.raises((Py4JError, OSError)):
        session.createDataFrame(pa.table({"one": [1]}))


def test_the_caller_goes_on_in_its_own_session(spark: SparkSession, tmp_path: Path) -> None:
    spark.newSession().createDataFrame(pa.table({"one": [1]}))
    assert not is_active(spark), "as after a batch, which has a session of its own"
    total = empty_total("ingest", {})
    ingest_batches(interrupted(spark), tmp_path, None, lambda _rows, _mark: total, total)
    assert is_active(spark)


def is_active(session: SparkSession) -> bool:
    """In Python and in Java."""
    java: Any = session
    active = java._jvm.org.apache.spark.sql.classic.SparkSession.getActiveSession().get()
    return SparkSession.getActiveSession() is session and bool(active.equals(java._jsparkSession))
