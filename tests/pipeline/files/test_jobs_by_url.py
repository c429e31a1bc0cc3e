"""Every job with URLs in place of paths gives what it gives with paths."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from pipeline.cli import main
from pipeline.delta.table import TableCommit
from pipeline.files.location import location
from pipeline.inputs.files import files_below
from pipeline.jobs.follow import follow
from pipeline.jobs.ingest import IngestOptions, ingest
from pipeline.lake.classes import write_class_tables
from pipeline.lake.lake import Lake
from pipeline.lake.tables import silver_log
from pipeline.runtime.session import SparkSettings
from tests.pipeline.delta_tables import rows_of
from tests.pipeline.estates import TO_PARTS, document, row, written
from tests.pipeline.ingest.reading import read_traffic
from tests.pipeline.telemetry.event_logs import SCHEMA, random_log

Json = dict[str, Any]
pytestmark = pytest.mark.usefixtures("spark")
SETTINGS = SparkSettings("local[2]")
ROWS = [row(1), row(2, at="2026-03-02T00:00:00Z"), {"at": "never"}]
CSV = b'conversation_id,at,from_database,to_service,messages,bytes\nq1,2026-03-02,Orders,"Sto\nck",1,2\n'


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Traffic in one file, of a kind that is quickly planned, below a folder with an odd name; an estate and its
    history."""
    written(tmp_path / "in" / "a b" / "one.jsonl", ROWS)
    written(tmp_path / "before.json", document())
    written(tmp_path / "history" / "1.json", document(TO_PARTS, valid_from="2026-01-01T00:00:00Z"))
    return tmp_path


@pytest.fixture
def given(small: Path) -> Path:
    """Traffic of all kinds: each has a plan of its own. The folder of one looks like a column, and a row of it has two
    lines; another row comes twice."""
    traffic = small / "in" / "a b"
    written(traffic / "one.jsonl", [*ROWS, row(1)])
    (traffic / "from_instance=host1").mkdir()
    (traffic / "from_instance=host1" / "three.csv").write_bytes(CSV)
    pq.write_table(pa.Table.from_pylist([row(3), row(4, from_instance="nobody")]), traffic / "two.parquet")
    (traffic / "cut.parquet").write_bytes(b"PAR1")
    (traffic / "utf16.jsonl").write_bytes(json.dumps(row(5)).encode("utf-16"))
    return small


def url(path: Path) -> str:
    return path.as_uri()


def run(given: Path, job: str, out: str, as_name: Any) -> None:
    """One job, with all of its files named the same way."""
    name = {
        "ingest": [("--in", "in"), ("--out", out)],
        "route": [("--estate", "history"), ("--traffic", "in"), ("--out", out)],
        "replay": [("--baseline", "before.json"), ("--proposed", "history"), ("--traffic", "in"), ("--out", out)],
        "telemetry": [("--events", "log"), ("--estate", "history"), ("--out", out)],
    }[job]
    arguments = [part for option, path in name for part in (option, as_name(given / path))]
    assert main([job, *arguments, *(["--rows"] if job == "replay" else [])]) == 0


def record_of(out: Path) -> Json:
    found: Json = json.loads((out / "_run.json").read_text(encoding="utf-8"))
    return found


def tables(out: Path) -> dict[str, list[str]]:
    """The rows of each table that the record of a result names, which are those that a reader of Delta tables sees."""
    found = {}
    for name, about in record_of(out)["tables"].items():
        files = [out / file["path"] for file in about["files"]]
        found[name] = sorted(str(one) for file in files for one in pq.read_table(file).to_pylist())
        if "version" in about:
            assert found[name] == sorted(map(str, rows_of(files[0].parent.parent, about["version"])))
    return found


def quarantine(out: Path) -> list[tuple[Any, ...]]:
    rows = [one for path in sorted(out.rglob("_quarantine/**/*.parquet")) for one in pq.read_table(path).to_pylist()]
    return sorted((one["file"].partition("/in")[2], one["position"], one["reason"], one["raw"]) for one in rows)


