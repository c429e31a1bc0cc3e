"""Files of all events: complete or absent, each event once, after any kill and any error of the disk."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from brokerui.eventlog import publishing, recording
from brokerui.eventlog.publishing import publish, remove_old
from brokerui.eventlog.recording import MOST, Recorder
from brokerui.eventlog.schema import COLUMNS
from brokerui.eventlog.stage import OPEN, Stage
from tests.brokerui.elsewhere import elsewhere
from tests.brokerui.eventlog.samples import AT, EVENTS, SAMPLES
from tests.brokerui.product import eventually

ALL = (*EVENTS, *SAMPLES)
ROOT = Path(__file__).resolve().parents[3]


def rows(folder: Path) -> list[dict[str, Any]]:
    """What a reader sees that looks at every file whose name does not begin with a dot."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and OPEN not in path.parts]
    assert all(path.suffix == ".parquet" for path in files)
    return [row for path in files for row in parquet.ParquetFile(path).read().to_pylist()]


def stages(folder: Path) -> list[Path]:
    return sorted((folder / OPEN).iterdir())


def written(folder: Path, *events: Any, seconds: float = 60) -> Stage:
    stage = Stage(folder, seconds=seconds, size=1 << 20)
    stage.write([("A", [(AT, event) for event in events])])
    return stage


def test_a_file_appears_when_it_is_complete_with_every_event_as_it_is(folder: Path) -> None:
    stage = written(folder, *ALL)
    assert publish(folder) == 0
    assert rows(folder) == []
    stage.close()
    assert publish(folder) == len(ALL)
    found = rows(folder)
    assert [row["event_class"] for row in found] == [event.number for event in ALL]
    assert [row["position"] for row in found] == list(range(1, len(ALL) + 1))
    assert {row["instance"] for row in found} == {"A"}
    assert all(row["at"].timestamp() * 1000 == AT for row in found)
    assert (stages(folder), publish(folder)) == ([], 0)
    (path,) = folder.glob("date=*/*.parquet")
    assert found[0]["source"] == path.stem
    assert path.parent.name == f"date={path.stem[7:11]}-{path.stem[11:13]}-{path.stem[13:15]}"
    schema = parquet.read_schema(path)
    assert schema.names == list(COLUMNS)
    assert str(schema.field("at").type) == "timestamp[ms, tz=UTC]"


def test_files_end_by_size_and_by_time(folder: Path) -> None:
    stage = Stage(folder, seconds=60, size=500)
    for _ in range(3):
        stage.write([("A", [(AT, event) for event in EVENTS])])
        assert not stage.is_open
    assert len(stages(folder)) == 3
    stage = Stage(folder, seconds=0.05, size=1 << 20)
    stage.write([("A", [(AT, EVENTS[0])])])
    assert stage.is_open
    time.sleep(0.06)  # longer than a stage stays open
    stage.close_if_due()
    assert not stage.is_open
    assert publish(folder) == 3 * len(EVENTS) + 1
    assert len({(row["source"], row["position"]) for row in rows(folder)}) == 3 * len(EVENTS) + 1


