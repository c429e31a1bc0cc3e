"""Traffic files to one table: rows, each with the reason why it is none, or null, and its place in its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from pipeline.columns import NANOSECONDS, STORED, UNREAD, UUID
from pipeline.files import CSV, EVENTS, MAX_LINE, PARQUET, UTF_16, File, Layout
from pipeline.schemas import COLUMNS, EVENT, EVENT_FILES
from pipeline.transforms.cleaning import PLACE, REASON, clean
from pipeline.transforms.exports import VIEWS, as_traffic

_SENT = "event_class = 124 AND event_subclass IN (1, 2, 3)"
_TRAFFIC_OF_EVENTS = {
    # Several messages may go at one moment: the row of each has a name of its own.
    "conversation_id": "concat(conversation_id, '/', if(from_initiator, 'i', 't'), message_sequence_number)",
    **{name: name for name in ("at", "from_service", "to_service", "to_broker_instance")},
    "from_instance": "instance",
    "from_database": "database",
    "is_reply": "NOT from_initiator",
    "messages": "messages",
    "bytes": "bytes",
}
"""A message that was sent, as a row of traffic."""
IN_COLUMNS = (PARQUET, EVENTS)
_DIGITS_OF_UUID = "^(.{8})(.{4})(.{4})(.{4})(.{12})$"
_ROW_IN_PARTITION = (1 << 33) - 1
"""`monotonically_increasing_id` counts the rows of a partition in these bits."""
_SHOWN = 1_000
"""Characters of a row that the quarantine keeps; the whole file is kept beside it, or was never ours."""


@dataclass(frozen=True, slots=True)
class Source:
    """Rows, good and bad."""

    rows: DataFrame
    """As `clean` gives them, without their places: to know the place of every row costs a fifth more."""
    placed: Callable[[], DataFrame]
    """The same with their places: planned only for what is put into quarantine."""
    lines: DataFrame | None
    """Every line of the text files, with the place that `rows` gives it, and whether it is a row (`_is_row`)."""
    files: tuple[File, ...]
    """Those that could be examined, and those that could not."""
    root: Path
    shown: str
    """What the root is called for people: of copies, where the files came from."""
    classes: tuple[Path, ...] = ()
    """Folders where it is said what each class stands for; none where only the rows tell."""
    sums: tuple[Path, ...] = ()
    """Folders with the sums of each class on each day; none where only the rows tell."""

    @property
    def faults(self) -> list[tuple[str, str]]:
        """The files of which nothing can be read, and why."""
        found = ((file.path.relative_to(self.root), file.fault) for file in self.files)
        return [(f"{self.shown}/{path}", fault) for path, fault in found if fault is not None]


def count_rows(source: Source) -> int:
    """How many rows there are, by what the Parquet files say of themselves and by the lines of the others.

    A file of which nothing can be read counts as one.
    """
    lines = source.lines.where("_is_row").count() if source.lines is not None else 0
    return lines + sum(file.rows for file in source.files) + len(source.faults)


@dataclass(frozen=True, slots=True)
class Form:
    """What the rows of files are to become."""

    columns: tuple[str, ...]
    clean: Callable[[DataFrame], DataFrame]


TRAFFIC = Form(COLUMNS, clean)


def read_files(spark: SparkSession, files: Sequence[File], root: Path, shown: str, form: Form = TRAFFIC) -> Source:
    """All rows of these files, which are below the root."""
    groups: dict[Layout, list[str]] = {}
    for file in files:
        if file.layout is not None:
            groups.setdefault(file.layout, []).append(str(file.path.resolve()))
    lines = [
        _lines(spark, layout, paths).drop("value") for layout, paths in groups.items() if layout.kind not in IN_COLUMNS
    ]
    return Source(
        _together(spark, groups, form, with_place=False).drop(*PLACE),
        cache(lambda: _together(spark, groups, form, with_place=True)),
        reduce(DataFrame.unionByName, lines) if lines else None,
        tuple(files),
        root,
        shown,
    )


def _together(spark: SparkSession, groups: Mapping[Layout, list[str]], form: Form, *, with_place: bool) -> DataFrame:
    tables = [
        _parquet(spark, layout, paths, form, with_place=with_place)
        if layout.kind in IN_COLUMNS
        else _text(_lines(spark, layout, paths), layout, form)
        for layout, paths in groups.items()
    ]
    return reduce(DataFrame.unionByName, map(form.clean, tables or [_nothing(spark, form)]))


def logged(spark: SparkSession, folder: str) -> DataFrame:
    """The rows of an event log as BrokerUI writes it, as they came."""
    table = spark.read.option("recursiveFileLookup", "true").parquet(folder)
    columns = {name: F.col(name) for name in EVENT.names}
    return _placed(table, columns, Form(EVENT_FILES.columns, clean), with_place=True)


def _nothing(spark: SparkSession, form: Form) -> DataFrame:
    columns = ", ".join(f"{name} string" for name in (*form.columns, "_file", "_raw", "_fault"))
    return spark.createDataFrame([], f"{columns}, _block long, _row long")


def _parquet(spark: SparkSession, layout: Layout, paths: list[str], form: Form, *, with_place: bool) -> DataFrame:
    schema = ", ".join(f"`{name}` {STORED.get(kind, kind)}" for name, kind in layout.columns if kind != UNREAD)
    # Each file is named: folders that look like partitions are none.
    table = spark.read.schema(schema or StructType()).option("recursiveFileLookup", "true").parquet(*paths)
    columns = {name: _as_text_or_number(name, kind) for name, kind in layout.columns}
    if layout.kind == EVENTS:
        table, columns = table.withColumns(columns).where(_SENT), _of_events()
    return _placed(table, columns, form, with_place=with_place)


def _of_events() -> dict[str, Column]:
    return {name: F.expr(text) for name, text in _TRAFFIC_OF_EVENTS.items()}


def _as_text_or_number(name: str, kind: str) -> Column:
    if kind == NANOSECONDS:
        return F.timestamp_micros(F.floor(F.col(name) / 1000))
    if kind == UUID:
        return F.regexp_replace(F.lower(F.hex(name)), _DIGITS_OF_UUID, "$1-$2-$3-$4-$5")
    # A list is nowhere what is wanted.
    return F.array() if kind == UNREAD else F.col(name)


def _placed(table: DataFrame, columns: Mapping[str, Column], form: Form, *, with_place: bool) -> DataFrame:
    shown = F.substring(F.to_json(F.struct(*(column.alias(name) for name, column in columns.items()))), 1, _SHOWN)
    return table.select(
        *(columns.get(name, _null()).alias(name) for name in form.columns),
        (F.col("_metadata.file_path") if with_place else _null()).alias("_file"),
        F.lit(None).cast("long").alias("_block"),
        (F.col("_metadata.row_index") if with_place else F.lit(None).cast("long")).alias("_row"),
        shown.alias("_raw"),
        _null().alias("_fault"),
    )


def _lines(spark: SparkSession, layout: Layout, paths: list[str]) -> DataFrame:
    """Large files are read in blocks: a line knows its block, and its number in what one task reads.

    Blank lines, and what repeats the header of a CSV file, are no rows.
    """
    if layout.encoding == UTF_16:
        return _lines_of_whole(spark, layout, paths)
    without_mark = F.when(F.col("value").startswith("\ufeff"), F.substring("value", 2, MAX_LINE))
    text = F.coalesce(without_mark, "value")
    return (
        spark.read.option("recursiveFileLookup", "true")
        .text(paths)
        .select(
            text.alias("value"),
            _is_row(text, layout),
            F.col("_metadata.file_path").alias("_file"),
            F.col("_metadata.file_block_start").alias("_block"),
            F.monotonically_increasing_id().bitwiseAND(F.lit(_ROW_IN_PARTITION)).alias("_row"),
        )
    )


def _lines_of_whole(spark: SparkSession, layout: Layout, paths: list[str]) -> DataFrame:
    """Spark looks for ends of lines in bytes, which are others in UTF-16: such a file is decoded first."""
    text = F.decode("content", "UTF-16")
    whole = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(paths)
    lines = whole.select(
        F.posexplode(F.split(text, r"\r\n|\r|\n")).alias("_row", "value"),
        F.col("_metadata.file_path").alias("_file"),
        F.lit(0).cast("long").alias("_block"),
    )
    return lines.select(
        "value", _is_row(F.col("value"), layout), "_file", "_block", F.col("_row").cast("long").alias("_row")
    )


def _is_row(text: Column, layout: Layout) -> Column:
    return ((F.trim(text) != "") & (text != layout.header)).alias("_is_row")


def _text(lines: DataFrame, layout: Layout, form: Form) -> DataFrame:
    if not layout.view:
        return _parsed(lines, layout, form)
    return as_traffic(_parsed(lines, layout, replace(form, columns=VIEWS[layout.view].columns)), layout.view)


def _parsed(lines: DataFrame, layout: Layout, form: Form) -> DataFrame:
    fault = F.when(F.octet_length("value") > MAX_LINE, F.lit("line_too_long")).when(
        ~F.is_valid_utf8("value"), F.lit("not_utf8")
    )
    checked = (
        lines.where("_is_row")
        .withColumn("_unread", fault)
        .withColumn("_text", F.when(F.col("_unread").isNull(), F.col("value")))
    )
    return _from_csv(checked, layout, form) if layout.kind == CSV else _from_json(checked, form)


def _from_csv(rows: DataFrame, layout: Layout, form: Form) -> DataFrame:
    names = [name for name, _ in layout.columns]
    # Names of a foreign header may be anything, so columns go by their number.
    schema = ", ".join(f"c{number} string" for number in range(len(names))) + ", _corrupt string"
    options = {"sep": layout.delimiter, "escape": '"', "columnNameOfCorruptRecord": "_corrupt"}
    found = {name: _unless_null_text(F.col(f"_row_of.c{number}")) for number, name in enumerate(names)}
    is_broken = F.col("_row_of").isNull() | F.col("_row_of._corrupt").isNotNull()
    return _columns(rows.withColumn("_row_of", F.from_csv("_text", schema, options)), found, form, is_broken, "not_csv")


def _unless_null_text(column: Column) -> Column:
    return F.when(~column.isin("", "NULL"), column)


def _from_json(rows: DataFrame, form: Form) -> DataFrame:
    # As the one element of an array: else what follows the first object of a line would be passed over in silence.
    schema = "array<struct<" + ", ".join(f"{name}: string" for name in form.columns) + ">>"
    wrapped = F.concat(F.lit("["), "_text", F.lit("]"))
    found = {name: F.col("_row_of")[0][name] for name in form.columns}
    is_broken = (
        F.col("_row_of").isNull()
        | (F.size("_row_of") != 1)
        | F.col("_row_of")[0].isNull()
        | ~F.ltrim("_text").startswith("{")
    )
    return _columns(rows.withColumn("_row_of", F.from_json(wrapped, schema)), found, form, is_broken, "not_json")


def _columns(rows: DataFrame, found: dict[str, Column], form: Form, is_broken: Column, fault: str) -> DataFrame:
    return rows.select(
        *(found.get(name, _null()).alias(name) for name in form.columns),
        "_file",
        "_block",
        "_row",
        F.make_valid_utf8(F.substring("value", 1, _SHOWN)).alias("_raw"),
        F.coalesce("_unread", F.when(is_broken, F.lit(fault))).alias("_fault"),
    )


def quarantined(source: Source, rows: DataFrame) -> DataFrame:
    """Rows of this source as the quarantine has them, with `_reason` as the reason."""
    placed = rows.withColumn("position", F.col("_row") + 1)
    if source.lines is not None:
        before = F.broadcast(_lines_before(source.lines))
        placed = placed.join(before, ["_file", "_block"], "left").withColumn(
            "position", F.coalesce(F.col("_row") + F.col("_before") + 1, "position")
        )
    path, reason, raw = _path(F.col("_file"), source), F.col(REASON), F.col("_raw")
    return placed.select(path.alias("file"), "position", reason.alias("reason"), raw.alias("raw"))


def _lines_before(lines: DataFrame) -> DataFrame:
    """For each block of a file, what to add to a line's number in its task to have its number in the file."""
    blocks = lines.groupBy("_file", "_block").agg(F.min("_row").alias("_first"), F.count("*").alias("_lines"))
    earlier = blocks.select("_file", F.col("_block").alias("_other"), F.col("_lines").alias("_other_lines"))
    return (
        blocks.join(earlier, "_file", "left")
        .groupBy("_file", "_block", "_first")
        .agg(F.sum(F.when(F.col("_other") < F.col("_block"), F.col("_other_lines")).otherwise(0)).alias("_sum"))
        .select("_file", "_block", (F.col("_sum") - F.col("_first")).alias("_before"))
    )


def _path(uri: Column, source: Source) -> Column:
    """Spark names files by addresses, in which a plus is a plus."""
    path = F.url_decode(F.replace(F.regexp_replace(uri, "^file:/+", "/"), F.lit("+"), F.lit("%2B")))
    return F.concat(F.lit(source.shown), F.substr(path, F.lit(len(str(source.root.resolve())) + 1)))


def _null() -> Column:
    return F.lit(None).cast("string")
