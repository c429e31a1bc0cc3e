"""What tests of the pipeline share: one Spark session, as starting one takes longer than most of them, and signals."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.runtime.session import SparkSettings, spark_session
from pipeline.runtime.shutdown import SIGNALS, Shutdown
from tests.brokerui.product import free_port
from tests.extent import IS_ALL
from tests.pipeline.local_files import set_permissions_without_programs

SERVED = {
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": str(free_port()),
}
"""Settings of the tests' own session beyond `spark/spark-defaults.conf`."""
ADAPTED = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.constraintPropagation.enabled": "true",
    "spark.sql.leafNodeDefaultParallelism": "2",
    "spark.sql.lightweightPlanChangeValidation": "true",
    "spark.sql.optimizer.nestedSchemaPruning.enabled": "true",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.variant.pushVariantIntoScan": "true",
}
COMPILED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}


@pytest.fixture
def ending() -> Iterator[Shutdown]:
    """As a job has it; the signals are of the tests again afterwards."""
    numbers = (*SIGNALS, signal.SIGALRM)
    former = {number: signal.getsignal(number) for number in numbers}
    ending = Shutdown()
    ending.install()
    yield ending
    signal.alarm(0)
    for number, handler in former.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where tables go that have a name and no folder."""
    return tmp_path_factory.mktemp("warehouse")


@pytest.fixture(scope="session")
def spark(warehouse: Path) -> Iterator[SparkSession]:
    session = spark_session(SparkSettings("local[2]", "2g", {**SERVED, "spark.sql.warehouse.dir": str(warehouse)}))
    set_permissions_without_programs(session)
    yield session
    session.stop()


@pytest.fixture(autouse=True, scope="module")
def plans_let_go() -> Iterator[None]:
    """Search for garbage after each module: Java keeps the plan of every DataFrame that Python has not let go, and a
    process that waits for Java allocates too little for Python to search by itself. Java's heap was full of plans, and
    nine tenths of its processor time went into searching it."""
    yield
    gc.collect()


@pytest.fixture(scope="session")
def connect(spark: SparkSession) -> str:
    """The address at which the session speaks to other processes."""
    java = spark._jvm
    assert java is not None
    java.org.apache.spark.sql.connect.service.SparkConnectService.start(spark._jsc.sc())
    return f"sc://127.0.0.1:{SERVED['spark.connect.grpc.binding.port']}"


@contextmanager
def as_shipped(spark: SparkSession, *, is_compiled: bool = True) -> Iterator[None]:
    """With plans that adapt, and are compiled unless the caller leaves that out."""
    shipped = ADAPTED | (COMPILED if is_compiled else {})
    before = {name: spark.conf.get(name) for name in shipped}
    try:
        for name, value in shipped.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


@pytest.fixture
def adapted(spark: SparkSession) -> Iterator[None]:
    """For a whole test that has its plans compiled in `make test-all` alone."""
    with as_shipped(spark, is_compiled=IS_ALL):
        yield


@pytest.fixture
def shipped(spark: SparkSession) -> Iterator[None]:
    """For a whole test."""
    with as_shipped(spark):
        yield
