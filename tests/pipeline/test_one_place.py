"""A place is the same by its path and by its URL: files that a job read by one name are known by the other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.files.location import one_name
from pipeline.inputs.files import identity_key
from pipeline.lake.lake import Lake
from tests.pipeline.estates import TO_PARTS, document, row, written

pytestmark = pytest.mark.usefixtures("spark")


def test_a_lake_and_its_files_are_known_by_either_name(tmp_path: Path) -> None:
    traffic, lake, out = tmp_path / "my traffic", tmp_path / "my lake", tmp_path / "out"
    estate = written(tmp_path / "estate.json", document(TO_PARTS))
    written(traffic / "a.jsonl", [row(1), row(2)])

    def routed(name: str) -> int:
        assert main(["route", "--estate", estate, "--traffic", name, "--out", str(out)]) == 0
        found: int = json.loads((out / "_run.json").read_text(encoding="utf-8"))["taken_over"]
        return found

    for name in (str(traffic), traffic.as_uri(), str(traffic)):
        assert main(["ingest", "--in", name, "--out", str(lake)]) == 0
    assert len(Lake(lake).commits()) == 1, "the file is new once"
    assert routed(str(lake)) == 0
    assert routed(lake.as_uri()) > 0
    assert routed(str(lake)) > 0


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("/data/my lake", "/data/my lake"),
        ("file:///data/my%20lake", "/data/my lake"),
        ("s3a://traffic/lake", "s3a://traffic/lake"),
    ],
)
def test_a_place_has_one_name(name: str, found: str) -> None:
    assert one_name(name) == found


def test_a_moment_is_that_of_the_coarser_clock() -> None:
    by_path = {"path": "/in/a", "size": 3, "modified": 1_700_000_000_123_456_789}
    by_url = {"path": "file:///in/a", "size": 3, "modified": 1_700_000_000_123_000_000}
    assert identity_key(by_path) == identity_key(by_url)
    assert identity_key(by_path) != identity_key({**by_url, "modified": 1_700_000_000_124_000_000})
