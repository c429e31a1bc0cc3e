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
from pipeline.files.location import location
from pipeline.jobs.follow import follow
from pipeline.jobs.ingest import IngestOptions, ingest
from pipeline.lake.classes import write_class_tables
from pipeline.lake.lake import Lake
from pipeline.runtime.session import SparkSettings
from tests.pipeline.estates import TO_PARTS, document, row, written
from tests.pipeline.telemetry.event_logs import SCHEMA, random_log

Json = dict[str, Any]
pytestmark = pytest.mark.usefixtures("spark")
SETTINGS = SparkSettings("local[2]")
CSV = b'conversation_id,at,from_database,to_service,messages,bytes\nq1,2026-03-02,Orders,"Sto\nck",1,2\n'


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """Traffic of several kinds in folders with odd names, an estate, its history, and an event log."""
    traffic = tmp_path / "in" / "a b"
    written(traffic / "one.jsonl", [row(1), row(2, at="2026-03-02T00:00:00Z"), {"at": "never"}, row(1)])
    pq.write_table(pa.Table.from_pylist([row(3), row(4, from_instance="nobody")]), traffic / "two.parquet")
    (traffic / "from_instance=host1").mkdir()
    (traffic / "from_instance=host1" / "three.csv").write_bytes(CSV)
    (traffic / "cut.parquet").write_bytes(b"PAR1")
    (traffic / "utf16.jsonl").write_bytes(json.dumps(row(5)).encode("utf-16"))
    written(tmp_path / "before.json", document())
    written(tmp_path / "history" / "1.json", document(TO_PARTS, valid_from="2026-01-01T00:00:00Z"))
    (tmp_path / "log").mkdir()
    pq.write_table(pa.Table.from_pylist(random_log(random.Random(1), 200), SCHEMA), tmp_path / "log" / "e.parquet")
    return tmp_path


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
    """The rows of each table that the record of a result names."""
    found = record_of(out)["tables"]
    return {
        name: sorted(str(one) for file in about["files"] for one in pq.read_table(out / file["path"]).to_pylist())
        for name, about in found.items()
    }


def quarantine(out: Path) -> list[tuple[Any, ...]]:
    rows = [one for path in sorted(out.rglob("_quarantine/*.parquet")) for one in pq.read_table(path).to_pylist()]
    return sorted((one["file"].partition("/in")[2], one["position"], one["reason"], one["raw"]) for one in rows)


