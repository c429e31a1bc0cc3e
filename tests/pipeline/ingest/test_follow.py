"""`pipeline ingest --follow`: files as they arrive, each exactly once, also when a batch comes a second time."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pipeline.delta.errors import OvertakenError
from pipeline.files.location import location
from pipeline.jobs.batches import CHECKPOINT
from pipeline.jobs.follow import _path, follow
from pipeline.jobs.ingest import IngestOptions
from pipeline.lake.lake import Lake
from pipeline.runtime.session import SparkSettings
from tests.pipeline.estates import row, written

SETTINGS = SparkSettings("local[2]")


def followed(tmp_path: Path) -> dict[str, int]:
    """Until there are no more files."""
    return follow(IngestOptions(str(tmp_path / "in"), str(tmp_path / "lake")), SETTINGS, None).counts


def names(tmp_path: Path) -> list[str]:
    folders = Lake(tmp_path / "lake").folders("silver")
    return sorted(name for folder in folders for name in pq.read_table(folder)["conversation_id"].to_pylist())


@pytest.mark.usefixtures("spark")
def test_files_are_ingested_as_they_arrive_and_once_though_a_batch_comes_again(tmp_path: Path) -> None:
    """It comes again after a kill between the lake's commit and the checkpoint's; here the checkpoint has forgotten
    all."""
    written(tmp_path / "in" / "a b.jsonl", [row(1), {"at": "never"}])
    assert followed(tmp_path) == {"in": 2, "out": 1, "quarantined": 1}
    written(tmp_path / "in" / "deeper" / "b.jsonl", [row(2)])
    assert followed(tmp_path) == {"in": 1, "out": 1, "quarantined": 0}
    shutil.rmtree(tmp_path / "lake" / CHECKPOINT)
    assert followed(tmp_path) == {"in": 0, "out": 0, "quarantined": 0}
    assert names(tmp_path) == ["c1", "c2"]
    assert len(Lake(tmp_path / "lake").commits()) == 2


@pytest.mark.parametrize(
    ("named", "found", "place"),
    [
        ("/data/in", "file:///data/in/a b+c/x.jsonl", "/data/in/a b+c/x.jsonl"),
        ("/data/in", "file:/data/in/x.jsonl", "/data/in/x.jsonl"),
        ("file:///data/my in", "file:///data/my in/a/x.jsonl", "file:///data/my in/a/x.jsonl"),
        ("s3a://traffic/in", "s3a://traffic/in/a/x.jsonl", "s3a://traffic/in/a/x.jsonl"),
    ],
)
def test_a_file_has_its_place_below_the_folder_as_the_user_named_it(named: str, found: str, place: str) -> None:
    assert _path(found, IngestOptions(named, "lake")) == location(place)


@pytest.mark.usefixtures("spark")
def test_a_batch_that_another_run_overtakes_fails_as_ingest_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def overtaken(*_: object, **__: object) -> None:
        raise OvertakenError(tmp_path / "lake")

    written(tmp_path / "in" / "a.jsonl", [row(1)])
    monkeypatch.setattr("pipeline.jobs.follow.ingest_files", overtaken)
    with pytest.raises(OvertakenError):
        followed(tmp_path)
    assert "at org.apache.spark" not in capfd.readouterr().err, "Java has nothing to add"
