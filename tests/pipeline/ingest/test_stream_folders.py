"""A stream over a folder that is not there, or that goes while it runs: one line says which."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest
from pyspark.sql import SparkSession

from pipeline.cli import main
from pipeline.files.location import location
from pipeline.jobs import stream_folders
from pipeline.jobs.follow import follow
from pipeline.jobs.ingest import IngestOptions
from pipeline.jobs.stream import StreamOptions, stream
from pipeline.jobs.stream_folders import WatchedFolders, folders_of
from pipeline.runtime.session import SparkSettings
from routing.common.errors import InputError
from tests.pipeline.estates import row, written


def test_the_folders_of_a_stream_are_those_of_all_its_sources(spark: SparkSession, tmp_path: Path) -> None:
    one, other = spark.readStream.text(str(tmp_path)), spark.readStream.text(tmp_path.as_uri())
    assert folders_of(one.union(other).where("value <> ''")) == [tmp_path, location(tmp_path.as_uri())]
    pattern = spark.readStream.schema("value string").json(f"{tmp_path}/day=*/part-[0-9].json")
    assert folders_of(pattern) == [tmp_path]
    assert folders_of(spark.readStream.format("rate").load()) == []


def test_a_stream_whose_folder_has_gone_is_one_error_and_no_lake(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    rows = spark.readStream.text(str(tmp_path / "in"))
    (tmp_path / "in").rmdir()
    with pytest.raises(InputError, match=f"{tmp_path}/in: is not there"):
        stream(rows, StreamOptions("s", str(tmp_path / "lake")))
    assert not (tmp_path / "lake").exists()


@pytest.mark.usefixtures("spark")
def test_a_folder_that_is_followed_has_to_be_there_and_may_be_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = ["--in", str(tmp_path / "in"), "--out", str(tmp_path / "lake")]
    assert main(["ingest", "--follow", *places]) == 4
    assert capsys.readouterr().err == f"error: {tmp_path}/in: is not there\n"
    assert not (tmp_path / "lake").exists()
    (tmp_path / "in").mkdir()
    options = IngestOptions(str(tmp_path / "in"), str(tmp_path / "lake"))
    found = []
    for _ in range(2):
        found.append(follow(options, SparkSettings("local[2]"), None).counts["in"])
        written(tmp_path / "in" / "a.jsonl", [row(1)])
    assert found == [0, 1]


def a_query(*meanwhile: Callable[[], object]) -> Mock:
    """One that does each of these between two looks, and ends."""
    steps = iter(meanwhile)

    def waited(_seconds: float) -> bool:
        step = next(steps, None)
        if step is not None:
            step()
        return step is None

    return Mock(awaitTermination=waited)


def test_a_folder_that_goes_and_comes_back_is_a_line_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, stays = tmp_path / "in", tmp_path / "stays"
    folder.mkdir()
    stays.mkdir()
    WatchedFolders([folder, stays]).wait(a_query(lambda: None, folder.rmdir, lambda: None, folder.mkdir, lambda: None))
    assert capsys.readouterr().err.splitlines() == [
        f"warning: {folder}: is not there any more; files are taken once it is back",
        f"warning: {folder}: is back",
    ]


def test_a_stream_that_ends_without_its_folder_fails(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with pytest.raises(InputError, match=f"{tmp_path}/in: is not there"):
        WatchedFolders([tmp_path / "in"]).wait(a_query((tmp_path / "in").rmdir))


def test_a_store_that_does_not_answer_is_no_folder_that_has_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    watched = WatchedFolders([tmp_path])
    monkeypatch.setattr(stream_folders, "exists", Mock(side_effect=OSError("no answer")))
    watched.look()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(stream_folders, "exists", Mock(return_value=False))
    watched.look()
    assert "is not there any more" in capsys.readouterr().err


def test_a_folder_that_nobody_may_list_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = Mock(**{"listed.side_effect": PermissionError(13, "Permission denied")})
    monkeypatch.setattr(stream_folders, "file_system", Mock(return_value=files))
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        stream_folders.check_there([tmp_path])


@pytest.mark.thorough("its lines are those of a query that ends between two looks")
def test_a_folder_that_goes_between_two_batches_is_named_while_the_stream_goes_on(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its look at the folders stands for the user: it removes the folder, brings it back, and interrupts."""
    traffic, kept = tmp_path / "in", tmp_path / "kept"
    written(traffic / "a.jsonl", [row(1)])
    look, looks = WatchedFolders.look, iter((lambda: traffic.rename(kept), lambda: shutil.copytree(kept, traffic)))

    def looked(self: WatchedFolders) -> None:
        if "quarantined" in capsys.readouterr().out or steps:
            step = next(looks, None)
            if step is None:
                raise KeyboardInterrupt
            steps.append(step())
        look(self)

    steps: list[object] = []
    monkeypatch.setattr(WatchedFolders, "look", looked)
    monkeypatch.setattr(stream_folders, "EVERY_S", 0.5)
    warned: list[str] = []
    monkeypatch.setattr(stream_folders, "write_error", warned.append)
    counts = follow(IngestOptions(str(traffic), str(tmp_path / "lake")), SparkSettings("local[2]"), "1 second").counts
    for query in spark.streams.active:  # its Java has not ended, as that of an interrupted job has
        query.stop()
    assert counts["in"] == 1
    assert [text.partition("; ")[0].strip() for text in warned] == [
        f"warning: {traffic}: is not there any more",
        f"warning: {traffic}: is back",
    ]