@pytest.mark.parametrize("job", ["route", "replay", "telemetry"])
def test_a_result_behind_a_url_has_the_same_rows(
    job: str, given: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(given, job, "plain", str)
    run(given, job, "remote", url)
    plain, remote = record_of(given / "plain"), record_of(given / "remote")
    assert tables(given / "remote") == tables(given / "plain")
    assert (remote["counts"], remote["reasons"]) == (plain["counts"], plain["reasons"])
    assert quarantine(given / "remote") == quarantine(given / "plain")
    assert {path.name for path in (given / "remote").iterdir() if path.name[0] != "."} == {
        "_run.json",
        remote["folder"],
    }


def test_a_second_result_behind_a_url_replaces_the_first(given: Path) -> None:
    run(given, "replay", "out", url)
    former = record_of(given / "out")["folder"]
    left = given / "out" / "result-20200101T000000Z-0badcafe"
    lately = given / "out" / "result-29990101T000000Z-0badcafe"
    for folder in (left, lately):
        folder.mkdir()
    run(given, "replay", "out", url)
    record = record_of(given / "out")
    assert record["folder"] != former
    folders = {path.name for path in (given / "out").iterdir() if path.is_dir()}
    assert folders == {record["folder"], lately.name}
    written(given / "out" / "mine.json", {})
    (given / "out" / "_run.json").unlink()
    assert (
        main(
            ["generate", "--estate", url(given / "history"), "--rows", "9", "--seed", "1", "--out", url(given / "out")]
        )
        == 4
    )


@pytest.mark.parametrize("names", [(str, url), (url, str)], ids=["path first", "URL first"])
def test_a_path_and_a_url_of_one_result_replace_each_other(names: tuple[Any, Any], given: Path) -> None:
    for name in names:
        run(given, "ingest", "lake", name)
        arguments = ["route", "--estate", str(given / "history"), "--traffic", str(given / "lake")]
        assert main([*arguments, "--out", name(given / "out")]) == 0
    expected = {file["path"] for about in record_of(given / "out")["tables"].values() for file in about["files"]}
    assert {path.relative_to(given / "out").as_posix() for path in (given / "out").rglob("*.parquet")} - {
        path.relative_to(given / "out").as_posix() for path in (given / "out").rglob("_quarantine/*")
    } == expected
    assert len(tables(given / "out")["rows"]) == record_of(given / "out")["counts"]["out"]


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


def test_a_lake_behind_a_url_has_the_same_rows(given: Path, spark: SparkSession) -> None:
    for name in (str, url):
        run(given, "ingest", f"lake-{name.__name__}", name)
        written(given / "in" / f"later-{name.__name__}.jsonl", [row(1), row(7, at="2026-03-05T00:00:00Z")])
        run(given, "ingest", f"lake-{name.__name__}", name)
        (given / "in" / f"later-{name.__name__}.jsonl").unlink()
    plain, remote = str(given / "lake-str"), url(given / "lake-url")
    assert lake_rows(remote) == lake_rows(plain)
    one, other = Lake(location(plain)), Lake(location(remote))
    assert [record["counts"] for record in other.commits().values()] == [
        record["counts"] for record in one.commits().values()
    ]
    assert (other.span(), other.last_moment()) == (one.span(), one.last_moment())
    assert sorted(map(str, other.silver(spark).collect())) == sorted(map(str, one.silver(spark).collect()))
    assert main(["route", "--estate", url(given / "history"), "--traffic", remote, "--out", url(given / "routed")]) == 0
    assert main(["route", "--estate", str(given / "history"), "--traffic", plain, "--out", str(given / "plain")]) == 0
    assert tables(given / "routed") == tables(given / "plain")
    # A former lake, made by its path, is read and continued by its URL.
    written(given / "in" / "last.jsonl", [row(8), row(3)])
    counts = ingest(IngestOptions(url(given / "in"), url(given / "lake-str")), SETTINGS).counts
    assert counts["out"] == 1
    assert len(Lake(location(url(given / "lake-str"))).commits()) == 3
    assert len(lake_rows(str(given / "lake-str"))["silver"]) == len(lake_rows(plain)["silver"])


def test_of_two_runs_of_a_lake_one_counts(given: Path) -> None:
    """As the second commits while the first is at work; the first is told, and leaves nothing that counts."""
    run(given, "ingest", "lake", url)
    (taken,) = (given / "lake" / "_commits").glob("run=*.json")
    before = lake_rows(url(given / "lake"))
    written(given / "in" / "more.jsonl", [row(9)])

    def committed_meanwhile(name: str) -> None:
        (given / "lake" / "_commits" / name).write_bytes(taken.read_bytes())

    with pytest.MonkeyPatch.context() as other:
        other.setattr("pipeline.jobs.ingest.write_class_tables", _then(committed_meanwhile, "run=000002.json"))
        status = main(["ingest", "--in", url(given / "in"), "--out", url(given / "lake")])
    assert status == 4
    (given / "lake" / "_commits" / "run=000002.json").unlink()
    assert lake_rows(url(given / "lake")) == before
    assert main(["ingest", "--in", url(given / "in"), "--out", url(given / "lake")]) == 0
    assert len(lake_rows(url(given / "lake"))["silver"]) == len(before["silver"]) + 1


def _then(work: Any, *arguments: Any) -> Any:
    def both(*given: Any) -> None:
        write_class_tables(*given)
        work(*arguments)

    return both


def test_a_record_that_is_cut_off_was_never_committed(given: Path) -> None:
    run(given, "ingest", "lake", url)
    before = lake_rows(url(given / "lake"))
    (given / "lake" / "_commits" / "run=000002.json").write_text('{"format": "brok', encoding="utf-8")
    written(given / "in" / "more.jsonl", [row(9)])
    assert lake_rows(url(given / "lake")) == before
    run(given, "ingest", "lake", url)
    assert len(lake_rows(url(given / "lake"))["silver"]) == len(before["silver"]) + 1
    assert [*Lake(location(url(given / "lake"))).commits()] == ["run=000001", "run=000003"]


def test_files_that_arrive_behind_a_url_are_taken_once(given: Path) -> None:
    options = IngestOptions(url(given / "in"), url(given / "lake"))
    first = follow(options, SETTINGS, None).counts
    written(given / "in" / "more.jsonl", [row(9)])
    assert follow(options, SETTINGS, None).counts == {"in": 1, "out": 1, "quarantined": 0}
    assert follow(options, SETTINGS, None).counts == {"in": 0, "out": 0, "quarantined": 0}
    assert first["in"] == first["out"] + first["quarantined"]


def test_what_is_generated_behind_a_url_is_a_traffic(given: Path) -> None:
    estate, out = url(given / "history"), url(given / "drawn")
    arguments = ["generate", "--estate", estate, "--rows", "500", "--out", out]
    for seed in ("1", "2"):
        assert main([*arguments, "--seed", seed]) == 0
    (given / "drawn" / "result-29990101T000000Z-0badcafe").mkdir()
    written(given / "drawn" / "result-29990101T000000Z-0badcafe" / "unfinished.jsonl", [row(1)])
    assert ingest(IngestOptions(out, url(given / "lake")), SETTINGS).counts["in"] == 500


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
    names: dict[str, str], says: str, given: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = {"in": str(given / "in"), "lake": str(given / "lake"), **names}
    assert main(["ingest", "--in", places["in"], "--out", places["lake"]]) == 4
    assert capsys.readouterr().err.startswith(says)
    assert not (given / "lake" / "silver").exists()
