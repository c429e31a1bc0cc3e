"""The settings of a session: one that a job starts, one of `spark-submit`, and one that runs already."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pyspark.sql import SparkSession

from pipeline.runtime.local_tables import local_table
from pipeline.runtime.session import SparkSettings, spark_configuration, spark_session

OF_DRIVER = {"spark.driver.memory", "spark.driver.defaultJavaOptions"}
LOOPBACK = {"spark.driver.host", "spark.driver.bindAddress"}


@pytest.mark.parametrize(
    ("master", "is_local"), [(None, True), ("local[2]", True), ("spark://head:7077", False), ("yarn", False)]
)
def test_only_a_driver_that_works_alone_keeps_to_the_loopback(master: str | None, is_local: bool) -> None:
    found = spark_configuration(SparkSettings(master, "2g"))
    assert found["spark.driver.memory"] == "2g"
    assert (found.keys() >= LOOPBACK) is is_local


def test_spark_submit_has_said_where_and_with_how_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    found = spark_configuration(SparkSettings(extra={"spark.sql.shuffle.partitions": "7"}))
    assert not found.keys() & (OF_DRIVER | LOOPBACK)
    assert found["spark.sql.session.timeZone"] == "UTC"
    assert found["spark.sql.shuffle.partitions"] == "7"


def test_a_session_of_somebody_else_gets_what_jobs_depend_on(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    spark.conf.set("spark.sql.caseSensitive", "false")
    assert spark_session(SparkSettings("yarn")) is spark
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.conf.get("spark.sql.caseSensitive") == "true"
    assert spark.conf.get("parquet.hadoop.vectored.io.enabled") == "false"


def test_a_table_of_the_driver_needs_no_python_elsewhere(spark: SparkSession) -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    found = local_table(spark, [(1, None, noon), (2, "b", noon)], "number int, name string, at timestamp")
    java = found._jdf
    assert found.schema.simpleString() == "struct<number:int,name:string,at:timestamp>"
    assert [tuple(one) for one in found.select("number", "name").collect()] == [(1, None), (2, "b")]
    assert "Python" not in java.queryExecution().toRdd().toDebugString()
    assert local_table(spark, [], "number int").count() == 0
