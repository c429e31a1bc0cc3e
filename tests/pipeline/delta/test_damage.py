"""A damaged log is named by its file: cut off, with garbage, missing between two others, or a file in its place."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import types as T

from pipeline.delta.log_folder import LAST_CHECKPOINT, LOG, commit_name
from pipeline.delta.table import DeltaLog, TableCommit
from pipeline.files.file_system import FileSystems
from pipeline.files.local import LocalFiles
from routing.common.errors import InputError
from tests.pipeline.files.late_store import LateStore, place

SCHEMA = T.StructType([T.StructField("value", T.StringType())])
CUT_OFF = "of its log is cut off or has garbage: bring it back from a copy"


def committed(log: DeltaLog, commits: int) -> DeltaLog:
    for number in range(commits):
        log.commit(TableCommit([], transactions={f"run {number}": 1}), number - 1 if number else None)
    return log


def cut(log: Path) -> None:
    file = log / commit_name(1)
    file.write_bytes(file.read_bytes()[:50])


def garbage(log: Path) -> None:
    (log / commit_name(0)).write_bytes(b"\0\xff no log\n")


def a_list(log: Path) -> None:
    (log / commit_name(2)).write_bytes(b"[1]\n")


def gap(log: Path) -> None:
    (log / commit_name(1)).unlink()


def a_file(log: Path) -> None:
    shutil.rmtree(log)
    log.write_bytes(b"")


def checkpoint(log: Path) -> None:
    """Cut off the checkpoint, without which the commits before it are not there."""
    (found,) = log.glob("*.checkpoint.parquet")
    found.write_bytes(found.read_bytes()[:100])
    for number in range(int(found.name[:20])):
        (log / commit_name(number)).unlink()


@pytest.mark.parametrize(
    ("damage", "commits", "says"),
    [
        (cut, 3, f"the file {commit_name(1)} {CUT_OFF}"),
        (garbage, 2, f"the file {commit_name(0)} {CUT_OFF}"),
        (a_list, 3, f"the file {commit_name(2)} {CUT_OFF}"),
        (gap, 3, f"the file {commit_name(1)} of its log is missing"),
        (checkpoint, 12, f"the file {9:020}.checkpoint.parquet {CUT_OFF}"),
    ],
)
def test_the_file_is_named(damage: Callable[[Path], None], commits: int, says: str, tmp_path: Path) -> None:
    log = committed(DeltaLog(tmp_path, SCHEMA), commits)
    damage(tmp_path / LOG)
    with pytest.raises(InputError) as found:
        log.read()
    assert str(found.value).startswith(f"{tmp_path}: is damaged: {says}")


def test_a_file_in_place_of_a_log_is_told_when_it_is_written(tmp_path: Path) -> None:
    log = committed(DeltaLog(tmp_path, SCHEMA), 1)
    a_file(tmp_path / LOG)
    with pytest.raises(InputError, match="is damaged: a file is in the place of its log"):
        committed(log, 1)


def test_a_commit_of_a_store_that_is_not_whole_though_another_follows_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    store = LateStore()
    monkeypatch.setattr("pipeline.files.file_system.FILE_SYSTEMS", FileSystems(LocalFiles(), store))
    log = committed(DeltaLog(place("table"), SCHEMA), 3)
    name = str(place("table") / LOG / commit_name(1))
    whole, store.objects[name] = store.objects[name], store.objects[name][:50]
    with pytest.raises(InputError, match=f"the file {commit_name(1)} {CUT_OFF}"):
        log.read()
    store.objects[name] = whole
    assert str(place("table") / LOG / LAST_CHECKPOINT) not in store.objects
    assert log.version() == 2


def test_a_failure_of_a_log_that_is_whole_keeps_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = committed(DeltaLog(tmp_path, SCHEMA), 1)

    def fails(*_: object, **__: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr("pipeline.delta.table.DeltaTable", fails)
    with pytest.raises(InputError, match="its Delta log fails: the disk is gone"):
        log.read()
