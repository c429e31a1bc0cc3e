"""`pipeline lake register`: make a lake, or a result, known to the catalog of the session."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from pipeline.files.location import Location, decoded_uri, location, spark_name
from pipeline.jobs.lake_sql import catalog_tables
from pipeline.results.catalog_statements import SPARK, statements, table_name
from pipeline.runtime.session import SparkSettings, spark_session, start_for_urls
from routing.common.errors import InputError
from routing.common.sentence import say

_OWN: Final = "spark_catalog"
_NO_LIBRARY: Final = "DATA_SOURCE_NOT_FOUND"
_PLACE: Final = "Spark"
FAILURES: Final = (PySparkException, Py4JJavaError)
"""Failures of Java in PySpark: those that it knows, and those that it does not."""


@dataclass(frozen=True, slots=True)
class RegisterOptions:
    """Options of `lake register`."""

    place: str
    """A lake, or a result of any job but `graph`."""
    schema: str = "brokerui"


@dataclass(frozen=True, slots=True)
class Registered:
    """Names of tables that a catalog knows now."""

    names: Sequence[str]

    @property
    def counts(self) -> dict[str, int]:
        """The number of tables."""
        return {"tables": len(self.names)}

    def report(self) -> None:
        """Print each table on a line."""
        sys.stdout.writelines(f"registered  {name}\n" for name in self.names)


def register(options: RegisterOptions, settings: SparkSettings) -> Registered:
    """Register the Delta tables of a lake or a result. Raises `InputError`, before anything is registered, if the
    catalog ends with the session or the session cannot read Delta."""
    start_for_urls(settings, options.place)
    tables = catalog_tables(options.place)
    spark = spark_session(settings)
    _check_lasts(spark)
    for place in tables.values():
        _check_reads(spark, place)
    for statement in statements(SPARK, options.schema, tables):
        _ask(spark, options.schema, statement)
    return Registered([_known(spark, options.schema, name, place) for name, place in tables.items()])


def _check_lasts(spark: SparkSession) -> None:
    """Raise `InputError` if what the catalog of the session knows ends with it."""
    if spark.catalog.currentCatalog() != _OWN or spark.conf.get("spark.sql.catalogImplementation") != "in-memory":
        return
    problem = say(
        "its catalog ends with the session, so nothing was registered: name a lasting one, as --conf "
        "spark.sql.catalogImplementation=hive, or --conf spark.sql.defaultCatalog=NAME with the settings of NAME"
    )
    raise InputError(_PLACE, "", problem)


def _check_reads(spark: SparkSession, place: Location) -> None:
    """Raise `InputError` if the session does not read a Delta table."""
    try:
        spark.read.format("delta").load(spark_name(place)).schema  # noqa: B018 - asking for it reads the log
    except FAILURES as failure:
        if _NO_LIBRARY not in str(failure):
            raise InputError(str(place), "", say("is not read as Delta: {reason}", reason=_reason(failure))) from None
        problem = say(
            "its session has no library of Delta, so nothing was registered: add --conf "
            "spark.jars.packages=io.delta:delta-spark_2.13:VERSION, of the version for this Spark"
        )
        raise InputError(_PLACE, "", problem) from None


def _ask(spark: SparkSession, schema: str, statement: str) -> None:
    try:
        spark.sql(statement)
    except FAILURES as failure:
        raise InputError(schema, "", say("the catalog refuses it: {reason}", reason=_reason(failure))) from None


def _known(spark: SparkSession, schema: str, name: str, place: Location) -> str:
    """Return the full name of a table. Raises `InputError` if the catalog has another table of this name."""
    full = table_name(schema, name)
    found = _location(spark, full)
    if found is None or decoded_uri(location(found)) == decoded_uri(place):
        return full
    problem = say("is another table, at {place}: drop it, or name another --schema", place=found)
    raise InputError(full, "", problem)


def _location(spark: SparkSession, table: str) -> str | None:
    """Return where the catalog has a table; None: it does not say."""
    rows: Mapping[str, str] = {
        row["col_name"]: row["data_type"] for row in spark.sql(f"DESCRIBE TABLE EXTENDED {table}").collect()
    }
    return rows.get("Location")


def _reason(failure: Exception) -> str:
    text = failure.java_exception.getMessage() if isinstance(failure, Py4JJavaError) else str(failure)
    return (text or type(failure).__name__).strip().partition("\n")[0]
