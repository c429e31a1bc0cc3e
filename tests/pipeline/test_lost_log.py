"""A lake whose log is gone, or a file in its place, is an error: it is neither read as empty, nor cleared away."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.cli import main
from pipeline.files.parquet import write_table
from pipeline.lake.lake import Lake
from pipeline.lake.new_run import lake_for_writing, new_run
from pipeline.lake.tables import SILVER
from tests.pipeline.estates import document, written


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lake of one run, which is older than what killed runs leave."""
    monkeypatch.setattr("pipeline.results.run_names.LEFT_FOR", timedelta(seconds=-1))
    place = tmp_path / "lake"
    with lake_for_writing(str(place)) as found, new_run(found) as run:
        write_table(pa.table({"value": ["a"]}), run.table(SILVER) / "day=2026-03-01" / "part-0.parquet")
        run.commit({"inputs": [], "counts": {"in": 1, "out": 1}})
    return place


def lose(lake: Path, name: str) -> None:
    place = lake / SILVER / name
    if place.is_dir():
        shutil.rmtree(place)
        place.write_bytes(b"")
    else:
        place.unlink()


@pytest.mark.parametrize("name", ["_delta_log", f"_delta_log/{0:020}.json"])
@pytest.mark.parametrize("words", [["history"], ["compact"], ["vacuum"], ["sql", "--for", "spark"], []])
def test_no_command_takes_it_for_empty(
    name: str, words: list[str], lake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lose(lake, name)
    estate = written(tmp_path / "estate.json", document())
    route = ["route", "--estate", estate, "--traffic", str(lake), "--out", str(tmp_path / "out")]
    assert main(["lake", words[0], str(lake), *words[1:]] if words else route) == 4
    assert capsys.readouterr().err.startswith("error: ")
    assert [*lake.glob("silver/run=*/day=*/part-0.parquet")], "the rows are there when the log is brought back"


def test_the_line_says_what_is_gone(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lose(lake, "_delta_log")
    assert main(["lake", "compact", str(lake)]) == 4
    problem = "is damaged: the beginning of its log is not there"
    assert capsys.readouterr().err == f"error: {lake / SILVER}: {problem}\n"


def test_a_first_run_that_was_killed_had_no_log(tmp_path: Path) -> None:
    place = tmp_path / "lake"
    with lake_for_writing(str(place)) as found, new_run(found) as run:
        (place / "_commits" / f"{run.name}.json").write_text("{}")
        run.is_committing = True
    assert Lake(place).commits() == {}
