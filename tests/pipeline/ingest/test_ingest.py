"""`pipeline ingest`: keeps a copy of each file, types clean rows and keeps each once, the rest is in quarantine; the
counts add up."""

from __future__ import annotations

import gzip
import json
import shutil
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from pipeline.files.parquet import write_table
from pipeline.inputs.files import examine_files
from pipeline.jobs import ingest as ingest_module
from pipeline.jobs.ingest import IngestOptions, ingest
from pipeline.jobs.progress import STAGES
from pipeline.lake.classes import known_classes, write_class_tables
from pipeline.lake.lake import Lake
from pipeline.lake.new_run import lake_for_writing, new_run
from pipeline.lake.tables import BRONZE, SILVER
from pipeline.results.run_record import JobRun
from pipeline.runtime.local_tables import local_table
from pipeline.runtime.session import SparkSettings
from pipeline.schemas import COLUMNS, TRAFFIC
from routing.common.errors import InputError
from tests.pipeline.estates import ORDERS_ID, row, written

Json = dict[str, Any]
SETTINGS = SparkSettings("local[2]")
HEADER = ",".join(COLUMNS)
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
pytestmark = pytest.mark.usefixtures("spark")


def ingested(traffic: Path | str, lake: Path, **more: Any) -> JobRun:
    run = ingest(IngestOptions(str(traffic), str(lake), **more), SETTINGS)
    assert run.counts["in"] == run.counts["out"] + run.counts["quarantined"]
    return run


def silver(lake: Path) -> list[Json]:
    folders = Lake(lake).folders("silver")
    rows = [one for folder in folders for one in pq.read_table(folder).to_pylist()]
    return sorted(rows, key=lambda one: one["conversation_id"])


def quarantine(lake: Path) -> list[Json]:
    return [one for folder in Lake(lake).folders("_quarantine") for one in pq.read_table(folder).to_pylist()]


def line(number: int, **rest: Any) -> bytes:
    return json.dumps(row(number, **rest)).encode() + b"\n"


# ---------------------------------------------------------------- dirty input, all at once

LINES = [
    (line(1), None),
    (b"{", "not_json"),
    (line(2).strip() + b" more", "not_json"),
    (line(2).strip() + line(3).strip(), "not_json"),
    (b"[" + line(2).strip() + b"]", "not_json"),
    (b'"text"', "not_json"),
    (b"null", "not_json"),
    (b"\xff\xfe{}", "not_utf8"),
    (line(4, at="0000-01-01T00:00:00Z"), "bad_at"),
    (line(5, at="12:00"), "bad_at"),
    (line(6, at="2026-13-01"), "bad_at"),
    (line(7, at="2026-03-01 14:00:00+02:00"), None),
    (line(8, at=None), "no_at"),
    (line(9, to_broker_instance=f"{{{ORDERS_ID.upper()}}}"), None),
    (line(10, to_broker_instance=f"{{{ORDERS_ID}"), "bad_to_broker_instance"),
    (line(11, to_broker_instance=f"{ORDERS_ID}\n"), "bad_to_broker_instance"),
    (line(12, to_service="x" * (10 << 20)), "line_too_long"),
    (line(13, to_service="x" * 257), "bad_to_service"),
    (line(14, to_service="é" * 256), None),
    (line(15, to_service="a\0b"), "bad_to_service"),
    (line(16, messages=-1), "bad_messages"),
    (line(17, messages=1.5), "bad_messages"),
    (line(18, bytes=10**13), "bad_bytes"),
    (line(19, is_reply="perhaps"), "bad_is_reply"),
    (line(20, from_instance=None), "no_from_instance"),
    (line(21, conversation_id=""), "bad_conversation_id"),
    (line(22, more=True), None),
    (b"   ", "blank"),
    (b'{"at": "2026-01-01"}', "no_conversation_id"),
]


@pytest.fixture(scope="module")
def dirty(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, JobRun]:
    folder = tmp_path_factory.mktemp("dirty")
    traffic, lake = folder / "in", folder / "lake"
    traffic.mkdir()
    (traffic / "a b+c%.jsonl").write_bytes(b"\xef\xbb\xbf" + b"\n".join(text.strip(b"\n") for text, _ in LINES))
    write_csv(traffic / "b.csv")
    write_parquet(traffic / "day=7")
    (traffic / "empty.csv").touch()
    (traffic / "foreign.csv").write_text("a,b\n1,2\n")
    (traffic / "_hidden.csv").write_text("not looked at")
    (traffic / "packed.json.gz").write_bytes(gzip.compress(line(70)))
    return traffic, lake, ingested(traffic, lake)


