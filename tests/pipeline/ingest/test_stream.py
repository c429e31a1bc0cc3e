"""A stream into a lake: the rows of `ingest`, each exactly once, wherever it was killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from brokerui.core.home import CHECKOUT
from pipeline.jobs import batches, ingest, stream
from pipeline.jobs.ingest import IngestOptions
from pipeline.jobs.stream import StreamOptions
from pipeline.lake import new_run
from pipeline.lake.lake import Lake
from pipeline.runtime.local_tables import local_table
from pipeline.runtime.session import SparkSettings
from routing.common.errors import InputError
from tests.extent import IS_ALL
from tests.pipeline.estates import row, written

Json = dict[str, Any]
SETTINGS = SparkSettings("local[2]")
COLUMNS = ["conversation_id", "at", "from_instance", "from_database", "to_service", "is_reply", "messages", "bytes"]
KILLED = """
import os, sys
from pathlib import Path
from pipeline.jobs import batches, ingest, stream
from pipeline.lake import new_run
from pipeline.runtime.session import SparkSettings, spark_session
from tests.pipeline.ingest.test_stream import STEPS, disturbed, streamed
spark = spark_session(SparkSettings("local[2]"))
if sys.argv[2]:
    disturbed(sys.argv[2], setattr)
streamed(spark, Path(sys.argv[1]))
"""


def ended(*_: Any, **__: Any) -> None:
    """Where a process of its own is killed, it is; else what it does fails."""
    if "KILLED" in os.environ:
        os.kill(os.getpid(), signal.SIGKILL)
    raise ZeroDivisionError


def after(work: Callable[..., Any]) -> Callable[..., Any]:
    def both(*arguments: Any, **more: Any) -> None:
        work(*arguments, **more)
        ended()

    return both


STEPS: dict[str, tuple[Any, str, bool]] = {
    "before a batch": (stream, "is_committed", False),
    "once it is in bronze": (stream, "write_run", False),
    "once it is in silver": (ingest, "write_class_tables", False),
    "before its record": (new_run, "put_record", False),
    "after its record": (new_run, "put_record", True),
    "after its commit": (new_run, "write_record", False),
    "after its run": (batches, "add_counts", False),
}
"""The function at whose begin, or end, a stream is ended."""
FEW_STEPS = ("before its record", "after its commit")
"""After all others a lake is as after one of these, but for the moment at which a commit is written: a store is killed
there, too."""


def disturbed(step: str, patch: Callable[[Any, str, Any], None]) -> None:
    module, name, is_after = STEPS[step]
    patch(module, name, after(getattr(module, name)) if is_after else ended)


def streamed(spark: SparkSession, folder: Path, **more: Any) -> dict[str, int]:
    """The lines of a folder, as if they were the values of a topic, until there is no more."""
    rows = spark.readStream.option("recursiveFileLookup", "true").text(str(folder / "in"))
    return stream.stream(rows, StreamOptions("traffic", str(folder / "lake"), **more)).counts


def silver(lake: Path) -> list[str]:
    tables = [pq.read_table(folder).select(COLUMNS) for folder in Lake(lake).folders("silver")]
    return sorted(json.dumps(one, default=str) for table in tables for one in table.to_pylist())


def rejected(lake: Path) -> Counter[tuple[str, str]]:
    tables = [pq.read_table(folder) for folder in Lake(lake).folders("_quarantine")]
    return Counter((one["reason"], one["raw"]) for table in tables for one in table.to_pylist())


def arrive(folder: Path, number: int) -> None:
    """Rows; some are bad, and one came before."""
    values = [row(number * 10), row(number * 10 + 1), row(1), {"at": "never"}]
    written(folder / "in" / f"{number}.jsonl", values)


def is_whole(folder: Path, files: int) -> bool:
    """The lake of the stream against what arrived."""
    names = [json.loads(one)["conversation_id"] for one in silver(folder / "lake")]
    assert names == sorted(["c1", *(f"c{number * 10 + one}" for number in range(1, files + 1) for one in (0, 1))])
    reasons = Counter(reason for reason, _ in rejected(folder / "lake").elements())
    assert reasons == {"duplicate": files - 1, "no_conversation_id": files}
    return True


def is_as_ingested(folder: Path) -> bool:
    """The lake of the stream against one of `ingest` of the same files."""
    lake = folder / "ingested"
    ingest.ingest(IngestOptions(str(folder / "in"), str(lake)), SETTINGS)
    assert silver(folder / "lake") == silver(lake)
    assert rejected(folder / "lake") == rejected(lake)
    assert len(silver(lake)) == len(set(silver(lake)))
    return True


def test_rows_of_a_stream_are_those_of_ingest_wherever_it_failed(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, step in enumerate(STEPS if IS_ALL else FEW_STEPS, 1):
        arrive(tmp_path, number)
        with monkeypatch.context() as patch:
            disturbed(step, patch.setattr)
            with pytest.raises(ZeroDivisionError):
                streamed(spark, tmp_path)
    assert sum(streamed(spark, tmp_path).values()) >= 0
    assert is_as_ingested(tmp_path) if IS_ALL else is_whole(tmp_path, len(FEW_STEPS))
    marks = [record["batch"]["number"] for record in Lake(tmp_path / "lake").commits().values()]
    assert len(marks) == len(set(marks))
    if IS_ALL:
        assert streamed(spark, tmp_path) == {"in": 0, "out": 0, "quarantined": 0}


@pytest.mark.thorough("the same steps fail in `make test`, in the process of the tests")
def test_rows_of_a_stream_are_those_of_ingest_wherever_it_was_killed(spark: SparkSession, tmp_path: Path) -> None:
    for number, step in enumerate((*STEPS, ""), 1):
        arrive(tmp_path, number)
        command = [sys.executable, "-c", KILLED, str(tmp_path), step]
        environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), "KILLED": "1"}
        found = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
        assert found.returncode == (-signal.SIGKILL if step else 0), found.stderr
    assert is_as_ingested(tmp_path)


def test_places_in_quarantine_name_stream_and_batch(spark: SparkSession, tmp_path: Path) -> None:
    written(tmp_path / "in" / "a.jsonl", [{"at": "never"}])
    (tmp_path / "in" / "b.jsonl").write_bytes(b'\xff{"at": 1}\n\n')
    assert streamed(spark, tmp_path) == {"in": 2, "out": 0, "quarantined": 2}
    (folder,) = Lake(tmp_path / "lake").folders("_quarantine")
    found = pq.read_table(folder).to_pylist()
    assert {one["file"].rpartition("/")[0] for one in found} == {"traffic/batch 0"}
    assert {one["reason"] for one in found} == {"no_conversation_id", "not_utf8"}


def test_a_value_of_bytes_and_columns_of_traffic_are_one_line(spark: SparkSession) -> None:
    value = json.dumps(row(1), indent=2).replace("\n", "\r\n").encode()
    (line,) = stream._as_lines(local_table(spark, [(value, 1)], "value binary, other int")).collect()
    assert (json.loads(line.value), set(line.value) & {"\r", "\n"}) == (row(1), set())
    text = local_table(spark, [(json.dumps(row(1)),)], "value string")
    (same,) = stream._as_lines(typed_rows(text)).collect()
    assert {**json.loads(same.value), "to_broker_instance": None} == {**row(1), "at": "2026-03-01T12:00:00.000000Z"}


@pytest.mark.thorough("lines are made of both without a stream, and a stream of lines is ingested")
def test_a_value_over_several_lines_is_a_row_and_columns_of_traffic_are_one(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    value = json.dumps(row(1), indent=2).replace("\n", "\r\n").encode()
    pq.write_table(pa.table({"key": ["k", "k"], "value": [value, None]}), tmp_path / "in" / "a.parquet")
    source = spark.readStream.schema("key string, value binary").parquet(str(tmp_path / "in"))
    options = StreamOptions("binary", str(tmp_path / "lake"))
    assert stream.stream(source, options).counts == {"in": 1, "out": 1, "quarantined": 0}
    typed = typed_rows(source.where("value IS NOT NULL").select(F.col("value").cast("string")))
    other = StreamOptions("typed", str(tmp_path / "other"))
    assert stream.stream(typed, other).counts == {"in": 1, "out": 1, "quarantined": 0}
    assert silver(tmp_path / "lake") == silver(tmp_path / "other")


def typed_rows(values: DataFrame) -> DataFrame:
    """The same rows with columns, as a source of tables gives them."""
    types = {"at": "timestamp", "messages": "long", "bytes": "long", "is_reply": "boolean"}
    names = ("conversation_id", "from_instance", "from_database", "from_service", "to_service", *types)
    columns = ", ".join(f"{name} {types.get(name, 'string')}" for name in names)
    return values.select(F.from_json("value", columns).alias("row")).select("row.*", F.lit(1).alias("other"))


@pytest.mark.parametrize("name", ["", "a/b", "..", "_x"])
def test_the_name_of_a_stream_is_one_of_a_folder(spark: SparkSession, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="must be a name"):
        stream.stream(spark.readStream.text(str(tmp_path)), StreamOptions(name, str(tmp_path / "lake")))


def test_the_time_between_two_batches_is_one(spark: SparkSession, tmp_path: Path) -> None:
    source = spark.readStream.text(str(tmp_path))
    with pytest.raises(InputError, match="every: must be a time such as 5s, 2 minutes or 1h, not often"):
        stream.stream(source, StreamOptions("s", str(tmp_path / "lake"), every="often"))
    assert not (tmp_path / "lake").exists()


def test_a_stream_without_any_column_of_traffic_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.readStream.text(str(tmp_path)).select(F.col("value").alias("text"))
    with pytest.raises(InputError, match="neither a column named value nor one of traffic"):
        stream.stream(rows, StreamOptions("x", str(tmp_path / "lake")))


def test_the_same_batch_of_another_query_is_another(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    (tmp_path / "_commits").mkdir()
    (tmp_path / "_commits" / "run=000001.json").write_text(json.dumps({"batch": {"query": "q", "number": 3}}))
    mark = batches.BatchMark("q", 3)
    assert batches.is_committed(lake, mark)
    assert not batches.is_committed(lake, mark._replace(number=4))
    assert not batches.is_committed(lake, mark._replace(query="r"))