@pytest.fixture
def log(small: Path) -> Path:
    """An event log beside the rest."""
    (small / "log").mkdir()
    pq.write_table(pa.Table.from_pylist(random_log(random.Random(1), 200), SCHEMA), small / "log" / "e.parquet")
    return small


def test_files_of_all_kinds_behind_a_url_are_read_as_those_of_a_path(
    given: Path, spark: SparkSession, tmp_path: Path
) -> None:
    read, root = (
        read_traffic(spark, url(given / "in"), tmp_path / "work"),
        url(given / "in" / "a b").replace("%20", " "),
    )
    assert sorted(one["conversation_id"] for one in read.good) == ["c1", "c1", "c2", "c3", "c4", "c5", "q1"]
    assert {one["from_instance"] for one in read.good} == {"host1", "nobody"}
    assert read.places == {(f"{root}/one.jsonl", 3, "no_conversation_id"), (f"{root}/cut.parquet", None, "unreadable")}
    assert read.counts == {"in": 9, "out": 7, "quarantined": 2}


@pytest.mark.parametrize(
    ("job", "of"),
    [
        pytest.param("route", "given", marks=pytest.mark.thorough("files of all kinds are read, and a lake is routed")),
        pytest.param("replay", "small", marks=pytest.mark.thorough("route reads and writes by the same steps")),
        pytest.param("telemetry", "log", marks=pytest.mark.thorough("a log that grows is read and written by its URL")),
    ],
)
def test_a_result_behind_a_url_has_the_same_rows(job: str, of: str, request: pytest.FixtureRequest) -> None:
    home: Path = request.getfixturevalue(of)
    run(home, job, "plain", str)
    run(home, job, "remote", url)
    plain, remote = record_of(home / "plain"), record_of(home / "remote")
    assert tables(home / "remote") == tables(home / "plain")
    assert (remote["counts"], remote["reasons"]) == (plain["counts"], plain["reasons"])
    assert quarantine(home / "remote") == quarantine(home / "plain")
    assert record_of(home / "remote")["tables"].keys() == record_of(home / "plain")["tables"].keys()


@pytest.mark.thorough("results of a path and of its URL replace each other, and of a store they do without Spark")
def test_a_second_result_behind_a_url_replaces_the_first(small: Path) -> None:
    run(small, "replay", "out", url)
    first = tables(small / "out")
    written(small / "in" / "later.jsonl", [row(9)])
    run(small, "replay", "out", url)
    assert {about["version"] for about in record_of(small / "out")["tables"].values()} == {1}
    assert len(tables(small / "out")["rows"]) == len(first["rows"]) + 1
    assert len(rows_of(small / "out" / "rows", 0)) == len(first["rows"])
    written(small / "out" / "mine.json", {})
    (small / "out" / "_run.json").unlink()
    assert (
        main(
            ["generate", "--estate", url(small / "history"), "--rows", "9", "--seed", "1", "--out", url(small / "out")]
        )
        == 4
    )


def test_a_path_and_a_url_of_one_result_replace_each_other(small: Path) -> None:
    """And the rows of a lake that were routed are taken over, by whichever of its names the lake is read."""
    run(small, "ingest", "lake", url)
    arguments = ["route", "--estate", str(small / "history"), "--traffic"]
    taken_over = []
    for lake, out in ((str, str), (str, url), (url, str)):
        assert main([*arguments, lake(small / "lake"), "--out", out(small / "out")]) == 0
        assert len(tables(small / "out")["rows"]) == record_of(small / "out")["counts"]["out"] == 2
        taken_over.append(record_of(small / "out")["taken_over"])
    assert [number > 0 for number in taken_over] == [False, True, True]


def lake_rows(lake: str) -> dict[str, list[str]]:
    found = Lake(location(lake))
    return {
        table: sorted(
            str(one)
            for file in found.files(table)
            for one in pq.ParquetFile(str(file).removeprefix("file://")).read().to_pylist()
        )
        for table in ("silver", "sums", "classes")
    }