def write_csv(path: Path) -> None:
    lines = [
        "30,2026-03-01T12:00:00Z,host1,Orders,NULL,Stock,,false,1,2",
        "31,2026-03-01,host1",
        "",
        HEADER,
        '32,2026-03-01,host1,,"a""b,c",Stock,NULL,1,1,2',
        '33,2026-03-01,host1,"Orders,x,Stock,,1,1,2',
    ]
    path.write_text("\r\n".join([HEADER, *lines]))


def write_parquet(folder: Path) -> None:
    """The times as several writers have them; one without them, one cut off."""
    folder.mkdir()
    table = pa.Table.from_pylist([row(n) for n in range(40, 42)])
    for number, kind in enumerate([pa.timestamp("ns", "UTC"), pa.timestamp("us"), pa.timestamp("ms", "UTC")]):
        at = pa.array([AT.replace(hour=12 + number)] * 2, pa.timestamp("us", "UTC")).cast(kind)
        pq.write_table(table.set_column(1, "at", at), folder / f"at{number}.parquet")
    pq.write_table(table.set_column(1, "at", pa.array([1, 2])), folder / "numbers.parquet")
    pq.write_table(table.drop_columns(["at"]), folder / "without.parquet")
    floats = table.slice(0, 1).set_column(8, "messages", pa.array([3.0]))
    pq.write_table(floats.set_column(0, "conversation_id", pa.array(["floats"])), folder / "floats.parquet")
    whole = (folder / "at0.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(whole[: len(whole) // 2])


def test_each_bad_line_is_in_quarantine_with_its_place_and_reason(dirty: tuple[Path, Path, JobRun]) -> None:
    traffic, lake, _ = dirty
    name = str(traffic / "a b+c%.jsonl")
    found = {one["position"]: one["reason"] for one in quarantine(lake) if one["file"] == name}
    expected = {n: reason for n, (_, reason) in enumerate(LINES, 1) if reason not in (None, "blank")}
    assert found == expected
    (shown,) = [one["raw"] for one in quarantine(lake) if one["file"] == name and one["position"] == 2]
    assert shown == "{"
    assert max(len(one["raw"] or "") for one in quarantine(lake)) <= 1_000


def test_each_good_line_is_in_silver(dirty: tuple[Path, Path, JobRun]) -> None:
    names = {one["conversation_id"] for one in silver(dirty[1])}
    of_lines = {json.loads(text)["conversation_id"] for text, reason in LINES if reason is None}
    assert names == of_lines | {"30", "32", "c40", "c41", "c70", "floats"}


def test_values_are_typed(dirty: tuple[Path, Path, JobRun]) -> None:
    rows = {one["conversation_id"]: one for one in silver(dirty[1])}
    assert rows["c7"]["at"] == AT
    assert rows["c9"]["to_broker_instance"] == ORDERS_ID
    assert (rows["32"]["from_service"], rows["32"]["from_database"], rows["32"]["is_reply"]) == ('a"b,c', None, True)
    assert rows["30"]["from_service"] is None
    assert rows["floats"]["messages"] == 3
    hours = Counter(one["at"].hour for one in silver(dirty[1]) if one["conversation_id"] == "c40")
    assert hours == {12: 1, 13: 1, 14: 1}


def test_the_other_files_give_what_they_can(dirty: tuple[Path, Path, JobRun]) -> None:
    traffic, lake, _ = dirty
    rest = [one for one in quarantine(lake) if not one["file"].endswith(".jsonl")]
    found = {(str(Path(one["file"]).relative_to(traffic)), one["position"], one["reason"]) for one in rest}
    assert found == {
        ("b.csv", 3, "not_csv"),
        ("b.csv", 7, "not_csv"),
        ("day=7/cut.parquet", None, "unreadable"),
        ("day=7/numbers.parquet", 1, "bad_at"),
        ("day=7/numbers.parquet", 2, "bad_at"),
        ("day=7/without.parquet", 1, "no_at"),
        ("day=7/without.parquet", 2, "no_at"),
        ("foreign.csv", None, "no_traffic_columns"),
    }


def test_the_counts_are_those_of_the_tables(dirty: tuple[Path, Path, JobRun]) -> None:
    traffic, lake, run = dirty
    assert run.counts["out"] == len(silver(lake))
    assert run.reasons == Counter(one["reason"] for one in quarantine(lake))
    record = json.loads((lake / "_run.json").read_text())
    assert record["counts"] == run.counts
    assert {Path(one["path"]).name for one in record["inputs"]} == {
        path.name for path in traffic.rglob("*") if path.is_file() and not path.name.startswith("_")
    }


def test_the_stages_of_progress_are_those_that_the_job_records(dirty: tuple[Path, Path, JobRun]) -> None:
    assert dirty[2].finished_phases == set(STAGES["ingest"])


def test_bronze_is_what_came(dirty: tuple[Path, Path, JobRun]) -> None:
    traffic, lake, _ = dirty
    (bronze,) = (lake / "bronze").iterdir()
    for path in traffic.rglob("*"):
        if path.is_file() and not path.name.startswith("_"):
            assert (bronze / path.relative_to(traffic)).read_bytes() == path.read_bytes()


def test_rows_of_one_class_have_one_number_in_every_table(
    dirty: tuple[Path, Path, JobRun], spark: SparkSession
) -> None:
    lake = Lake(dirty[1])
    keys = ("from_instance", "from_database", "to_service", "to_broker_instance", "is_reply")
    met = {tuple(one[key] for key in keys): one["class"] for one in silver(dirty[1])}
    known = {tuple(one[key] for key in keys): one["class"] for one in lake.classes(spark).collect()}
    assert known == met
    assert len(set(met.values())) == len(met)


def test_the_sums_of_each_day_are_those_of_its_rows(dirty: tuple[Path, Path, JobRun]) -> None:
    expected: dict[tuple[object, ...], list[int]] = {}
    for one in silver(dirty[1]):
        sums = expected.setdefault((one["class"], one["at"].date()), [0, 0, 0])
        sums[:] = [sums[0] + 1, sums[1] + one["messages"], sums[2] + one["bytes"]]
    found = pq.read_table(dirty[1] / "sums").to_pylist()
    assert {(one["class"], one["day"]): [one["rows"], one["messages"], one["bytes"]] for one in found} == expected


# ---------------------------------------------------------------- again, and more


NULLS = [row(4, from_database=None, from_service="X"), row(4, from_database="X", from_service=None)]
"""Hashes pass over NULLs: two rows that differ in where theirs stand must both stay."""


def test_what_was_ingested_is_not_ingested_again_and_what_is_new_is(tmp_path: Path) -> None:
    written(tmp_path / "in" / "a.jsonl", [row(1), row(2), row(2), *NULLS])
    run = ingested(tmp_path / "in", tmp_path / "lake")
    assert (run.counts["out"], run.reasons) == (4, {"duplicate": 1})
    again = ingested(tmp_path / "in", tmp_path / "lake")
    assert again.counts == {"in": 0, "out": 0, "quarantined": 0}
    written(
        tmp_path / "in" / "b.jsonl", [row(2), row(3, to_service="Other"), row(3, to_service="Other", bytes=7), *NULLS]
    )
    more = ingested(tmp_path / "in", tmp_path / "lake")
    assert (more.counts["in"], more.counts["out"], more.reasons) == (5, 2, {"duplicate": 3})
    assert [one["conversation_id"] for one in silver(tmp_path / "lake")] == ["c1", "c2", "c3", "c3", "c4", "c4"]
    places = {(Path(one["file"]).name, one["position"]) for one in quarantine(tmp_path / "lake")}
    assert places == {("a.jsonl", 3), ("b.jsonl", 1), ("b.jsonl", 4), ("b.jsonl", 5)}
    classes = [
        n for name in Lake(tmp_path / "lake").folders("classes") for n in pq.read_table(name)["class"].to_pylist()
    ]
    assert len(classes) == len(set(classes)) == 4


MOMENTS = (
    "1753-01-01T00:00:00Z",
    "1969-12-31T23:59:59.999999Z",
    "1970-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z",
    "2026-03-01T23:30:00-02:00",
)
NAMES = ["Ship", "OrderParts", "Pay"] * 20


@pytest.fixture(scope="module")
def lake_of_days(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows of many days, one of them twice, and on one day of several services."""
    folder = tmp_path_factory.mktemp("days")
    days = [row(number, at=at) for number, at in enumerate(MOMENTS)]
    days.append(days[0])
    names = [row(100 + number, to_service=name) for number, name in enumerate(NAMES)]
    written(folder / "in" / "rows.jsonl", days + names)
    odd = row(200, at="11/22/2026 1:05:09 PM", to_service="Täter")
    lines = (odd.keys(), ("NULL" if value is None else str(value) for value in odd.values()))
    (folder / "in" / "odd.csv").write_text("\n".join(map(",".join, lines)), encoding="cp1252")
    ingested(folder / "in", folder / "lake", keep_duplicates=True, dates="mdy", encoding="cp1252")
    return folder / "lake"


def test_texts_may_have_dates_and_letters_of_windows(lake_of_days: Path) -> None:
    (found,) = (one for one in silver(lake_of_days) if one["conversation_id"] == "c200")
    assert (found["at"], found["to_service"]) == (datetime(2026, 11, 22, 13, 5, 9, tzinfo=UTC), "Täter")


def test_duplicates_may_be_kept(lake_of_days: Path) -> None:
    assert Counter(one["conversation_id"] for one in silver(lake_of_days))["c0"] == 2


def only_folder(lake: Path) -> Path:
    """Return the folder of the clean rows of a lake with one run."""
    (folder,) = (lake / "silver").glob("run=*")
    return folder


def test_silver_is_parted_by_day_of_utc(lake_of_days: Path) -> None:
    days = {path.name for path in only_folder(lake_of_days).iterdir()}
    assert {f"day={date(2026, 3, 1)}", f"day={date(2026, 3, 2)}"} < days


def test_days_before_1970_begin_at_midnight_too(lake_of_days: Path) -> None:
    found = {one["conversation_id"]: one["day"] for one in silver(lake_of_days)}
    assert [found[f"c{number}"] for number in range(4)] == [at[:10] for at in MOMENTS[:4]]


def test_silver_says_what_is_never_null_and_is_in_the_order_of_its_files(lake_of_days: Path) -> None:
    (file,) = (only_folder(lake_of_days) / "day=2026-03-01").glob("*.parquet")
    assert pq.read_table(file, partitioning=None)["to_service"].to_pylist() == NAMES
    required = {field.name for field in pq.read_schema(file) if not field.nullable}
    assert required == {field.name for field in TRAFFIC if not field.nullable} | {"class"}


# ---------------------------------------------------------------- names that were looked at before, and doubles

STRANGE = [
    {},
    {"from_database": "\0"},  # its class is that of NULL
    {"from_database": None, "is_reply": True},
    {"from_database": "\0", "is_reply": True},
    {"to_broker_instance": "\0"},
    {"to_broker_instance": ""},
    {"to_broker_instance": f"{{{ORDERS_ID.upper()}}}"},
    {"to_broker_instance": f"{{{ORDERS_ID}"},
    {"to_service": "Ship\0"},
    {"to_service": "\0"},
    {"to_service": ""},
    {"from_instance": None},
    {"from_instance": "x" * 257},
    {"from_service": "\0"},
    {"messages": -1},
]


def results(lake: Path) -> dict[str, list[Json]]:
    """What the last run brought, but for where it stands."""
    tables = {name: pq.read_table(Lake(lake).folders(name)[-1]).to_pylist() for name in ("silver", "_quarantine")}
    places = [one | {"file": ""} for one in tables["_quarantine"]]
    return {"silver": sorted(tables["silver"], key=str), "quarantine": sorted(places, key=str)}


def summed(lake: Path) -> tuple[set[str], set[str]]:
    tables = [pq.read_table(Lake(lake).folders(name)[-1]).to_pylist() for name in ("classes", "sums")]
    classes, sums = ({json.dumps(one, sort_keys=True, default=str) for one in table} for table in tables)
    return classes, sums


def strange_rows(kind: str, folder: Path) -> Path:
    rows = [row(number, **rest) for number, rest in enumerate(STRANGE * 2)]
    if kind == "jsonl":
        return written(folder / "strange.jsonl", rows)
    folder.mkdir()
    rows = [one | {"at": datetime.fromisoformat(one["at"])} for one in rows]
    pq.write_table(pa.Table.from_pylist(rows), folder / "strange.parquet")
    return folder / "strange.parquet"


class Strange(NamedTuple):
    """Rows with strange names, and a new lake of them."""

    traffic: Path
    lake: Path
    run: JobRun


@pytest.fixture(
    scope="module",
    params=[pytest.param("jsonl", marks=pytest.mark.thorough("Parquet is read by the same steps")), "parquet"],
)
def strange(spark: SparkSession, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Strange:
    folder = tmp_path_factory.mktemp("strange")
    traffic = Path(strange_rows(request.param, folder / "in"))
    return Strange(traffic, folder / "lake", ingested(traffic, folder / "lake"))


def test_a_lake_that_knows_the_classes_finds_the_same_faults(strange: Strange, tmp_path: Path) -> None:
    assert {"bad_from_database": 4, "bad_to_broker_instance": 6}.items() <= strange.run.reasons.items()
    known = [{}, {"from_database": None, "is_reply": True}, {"to_broker_instance": ORDERS_ID}]
    rows = [row(100 + number, **rest) for number, rest in enumerate(known)]
    ingested(written(tmp_path / "known.jsonl", rows), tmp_path / "lake")
    assert ingested(strange.traffic, tmp_path / "lake").reasons == strange.run.reasons
    assert results(tmp_path / "lake") == results(strange.lake)


@pytest.mark.parametrize(
    "first", [2, pytest.param(100, marks=pytest.mark.thorough("that the rows end before the sample does"))]
)
def test_what_is_seen_in_the_first_rows_changes_nothing(
    strange: Strange, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    monkeypatch.setattr("pipeline.lake.classes.SAMPLED_FILE_ROWS", 1)
    monkeypatch.setattr("pipeline.lake.classes.SAMPLE_ROWS", first)
    assert ingested(strange.traffic, tmp_path / "looked").reasons == strange.run.reasons
    assert results(tmp_path / "looked") == results(strange.lake)
    assert summed(tmp_path / "looked") == summed(strange.lake)


@pytest.mark.parametrize(
    ("name", "most", "seen"), [("edge", 1 << 28, 1), ("edge", 10, 0), ("x" * 1_000_000, 1 << 28, 0)]
)
def test_first_rows_are_looked_at_where_they_are_small(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, most: int, seen: int
) -> None:
    """A text of a megabyte in each of many rows makes a file of a megabyte, and more than any memory holds."""
    rows = pa.Table.from_pylist([row(number) for number in range(20_000)])
    rows = rows.drop_columns(["from_instance", "to_broker_instance"])
    names = pa.DictionaryArray.from_arrays(pa.array([0] * rows.num_rows, pa.int32()), pa.array([name]))
    path = tmp_path / "large.parquet"
    pq.write_table(rows.append_column("from_instance", names), path, store_schema=False)
    monkeypatch.setattr("pipeline.lake.classes.SAMPLED_FILE_ROWS", rows.num_rows)
    monkeypatch.setattr("pipeline.lake.classes.MAX_SAMPLE_BYTES", most)
    found = known_classes(spark, Lake(tmp_path / "lake"), examine_files([path])).seen
    assert (found.num_rows if found else 0) == seen


OLD = [row(1), row(1, messages=7), row(2), row(3, at="2026-03-05T00:00:00Z"), row(4)]
NEW = [row(1), row(1, messages=3), row(1, messages=3), row(2, from_database=None), row(5), row(5), row(6)]
"""One conversation may have several rows at one moment that differ elsewhere."""


def kept_once() -> Counter[tuple[str, int, str | None]]:
    """The rows of `NEW` that a lake with those of `OLD` takes."""
    new = (one for place, one in enumerate(NEW) if one not in OLD and one not in NEW[:place])
    return Counter((one["conversation_id"], one["messages"], one["from_database"]) for one in new)


@pytest.mark.parametrize(
    "suspects", [2, pytest.param(1_000, marks=pytest.mark.thorough("runs of a lake look for few doubles"))]
)
def test_of_rows_that_are_equal_one_stays_however_many_are_suspected(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, suspects: int
) -> None:
    monkeypatch.setattr(ingest_module, "MAX_SUSPECTS", suspects)
    old, new = (local_table(spark, map(typed, rows), TRAFFIC) for rows in (OLD, NEW))
    found = ingest_module._deduplicated(spark, new, old).collect()
    assert Counter((one["conversation_id"], one["messages"], one["from_database"]) for one in found) == kept_once()


def typed(one: Json) -> tuple[object, ...]:
    return tuple(datetime.fromisoformat(value) if name == "at" else value for name, value in one.items())


@pytest.mark.thorough("the ways of looking are compared with few rows, and a lake is looked through by another run")
@pytest.mark.parametrize(("suspects", "days"), [(2, 1_000), (1_000, 0)])
def test_each_row_stands_once_however_doubles_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suspects: int, days: int
) -> None:
    monkeypatch.setattr(ingest_module, "MAX_SUSPECTS", suspects)
    monkeypatch.setattr(ingest_module, "MAX_DAYS", days)
    lake = tmp_path / "lake"
    assert ingested(written(tmp_path / "in" / "a.jsonl", [*OLD, row(4)]), lake).counts["out"] == len(OLD)
    before = rows_of_lake(lake)
    run = ingested(written(tmp_path / "in" / "b.jsonl", NEW), lake)
    assert (run.counts["out"], run.reasons) == (4, {"duplicate": 3})
    assert rows_of_lake(lake) == before + kept_once()


def rows_of_lake(lake: Path) -> Counter[tuple[str, int, str | None]]:
    return Counter((one["conversation_id"], one["messages"], one["from_database"]) for one in silver(lake))


def test_what_a_killed_run_left_is_cleared_away(tmp_path: Path) -> None:
    """By the next one that writes, whatever it writes."""
    lake = tmp_path / "lake"
    with lake_for_writing(str(lake)) as found, new_run(found) as run:
        write_table(pa.table({"conversation_id": ["c1"]}), run.table(SILVER) / "day=2026-03-01" / "part-0.parquet")
        run.commit({"inputs": [], "counts": {"in": 1, "out": 1}})
    counts, lately = only_folder(lake), f"run=new-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-0badcafe"
    for left in ("run=new-20260101T000000Z-0badcafe", "run=000002", lately):
        shutil.copytree(counts, lake / "silver" / left)
        (lake / "_commits" / f"{left}.json").write_text("{}", encoding="utf-8")
    (lake / "_commits" / "run=000002.json").unlink()
    shutil.copytree(counts, lake / "_staging" / "silver")
    with lake_for_writing(str(lake)):
        pass
    assert {path.name for path in (lake / "silver").glob("run=*")} == {counts.name, lately}, "it may be at work"
    records = {f"{counts.name}.json", f"{lately}.json"}
    assert {path.name for path in (lake / "_commits").glob("run=*")} == records
    assert not (lake / "_staging").exists()
    assert len(silver(lake)) == 1


@pytest.mark.thorough("a run that fails is cleared away without Spark, and streams fail at each step")
def test_nothing_stays_of_an_ingest_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: object) -> None:
        raise RuntimeError

    traffic, lake = written(tmp_path / "a.jsonl", [row(1)]), tmp_path / "lake"
    with monkeypatch.context() as broken:
        broken.setattr("pipeline.jobs.ingest.write_class_tables", fail)
        with pytest.raises(RuntimeError):
            ingested(traffic, lake)
    assert [path.name for path in lake.rglob("run=*")] == []
    assert ingested(traffic, lake).counts["out"] == 1


def test_nothing_stays_of_a_run_that_fails(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    with pytest.raises(ZeroDivisionError):
        fail_while_writing(lake)
    assert [path for path in lake.rglob("*") if path.is_file() and path.name != "_lake"] == []


def fail_while_writing(lake: Path) -> None:
    with lake_for_writing(str(lake)) as found, new_run(found) as run:
        for table in (BRONZE, SILVER):
            write_table(pa.table({"value": ["a"]}), run.table(table) / "part-0.parquet")
        raise ZeroDivisionError


# ---------------------------------------------------------------- refused


@pytest.mark.thorough("of two runs in a store one counts, by the same commit")
def test_of_two_runs_that_write_one_lake_one_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    traffic, lake = written(tmp_path / "in" / "a.jsonl", [row(1)]), tmp_path / "lake"

    def meanwhile(*given: Any) -> None:
        monkeypatch.undo()
        ingested(traffic, lake)
        write_class_tables(*given)

    monkeypatch.setattr("pipeline.jobs.ingest.write_class_tables", meanwhile)
    with pytest.raises(InputError, match="was written by another run meanwhile; nothing of this one counts"):
        ingested(traffic, lake)
    assert len(silver(lake)) == 1
    assert len([*(lake / "silver").glob("run=*")]) == 1, "the other one leaves nothing"
    assert ingested(traffic, lake).counts["in"] == 0


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    traffic = written(tmp_path / "in" / "a.jsonl", [row(1)])
    with pytest.raises(InputError, match="holds something else than a lake"):
        ingested(traffic, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize(("make", "says"), [(False, "is not there"), (True, "holds no files")])
def test_no_files_are_one_error(tmp_path: Path, make: bool, says: str) -> None:
    if make:
        (tmp_path / "in").mkdir()
    with pytest.raises(InputError, match=says):
        ingested(tmp_path / "in", tmp_path / "lake")
    assert not (tmp_path / "lake").exists()
