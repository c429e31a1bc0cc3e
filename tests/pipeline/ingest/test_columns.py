"""Columns of Parquet files, of whatever type: one that Spark refuses costs its own rows at most, never the job."""

from __future__ import annotations

import datetime
import decimal
import random
import uuid
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from pipeline.inputs.parquet_columns import (
    NANOSECONDS,
    SPARK_TYPES,
    UNSUPPORTED,
    UUID,
    RepeatedColumnError,
    column_kinds,
)
from pipeline.jobs.telemetry import TelemetryOptions as Telemetry
from pipeline.jobs.telemetry import telemetry
from pipeline.runtime.session import SparkSettings
from tests.pipeline.estates import row, written
from tests.pipeline.ingest.reading import ReadRows, read_traffic
from tests.pipeline.telemetry.event_logs import random_log, write_log

TWO_OF_ONE_NAME = pa.StructArray.from_arrays([pa.array(["x"]), pa.array(["y"])], names=["a", "a"])
REFUSED = {
    "milliseconds of a day": pa.array([datetime.time(1)], pa.time32("ms")),
    "microseconds of a day": pa.array([datetime.time(1)], pa.time64("us")),
    "nanoseconds of a day": pa.array([datetime.time(1)], pa.time64("ns")),
    "half a number": pa.array([1.5], pa.float16()),
    "sixty digits": pa.array([decimal.Decimal(1)], pa.decimal256(60, 2)),
    "two of one name": TWO_OF_ONE_NAME,
}
"""What Spark does not read."""
NESTED = {
    "list": pa.array([["x"]]),
    "map": pa.array([[("k", "v")]], pa.map_(pa.string(), pa.string())),
    "struct": pa.array([{"a": 1}]),
}
READ = {
    "boolean": pa.array([True]),
    "int8": pa.array([1], pa.int8()),
    "int16": pa.array([1], pa.int16()),
    "int32": pa.array([1], pa.int32()),
    "int64": pa.array([1]),
    "uint8": pa.array([1], pa.uint8()),
    "uint16": pa.array([1], pa.uint16()),
    "uint32": pa.array([1], pa.uint32()),
    "uint64": pa.array([2**64 - 1], pa.uint64()),
    "float": pa.array([1.5], pa.float32()),
    "double": pa.array([1.5]),
    "decimal of 4 bytes": pa.array([decimal.Decimal(1)], pa.decimal128(5, 2)),
    "decimal of 16 bytes": pa.array([decimal.Decimal(1)], pa.decimal128(38, 2)),
    "date": pa.array([datetime.date(2026, 1, 5)]),
    "seconds": pa.array([1], pa.timestamp("s")),
    "milliseconds": pa.array([1], pa.timestamp("ms", "UTC")),
    "microseconds": pa.array([1], pa.timestamp("us", "UTC")),
    "microseconds of no zone": pa.array([1], pa.timestamp("us")),
    "duration": pa.array([1], pa.duration("us")),
    "text": pa.array(["x"]),
    "large text": pa.array(["x"], pa.large_string()),
    "dictionary": pa.array(["x"]).dictionary_encode(),
    "bytes": pa.array([b"x"]),
    "bytes of fixed length": pa.array([b"xy"], pa.binary(2)),
    "nothing": pa.nulls(1),
}


def kind(path: Path, column: pa.Array, **options: Any) -> str:
    pq.write_table(pa.table({"to_service": column}), path, **options)
    return column_kinds(pq.read_metadata(path).schema, ["to_service"])["to_service"]


@pytest.mark.parametrize("column", READ.values(), ids=READ)
def test_a_kind_is_what_spark_says_of_the_file(spark: SparkSession, column: pa.Array, tmp_path: Path) -> None:
    found = kind(tmp_path / "a.parquet", column)
    assert SPARK_TYPES.get(found, found) == spark.read.parquet(str(tmp_path / "a.parquet")).dtypes[0][1]


def test_so_is_that_of_moments_as_spark_once_wrote_them(spark: SparkSession, tmp_path: Path) -> None:
    moments = pa.array([1], pa.timestamp("ns", "UTC"))
    assert kind(tmp_path / "new.parquet", moments) == NANOSECONDS
    found = kind(tmp_path / "a.parquet", moments, use_deprecated_int96_timestamps=True)
    assert found == spark.read.parquet(str(tmp_path / "a.parquet")).dtypes[0][1] == "timestamp"


@pytest.mark.parametrize("column", [*REFUSED.values(), *NESTED.values()], ids=[*REFUSED, *NESTED])
def test_what_is_no_text_and_no_number_is_not_read(column: pa.Array, tmp_path: Path) -> None:
    assert kind(tmp_path / "a.parquet", column) == UNSUPPORTED


def test_which_of_two_columns_is_meant_is_not_guessed(tmp_path: Path) -> None:
    table = pa.table([pa.array(["x"]), pa.array(["y"])], names=["to_service", "to_service"])
    pq.write_table(table, tmp_path / "a.parquet")
    schema = pq.read_metadata(tmp_path / "a.parquet").schema
    with pytest.raises(RepeatedColumnError):
        column_kinds(schema, ["to_service"])
    assert column_kinds(schema, ["at"]) == {}