def test_a_large_file_is_written_in_pieces(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "ROWS_AT_ONCE", 3)
    written(folder, *ALL).close()
    assert publish(folder) == len(ALL)
    (path,) = folder.glob("date=*/*.parquet")
    assert parquet.ParquetFile(path).num_row_groups == -(-len(ALL) // 3)


def test_a_last_line_that_is_not_whole_is_passed_over(folder: Path) -> None:
    written(folder, *EVENTS).close()
    (stage,) = stages(folder)
    stage.write_bytes(stage.read_bytes() + b'["A",[[1900000000000,143,["d')
    assert publish(folder) == len(EVENTS)
    assert len(rows(folder)) == len(EVENTS)


def test_a_publisher_killed_before_it_noted_its_work_publishes_nothing_twice(folder: Path) -> None:
    written(folder, *EVENTS).close()
    (stage,) = stages(folder)
    kept = stage.read_bytes()
    publish(folder)
    stage.write_bytes(kept)
    assert publish(folder) == 0
    assert (len(rows(folder)), stages(folder)) == (len(EVENTS), [])


def test_a_file_that_cannot_be_written_leaves_nothing_and_is_written_later(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(folder, *EVENTS).close()
    with monkeypatch.context() as full:

        def no_room(path: Path) -> None:
            raise OSError(28, "No space left on device")

        full.setattr(publishing, "_to_disk", no_room)
        with pytest.raises(OSError, match="No space"):
            publish(folder)
    assert not [path for path in folder.glob("date=*/*") if path.is_file()]
    assert publish(folder) == len(EVENTS)


def test_old_days_go(folder: Path) -> None:
    for day in ("2026-10-01", "2026-10-20", "2026-11-20"):
        (folder / f"date={day}").mkdir(parents=True)
    (folder / "date=mine").mkdir()
    remove_old(folder, 0, date(2026, 11, 20))
    assert len(list(folder.iterdir())) == 4
    remove_old(folder, 31, date(2026, 11, 20))
    assert sorted(path.name for path in folder.iterdir()) == ["date=2026-10-20", "date=2026-11-20", "date=mine"]


KILLED = """
import os, sys, time
from pathlib import Path
from brokerui.eventlog.stage import Stage
from tests.brokerui.eventlog.samples import AT, EVENTS
stage = Stage(Path(sys.argv[1]), seconds=0.2, size=1 << 30)
while True:
    stage.write([("A", [(AT, event) for event in EVENTS])])
    print(len(EVENTS), flush=True)
    time.sleep(0.005)
"""


def test_who_is_killed_loses_no_event_that_was_written_and_leaves_no_half_file(folder: Path) -> None:
    event_count = 0
    for _ in range(3):
        writer = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        end = time.monotonic() + 0.4
        while time.monotonic() < end:
            publish(folder)
        writer.send_signal(signal.SIGKILL)
        event_count += len(EVENTS) * (1 + len(writer.stdout.read().split()))
        writer.wait()
        writer.stdout.close()
    publish(folder)
    found = rows(folder)
    # The one that was written and not told yet may be there, once for each that was killed.
    assert event_count <= len(found) <= event_count + 3 * len(EVENTS)
    assert len({(row["source"], row["position"]) for row in found}) == len(found)
    assert stages(folder) == []


# ---------------------------------------------------------------------------------------------- the recorder


@pytest.fixture
def mine() -> Recorder:
    return Recorder()


@pytest.mark.django_db
def test_what_is_told_is_in_the_file_once_it_is_closed(folder: Path, mine: Recorder) -> None:
    mine.note("A", [(AT, event) for event in EVENTS])
    mine.log("A", [(AT, sample) for sample in SAMPLES])
    mine.close()
    assert publish(folder) == len(ALL)


@pytest.mark.django_db
def test_no_file_is_written_unless_the_log_is_on(folder: Path, mine: Recorder, settings: Any) -> None:
    settings.EVENT_LOG = False
    mine.note("A", [(AT, event) for event in EVENTS])
    mine.close()
    assert not folder.exists()


@pytest.mark.django_db
def test_a_full_disk_costs_one_line_and_nothing_else(
    folder: Path, mine: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("not a folder")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            mine.note("A", [(AT, EVENTS[0])])
            mine.flush()
    assert [record.message.split(":")[0] for record in caplog.records] == ["event log"]
    folder.unlink()
    mine.note("A", [(AT, EVENTS[0])])
    mine.close()
    assert caplog.records[-1].message == "event log: written again"
    assert publish(folder) == 1


@pytest.mark.django_db
def test_more_than_the_disk_takes_is_counted_and_not_kept(
    folder: Path, mine: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    batch = [(AT, EVENTS[0])] * 1_000
    for _ in range(MOST // 1_000 + 5):
        mine.log("A", batch)
    mine.close()
    assert "5000 events are not in the event log" in caplog.text
    with stages(folder)[0].open() as file:
        assert sum(len(json.loads(line)[1]) for line in file) == MOST


def test_a_process_that_is_forked_writes_nothing_of_its_parent(folder: Path) -> None:
    elsewhere(_a_process_that_is_forked_writes_nothing, folder)


def _a_process_that_is_forked_writes_nothing(folder: Path) -> None:
    mine = Recorder()
    mine.has_thread = False
    stage = Stage(folder, seconds=60, size=1 << 20)
    stage.write([("A", [(AT, EVENTS[0])])])
    mine._stage = stage
    mine.note("A", [(AT, EVENTS[0])])
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            mine.forget()
            os.write(write, str((mine._counts, mine._batches, mine._stage)).encode())
        finally:
            os._exit(0)
    os.close(write)
    assert os.read(read, 1000).decode() == "({}, [], None)"
    os.waitpid(child, 0)
    assert stage.is_open
    assert publish(folder) == 0
    os.close(read)
    stage.close()


def _are(moments: list[float], count: int) -> bool:
    return len(moments) == count


def test_the_thread_keeps_its_connection_while_events_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """And gives it back to the database once none has come for a while."""
    flushed, closed = list[float](), list[float]()
    monkeypatch.setattr(recording, "SECONDS", 0.02)
    monkeypatch.setattr(recording, "KEPT_S", 0.5)
    monkeypatch.setattr(recording, "close_old_connections", lambda: flushed.append(time.monotonic()))
    monkeypatch.setattr(recording.connections, "close_all", lambda: closed.append(time.monotonic()))
    mine = Recorder()
    monkeypatch.setattr(mine, "has_thread", True)
    monkeypatch.setattr(mine, "flush", lambda: None)
    monkeypatch.setattr(recording.atexit, "register", lambda _function: None)
    for count in (1, 2, 3):
        mine.note("A", [(AT, EVENTS[0])])
        eventually(partial(_are, flushed, count))
    assert closed == []
    eventually(lambda: closed)
    assert closed[0] - flushed[-1] >= 0.5
    mine.note("A", [(AT, EVENTS[0])])
    eventually(partial(_are, flushed, 4))
    assert len(closed) == 1
