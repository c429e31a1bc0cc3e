"""Rows that came twice: equal in every column of the table, in one file or in several, now or before."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.schemas import COLUMNS, TRAFFIC
from pipeline.transforms.classing import NO_NAME
from pipeline.transforms.cleaning import REASON

DUPLICATE = "duplicate"
_PRINT = ("_print1", "_print2")
MARK = "_mark"


def suspects(rows: DataFrame, known: DataFrame | None) -> DataFrame:
    """The marks (`_mark`) of rows that may have come twice; what has another mark did not. `known`: what came before.

    Equal rows have the same mark, and so have all that one conversation sent at one moment.
    """
    return repeated(rows.select(_mark()) if known is None else rows.select(_mark()).unionByName(known.select(_mark())))


def repeated(marks: DataFrame) -> DataFrame:
    """Each mark (`_mark`, eight bytes) that is there more than once."""
    # In as many parts as are asked for: what Spark would put together is too much for the memory of a task.
    parts = int(marks.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
    counted = marks.repartition(parts, MARK).groupBy(MARK).agg(F.count("*").alias("_times"))
    return counted.where("_times > 1").select(MARK)


def each_once(rows: DataFrame, known: DataFrame | None, suspected: DataFrame) -> DataFrame:
    """Rows that are not known, each once: only those with a mark that is suspected are compared with others."""
    several = _among(rows, suspected, "left_semi")
    if known is not None:
        several = without_known(several, _among(known, suspected, "left_semi"))
    return _among(rows, suspected, "left_anti").unionByName(several.dropDuplicates())


def _among(rows: DataFrame, suspected: DataFrame, how: str) -> DataFrame:
    return rows.select("*", _mark()).join(F.broadcast(suspected), MARK, how).select(*rows.columns)


def _mark() -> Column:
    return F.xxhash64("conversation_id", "at").alias(MARK)


def without_known(rows: DataFrame, known: DataFrame) -> DataFrame:
    """Rows that are not in a table already."""
    return _printed(rows).join(_printed(known).select(*_PRINT), list(_PRINT), "left_anti").drop(*_PRINT)


def doubles(rows: DataFrame, known: DataFrame | None) -> DataFrame:
    """The rows that are left out because they came before: all but the first of equal ones, all that are known."""
    printed = _printed(rows)
    several = printed.groupBy(*_PRINT).agg(F.count("*").alias("_times")).where("_times > 1").select(*_PRINT)
    first = F.row_number().over(Window.partitionBy(*_PRINT).orderBy("_file", "_block", "_row")) == 1
    if known is None:
        found = printed.join(several, list(_PRINT), "left_semi").withColumn("_first", first).where("NOT _first")
    else:
        old = _printed(known).select(*_PRINT).dropDuplicates().withColumn("_old", F.lit(True))
        suspects = several.unionByName(old.select(*_PRINT)).dropDuplicates()
        marked = printed.join(suspects, list(_PRINT), "left_semi").join(old, list(_PRINT), "left")
        found = marked.withColumn("_first", first).where("_old OR NOT _first").drop("_old")
    return found.drop(*_PRINT, "_first").withColumn(REASON, F.lit(DUPLICATE))


def _printed(rows: DataFrame) -> DataFrame:
    """With two hashes of all columns: 128 bits, which no two different rows will ever share."""
    return rows.withColumns({name: _hash(number) for number, name in enumerate(_PRINT)})


def _hash(number: int) -> Column:
    # A hash passes over a NULL, so that one has to be written as something that no value is.
    columns = [F.coalesce(name, F.lit(NO_NAME)) if TRAFFIC[name].nullable else F.col(name) for name in COLUMNS]
    return F.xxhash64(F.lit(number), *columns)