def test_a_lake_behind_a_url_has_the_same_rows(small: Path, spark: SparkSession) -> None:
    """Of one kind of file: the traffic of a result behind a URL is of all."""
    written(small / "in" / "a b" / "one.jsonl", [*ROWS, row(1)])
    run(small, "ingest", "lake", url)
    written(small / "in" / "later.jsonl", [row(1), row(7, at="2026-03-05T00:00:00Z")])
    counts = ingest(IngestOptions(url(small / "in"), url(small / "lake")), SETTINGS).counts
    assert counts == {"in": 2, "out": 1, "quarantined": 1}
    plain, remote = str(small / "lake"), url(small / "lake")
    assert lake_rows(remote) == lake_rows(plain)
    one, other = Lake(location(plain)), Lake(location(remote))
    assert [record["counts"]["out"] for record in other.commits().values()] == [2, 1]
    assert (other.span(), other.last_moment()) == (one.span(), one.last_moment())
    assert sorted(map(str, other.silver(spark).collect())) == sorted(map(str, one.silver(spark).collect()))
    assert ingest(IngestOptions(str(small / "in"), plain), SETTINGS).counts["in"] == 0, "it is continued by its path"


@pytest.mark.thorough("one counts by its path, and in a store without Spark")
def test_of_two_runs_of_a_lake_one_counts(small: Path) -> None:
    """As the second commits while the first is at work; the first is told, and leaves nothing that counts."""
    run(small, "ingest", "lake", url)
    before = lake_rows(url(small / "lake"))
    written(small / "in" / "more.jsonl", [row(9)])

    def committed_meanwhile() -> None:
        log = silver_log(location(url(small / "lake")))
        log.commit(TableCommit([]), log.version())

    with pytest.MonkeyPatch.context() as other:
        other.setattr("pipeline.jobs.ingest.write_class_tables", _then(committed_meanwhile))
        status = main(["ingest", "--in", url(small / "in"), "--out", url(small / "lake")])
    assert status == 4
    assert lake_rows(url(small / "lake")) == before
    assert main(["ingest", "--in", url(small / "in"), "--out", url(small / "lake")]) == 0
    assert len(lake_rows(url(small / "lake"))["silver"]) == len(before["silver"]) + 1


def _then(work: Any, *arguments: Any) -> Any:
    def both(*given: Any) -> None:
        write_class_tables(*given)
        work(*arguments)

    return both


@pytest.mark.thorough("the places of files that arrive are named as the folder is")
def test_files_that_arrive_behind_a_url_are_taken_once(small: Path) -> None:
    options = IngestOptions(url(small / "in"), url(small / "lake"))
    first = follow(options, SETTINGS, None).counts
    written(small / "in" / "more.jsonl", [row(9)])
    assert follow(options, SETTINGS, None).counts == {"in": 1, "out": 1, "quarantined": 0}
    assert first["in"] == first["out"] + first["quarantined"]


def test_what_is_generated_behind_a_url_is_a_traffic(small: Path) -> None:
    estate, out = url(small / "history"), url(small / "drawn")
    arguments = ["generate", "--estate", estate, "--rows", "500", "--out", out]
    for seed in ("1", "2"):
        assert main([*arguments, "--seed", seed]) == 0
    (small / "drawn" / "result-29990101T000000Z-0badcafe").mkdir()
    written(small / "drawn" / "result-29990101T000000Z-0badcafe" / "unfinished.jsonl", [row(1)])
    assert sum(pq.read_metadata(str(file).removeprefix("file://")).num_rows for file in files_below(out)) == 500


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (
            {"in": "s3a://traffic/in"},
            "error: s3a://traffic/in: nothing here reads s3a://: Spark lacks the library for it\n",
        ),
        (
            {"lake": "s3a://traffic/lake"},
            "error: s3a://traffic/lake: nothing here reads s3a://: Spark lacks the library",
        ),
        ({"in": "file:///nowhere/at/all"}, "error: file:///nowhere/at/all: is not there\n"),
    ],
)
def test_a_url_that_cannot_be_read_is_one_line(
    names: dict[str, str], says: str, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = {"in": str(small / "in"), "lake": str(small / "lake"), **names}
    assert main(["ingest", "--in", places["in"], "--out", places["lake"]]) == 4
    assert capsys.readouterr().err.startswith(says)
    assert not (small / "lake" / "silver").exists()
