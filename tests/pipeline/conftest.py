"""One Spark session for all tests of the pipeline: starting one takes longer than most of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.session import JAVA_OPTIONS, SparkSettings, spark_session

QUICK = {
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
    # Much is compiled once and little runs long.
    "spark.driver.extraJavaOptions": " ".join([*JAVA_OPTIONS, "-XX:TieredStopAtLevel=1"]),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of them in one process, also where tests run in several."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = spark_session(SparkSettings("local[2]", "1g", QUICK))
    yield session
    session.stop()