def test_a_column_that_is_not_read_is_bad_in_each_row_and_other_files_are_taken(
    spark: SparkSession, tmp_path: Path
) -> None:
    written(tmp_path / "in" / "good.jsonl", [row(99)])
    for number, column in enumerate([*REFUSED.values(), *NESTED.values()]):
        save(with_column(row(number), "to_service", column), tmp_path / "in" / f"{number}.parquet")
    read = read_all(spark, tmp_path)
    assert read.counts == {"in": 10, "out": 1, "quarantined": 9}
    assert read.reasons == {"bad_to_service": 9}


NUMBER = uuid.UUID("5FB8D92B-ED69-4C80-AFBB-2AA6A7D3CB2D")
MOMENT = datetime.datetime(2026, 1, 5, 8, 30, tzinfo=datetime.UTC)


@pytest.fixture(scope="module")
def taken(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ReadRows]:
    """Files of odd columns, and the rows that are read in them."""
    folder = tmp_path_factory.mktemp("odd")
    for number, column in enumerate([*REFUSED.values(), *NESTED.values()]):
        more = pa.Table.from_pylist([row(number, conversation_id=f"more{number}")])
        more = more.append_column("extra", column).append_column("extra", column)
        save(more, folder / "in" / f"more{number}.parquet")
    identifiers = with_column(row(1, conversation_id="id"), "to_broker_instance", pa.array([NUMBER.bytes], pa.uuid()))
    save(identifiers, folder / "in" / "id.parquet")
    for old in (True, False):
        table = with_column(row(1, conversation_id=f"at{old}"), "at", pa.array([MOMENT], pa.timestamp("ns", "UTC")))
        save(table, folder / "in" / f"at{old}.parquet", use_deprecated_int96_timestamps=old)
    save(pa.table({"at": REFUSED["half a number"]}), folder / "in" / "nothing.parquet")
    return folder / "in", read_all(spark, folder)


def test_columns_that_nobody_asked_for_cost_nothing(taken: tuple[Path, ReadRows]) -> None:
    names = {one["conversation_id"] for one in taken[1].good}
    assert names == {*(f"more{number}" for number in range(9)), "id", "atTrue", "atFalse"}


def test_a_file_of_nothing_that_is_read_is_bad_too(taken: tuple[Path, ReadRows]) -> None:
    assert taken[1].counts == {"in": 13, "out": 12, "quarantined": 1}
    assert taken[1].reasons == {"no_conversation_id": 1}


def test_identifiers_of_sixteen_bytes_are_read_as_texts_are(taken: tuple[Path, ReadRows]) -> None:
    schema = pq.read_metadata(taken[0] / "id.parquet").schema
    assert column_kinds(schema, ["to_broker_instance"]) == {"to_broker_instance": UUID}
    (found,) = (one["to_broker_instance"] for one in taken[1].good if one["conversation_id"] == "id")
    assert found == str(NUMBER)


def test_moments_of_one_folder_may_be_written_in_different_ways(taken: tuple[Path, ReadRows]) -> None:
    assert [one["at"] for one in taken[1].good if one["conversation_id"].startswith("at")] == [MOMENT, MOMENT]


def test_an_event_log_is_one_by_the_columns_that_it_has_from_us(spark: SparkSession, tmp_path: Path) -> None:
    written(tmp_path / "in" / "good.jsonl", [row(1)])
    (log, *_) = sorted(Path(write_log(random_log(random.Random(3), 20), tmp_path / "log")).rglob("*.parquet"))
    table = pq.read_table(log, partitioning=None)
    odd = pa.array([datetime.time(1)] * table.num_rows, pa.time64("us"))
    for name in ("from_initiator", "at", "is_reply"):
        is_new = name not in table.column_names
        places = table.column_names
        changed = table.append_column(name, odd) if is_new else table.set_column(places.index(name), name, odd)
        save(changed, tmp_path / "in" / f"{name}.parquet")
    read = read_all(spark, tmp_path)
    assert read.counts["in"] == read.counts["out"] + read.counts["quarantined"]
    found = {(Path(file).stem, reason) for file, _, reason in read.places}
    assert "is_reply" not in table.column_names, "it is new"
    assert found == {("from_initiator", "unreadable"), ("at", "unreadable")}


@pytest.mark.thorough("telemetry reads by the same steps as ingest")
@pytest.mark.usefixtures("spark")
def test_telemetry_says_of_each_event_what_is_bad(tmp_path: Path) -> None:
    events = Path(write_log(random_log(random.Random(3), 20), tmp_path / "log"))
    (log, *_) = sorted(events.rglob("*.parquet"))
    table = pq.read_table(log, partitioning=None)
    odd = pa.array([datetime.time(1)] * table.num_rows, pa.time64("us"))
    save(table.set_column(table.column_names.index("at"), "at", odd), log)
    run = telemetry(Telemetry(str(tmp_path / "log"), str(tmp_path / "out")), SparkSettings("local[2]"))
    assert run.counts["quarantined"] == run.reasons["bad_at"] == table.num_rows


def with_column(of: dict[str, Any], name: str, column: pa.Array) -> pa.Table:
    table = pa.Table.from_pylist([of])
    return table.set_column(table.schema.get_field_index(name), name, column)


def save(table: pa.Table, path: Path, **options: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    pq.write_table(table, path, **options)


def read_all(spark: SparkSession, folder: Path) -> ReadRows:
    return read_traffic(spark, str(folder / "in"), folder / "work")
