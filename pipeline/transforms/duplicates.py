"""Find duplicates: rows that are equal in every column of the table, in any file of this run or in the lake."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.schemas import COLUMNS, TRAFFIC
from pipeline.transforms.classification import NO_NAME
from pipeline.transforms.cleaning import REASON

DUPLICATE = "duplicate"
_FINGERPRINT = ("_print1", "_print2")
ROW_HASH = "_row_hash"


def suspect_hashes(rows: DataFrame, known: DataFrame | None) -> DataFrame:
    """Return the hashes of rows that may be duplicates. `known`: rows of the lake.

    Equal rows have the same hash, and so have all rows of one conversation at one moment.
    """
    return repeated_hashes(
        rows.select(_row_hash()) if known is None else rows.select(_row_hash()).unionByName(known.select(_row_hash()))
    )


def repeated_hashes(hashes: DataFrame) -> DataFrame:
    """Return each hash (`_row_hash`, 8 bytes) that occurs more than once."""
    # With a fixed number of partitions: Spark would coalesce them until a task has too little memory.
    parts = int(hashes.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
    counted = hashes.repartition(parts, ROW_HASH).groupBy(ROW_HASH).agg(F.count("*").alias("_times"))
    return counted.where("_times > 1").select(ROW_HASH)


def deduplicated_rows(rows: DataFrame, known: DataFrame | None, suspected: DataFrame) -> DataFrame:
    """Return distinct rows that are not known; only rows with a suspect hash are compared."""
    several = _among(rows, suspected, "left_semi")
    if known is not None:
        several = rows_not_in(several, _among(known, suspected, "left_semi"))
    return _among(rows, suspected, "left_anti").unionByName(several.dropDuplicates())


def _among(rows: DataFrame, suspected: DataFrame, how: str) -> DataFrame:
    return rows.select("*", _row_hash()).join(F.broadcast(suspected), ROW_HASH, how).select(*rows.columns)


def _row_hash() -> Column:
    return F.xxhash64("conversation_id", "at").alias(ROW_HASH)


def rows_not_in(rows: DataFrame, known: DataFrame) -> DataFrame:
    """Return the rows that are not in `known`."""
    return (
        _with_fingerprint(rows)
        .join(_with_fingerprint(known).select(*_FINGERPRINT), list(_FINGERPRINT), "left_anti")
        .drop(*_FINGERPRINT)
    )


def duplicate_rows(rows: DataFrame, known: DataFrame | None) -> DataFrame:
    """Return the rows that are left out: all but the first of equal rows, and all that are known."""
    printed = _with_fingerprint(rows)
    several = printed.groupBy(*_FINGERPRINT).agg(F.count("*").alias("_times")).where("_times > 1").select(*_FINGERPRINT)
    first = F.row_number().over(Window.partitionBy(*_FINGERPRINT).orderBy("_file", "_block", "_row")) == 1
    if known is None:
        found = printed.join(several, list(_FINGERPRINT), "left_semi").withColumn("_first", first).where("NOT _first")
    else:
        old = _with_fingerprint(known).select(*_FINGERPRINT).dropDuplicates().withColumn("_old", F.lit(True))
        suspect_hashes = several.unionByName(old.select(*_FINGERPRINT)).dropDuplicates()
        marked = printed.join(suspect_hashes, list(_FINGERPRINT), "left_semi").join(old, list(_FINGERPRINT), "left")
        found = marked.withColumn("_first", first).where("_old OR NOT _first").drop("_old")
    return found.drop(*_FINGERPRINT, "_first").withColumn(REASON, F.lit(DUPLICATE))


def _with_fingerprint(rows: DataFrame) -> DataFrame:
    """Add two hashes of all columns: with 128 bits, equal hashes mean equal rows."""
    return rows.withColumns({name: _fingerprint(number) for number, name in enumerate(_FINGERPRINT)})


def _fingerprint(number: int) -> Column:
    # A hash skips NULL, so NULL is replaced by a text that no value is.
    columns = [F.coalesce(name, F.lit(NO_NAME)) if TRAFFIC[name].nullable else F.col(name) for name in COLUMNS]
    return F.xxhash64(F.lit(number), *columns)
