"""One Spark session for all tests of the pipeline: starting one takes longer than most of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.session import JAVA_OPTIONS, SparkSettings, spark_session
from tests.brokerui.product import free_port

COMPILED = "spark.sql.codegen.wholeStage"
QUICK = {
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    # Much is planned and compiled once, and little runs long. Where many rows are compared, plans are compiled as they
    # are outside of tests: `as_shipped`.
    "spark.sql.adaptive.enabled": "false",
    COMPILED: "false",
    "spark.driver.extraJavaOptions": " ".join([*JAVA_OPTIONS, "-XX:TieredStopAtLevel=1"]),
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": str(free_port()),
}


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where tables go that have a name and no folder."""
    return tmp_path_factory.mktemp("warehouse")


@pytest.fixture(scope="session")
def spark(warehouse: Path) -> Iterator[SparkSession]:
    session = spark_session(SparkSettings("local[2]", "1g", {**QUICK, "spark.sql.warehouse.dir": str(warehouse)}))
    yield session
    session.stop()


@pytest.fixture(scope="session")
def connect(spark: SparkSession) -> str:
    """The address at which the session speaks to other processes."""
    java = spark._jvm
    assert java is not None
    java.org.apache.spark.sql.connect.service.SparkConnectService.start(spark._jsc.sc())
    return f"sc://127.0.0.1:{QUICK['spark.connect.grpc.binding.port']}"


@contextmanager
def as_shipped(spark: SparkSession) -> Iterator[None]:
    """With plans that adapt and are compiled."""
    names = ("spark.sql.adaptive.enabled", COMPILED)
    try:
        for name in names:
            spark.conf.set(name, "true")
        yield
    finally:
        for name in names:
            spark.conf.set(name, "false")


@pytest.fixture
def shipped(spark: SparkSession) -> Iterator[None]:
    """For a whole test."""
    with as_shipped(spark):
        yield
