"""Read traffic files into one table: each row with its place in its file, and the reason if it is rejected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from pipeline.files.location import Location, decoded_uri, relative_name, spark_name
from pipeline.inputs.files import CSV, EVENTS, MAX_LINE_BYTES, PARQUET, FileLayout, InputFile
from pipeline.inputs.parquet_columns import NANOSECONDS, SPARK_TYPES, UNSUPPORTED, UUID
from pipeline.inputs.text_lines import TextReader
from pipeline.runtime.local_tables import local_table
from pipeline.schemas import COLUMNS, EVENT, EVENT_FILES
from pipeline.transforms.cleaning import PLACE, REASON, clean
from pipeline.transforms.server_events import SERVER_EVENTS, as_events
from pipeline.transforms.view_exports import MOMENTS, VIEWS, as_traffic, of_path, slashed

_SENT_CONDITION = "event_class = 124 AND event_subclass IN (1, 2, 3)"
_TRAFFIC_OF_EVENTS = {
    # A conversation may send several messages at one moment: the identifier tells their rows apart.
    "conversation_id": "concat(conversation_id, '/', if(from_initiator, 'i', 't'), message_sequence_number)",
    **{name: name for name in ("at", "from_service", "to_service", "to_broker_instance")},
    "from_instance": "instance",
    "from_database": "database",
    "is_reply": "NOT from_initiator",
    "messages": "messages",
    "bytes": "bytes",
}
"""The columns of a row of traffic, from the event of a sent message."""
COLUMNAR = (PARQUET, EVENTS)
_DIGITS_OF_UUID = "^(.{8})(.{4})(.{4})(.{4})(.{12})$"
_MAX_RAW_CHARACTERS = 1_000
"""Characters of a rejected row that the quarantine keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRows:
    """The rows of an input, valid and rejected."""

    rows: DataFrame
    """The cleaned rows, without their places, which cost a fifth more time."""
    placed: Callable[[], DataFrame]
    """Plans the same rows with their places; called only to write the quarantine."""
    lines: DataFrame | None
    """Every line of the text files with its place, and whether it is a row (`_is_row`)."""
    files: tuple[InputFile, ...]
    """All files, readable and unreadable."""
    root: Location
    display_root: str
    """The root in messages: for copies, the folder they were copied from."""
    classes: tuple[Location, ...] = ()
    """Files with the keys of each class, if the input has them (a lake)."""
    sums: tuple[Location, ...] = ()
    """Files with the sums of each class on each day, if the input has them (a lake)."""

    @property
    def faults(self) -> list[tuple[str, str]]:
        """The unreadable files, each with the reason."""
        found = ((relative_name(file.path, self.root), file.fault) for file in self.files)
        return [(f"{self.display_root}/{path}", fault) for path, fault in found if fault is not None]


def count_rows(source: InputRows) -> int:
    """Count the rows by the footers of Parquet files and the lines of text files.

    An unreadable file counts as one row.
    """
    lines = source.lines.where("_is_row").count() if source.lines is not None else 0
    return lines + sum(file.rows for file in source.files) + len(source.faults)


@dataclass(frozen=True, slots=True)
class RowFormat:
    """The columns to read, and the transform that cleans them."""

    columns: tuple[str, ...]
    clean: Callable[[DataFrame], DataFrame]
    dates: str = ""
    """The order of dates with slashes in text files, `mdy` or `dmy`; empty: they are not read."""
    names_files: bool = False
    """Whether each row names the file that it is from (`_file`), as a URI."""


TRAFFIC_FORMAT = RowFormat(COLUMNS, clean)


def read_files(
    spark: SparkSession, files: Sequence[InputFile], root: Location, display_root: str, form: RowFormat = TRAFFIC_FORMAT
) -> InputRows:
    """Read these files, which are below the root."""
    groups: dict[FileLayout, list[str]] = {}
    for file in files:
        if file.layout is not None:
            groups.setdefault(file.layout, []).append(spark_name(file.prepared or file.path))
    texts = TextReader(spark, root)
    lines = [
        texts.lines(layout, paths).drop("value") for layout, paths in groups.items() if layout.kind not in COLUMNAR
    ]
    return InputRows(
        rows=_together(texts, groups, form, with_place=False).drop(*PLACE[form.names_files :]),
        placed=cache(lambda: _together(texts, groups, form, with_place=True)),
        lines=reduce(DataFrame.unionByName, lines) if lines else None,
        files=tuple(files),
        root=root,
        display_root=display_root,
    )


def _together(
    texts: TextReader, groups: Mapping[FileLayout, list[str]], form: RowFormat, *, with_place: bool
) -> DataFrame:
    tables = [
        _parquet(texts.spark, layout, paths, form, with_place=with_place)
        if layout.kind in COLUMNAR
        else _text(texts.lines(layout, paths), layout, form)
        for layout, paths in groups.items()
    ]
    return reduce(DataFrame.unionByName, map(form.clean, tables or [_nothing(texts.spark, form)]))


def event_log_rows(spark: SparkSession, folder: str) -> DataFrame:
    """Read an event log that BrokerUI wrote, without cleaning it."""
    table = spark.read.option("recursiveFileLookup", "true").parquet(folder)
    columns = {name: F.col(name) for name in EVENT.names}
    return _placed(table, columns, RowFormat(EVENT_FILES.columns, clean), with_place=True)


def _nothing(spark: SparkSession, form: RowFormat) -> DataFrame:
    columns = ", ".join(f"{name} string" for name in (*form.columns, "_file", "_raw", "_fault"))
    return local_table(spark, [], f"{columns}, _block long, _row long")


def _parquet(
    spark: SparkSession, layout: FileLayout, paths: list[str], form: RowFormat, *, with_place: bool
) -> DataFrame:
    schema = ", ".join(
        f"`{name}` {SPARK_TYPES.get(kind, kind)}" for name, kind in layout.columns if kind != UNSUPPORTED
    )
    # Each file is named, so that Spark takes no folder for a partition.
    table = spark.read.schema(schema or StructType()).option("recursiveFileLookup", "true").parquet(*paths)
    columns = {name: _as_text_or_number(name, kind) for name, kind in layout.columns}
    columns |= {name: of_path(name, "_metadata.file_path") for name in layout.folders}
    if layout.kind == EVENTS:
        table, columns = table.withColumns(columns).where(_SENT_CONDITION), _of_events()
    return _placed(table, columns, form, with_place=with_place)


def _of_events() -> dict[str, Column]:
    return {name: F.expr(text) for name, text in _TRAFFIC_OF_EVENTS.items()}


def _as_text_or_number(name: str, kind: str) -> Column:
    if kind == NANOSECONDS:
        return F.timestamp_micros(F.floor(F.col(name) / 1000))
    if kind == UUID:
        return F.regexp_replace(F.lower(F.hex(name)), _DIGITS_OF_UUID, "$1-$2-$3-$4-$5")
    # An array is rejected by every converter.
    return F.array() if kind == UNSUPPORTED else F.col(name)


def _placed(table: DataFrame, columns: Mapping[str, Column], form: RowFormat, *, with_place: bool) -> DataFrame:
    raw = F.substring(
        F.to_json(F.struct(*(column.alias(name) for name, column in columns.items()))), 1, _MAX_RAW_CHARACTERS
    )
    return table.select(
        *(columns.get(name, _null()).alias(name) for name in form.columns),
        (F.col("_metadata.file_path") if with_place or form.names_files else _null()).alias("_file"),
        F.lit(None).cast("long").alias("_block"),
        (F.col("_metadata.row_index") if with_place else F.lit(None).cast("long")).alias("_row"),
        raw.alias("_raw"),
        _null().alias("_fault"),
    )


def _text(lines: DataFrame, layout: FileLayout, form: RowFormat) -> DataFrame:
    if not layout.view:
        return _parsed(lines, layout, form)
    if layout.view in SERVER_EVENTS:
        columns = SERVER_EVENTS[layout.view].columns
        return as_events(_parsed(lines, layout, replace(form, columns=columns)), layout.view)
    return as_traffic(_parsed(lines, layout, replace(form, columns=VIEWS[layout.view].columns)), layout.view)


def _parsed(lines: DataFrame, layout: FileLayout, form: RowFormat) -> DataFrame:
    fault = F.when(F.octet_length("value") > MAX_LINE_BYTES, F.lit("line_too_long")).when(
        ~F.is_valid_utf8("value"), F.lit("not_utf8")
    )
    checked = (
        lines.where("_is_row")
        .withColumn("_unread", fault)
        .withColumn("_text", F.when(F.col("_unread").isNull(), F.col("value")))
    )
    if layout.spans:
        return _from_spans(checked, layout, form)
    return _from_csv(checked, layout, form) if layout.kind == CSV else _from_json(checked, layout, form)


def _from_csv(rows: DataFrame, layout: FileLayout, form: RowFormat) -> DataFrame:
    names = [name for name, _ in layout.columns]
    # The names in a header may be anything, so columns are read by number.
    schema = ", ".join(f"c{number} string" for number in range(len(names))) + ", _corrupt string"
    options = {"sep": layout.delimiter, "escape": '"', "columnNameOfCorruptRecord": "_corrupt"}
    read = rows.withColumn("_row_of", F.from_csv("_text", schema, options))
    cells = {name: F.col(f"_row_of.c{number}") for number, name in enumerate(names)}
    found = {name: _unless_null_text(F.trim(cell) if layout.is_printed else cell) for name, cell in cells.items()}
    is_broken = F.col("_row_of").isNull() | F.col("_row_of._corrupt").isNotNull()
    return _columns(read, {**found, **_of_folders(layout)}, form, is_broken, "not_csv")


def _from_spans(rows: DataFrame, layout: FileLayout, form: RowFormat) -> DataFrame:
    """Cut lines of a fixed width; a line that ends before its last column begins is none."""
    cells = zip(layout.columns, layout.spans, strict=True)
    found = {name: _unless_null_text(F.trim(F.substring("_text", *span))) for (name, _), span in cells}
    is_broken = F.col("_text").isNull() | (F.char_length("_text") < layout.spans[-1][0])
    return _columns(rows, {**found, **_of_folders(layout)}, form, is_broken, "not_csv")


def _of_folders(layout: FileLayout) -> dict[str, Column]:
    return {name: of_path(name) for name in layout.folders}


def _unless_null_text(column: Column) -> Column:
    return F.when(~column.isin("", "NULL"), column)


def _from_json(rows: DataFrame, layout: FileLayout, form: RowFormat) -> DataFrame:
    # Parsed as an array of one element: otherwise Spark ignores what follows the first object of a line.
    schema = "array<struct<" + ", ".join(f"{name}: string" for name in form.columns) + ">>"
    wrapped = F.concat(F.lit("["), "_text", F.lit("]"))
    found = {name: F.col("_row_of")[0][name] for name in form.columns}
    found |= {name: F.coalesce(found[name], column) for name, column in _of_folders(layout).items()}
    is_broken = (
        F.col("_row_of").isNull()
        | (F.size("_row_of") != 1)
        | F.col("_row_of")[0].isNull()
        | ~F.ltrim("_text").startswith("{")
    )
    return _columns(rows.withColumn("_row_of", F.from_json(wrapped, schema)), found, form, is_broken, "not_json")


def _columns(rows: DataFrame, found: dict[str, Column], form: RowFormat, is_broken: Column, fault: str) -> DataFrame:
    if form.dates:
        found |= {name: slashed(found[name], form.dates) for name in MOMENTS if name in found}
    return rows.select(
        *(found.get(name, _null()).alias(name) for name in form.columns),
        "_file",
        "_block",
        "_row",
        F.make_valid_utf8(F.substring("value", 1, _MAX_RAW_CHARACTERS)).alias("_raw"),
        F.coalesce("_unread", F.when(is_broken, F.lit(fault))).alias("_fault"),
    )


def as_quarantine_rows(source: InputRows, rows: DataFrame) -> DataFrame:
    """Convert rows of this input to rows of the quarantine; `_reason` is the reason."""
    placed = rows.withColumn("position", F.col("_row") + 1)
    if source.lines is not None:
        before = F.broadcast(_lines_before(source.lines))
        placed = placed.join(before, ["_file", "_block"], "left").withColumn(
            "position", F.coalesce(F.col("_row") + F.col("_before") + 1, "position")
        )
    path, reason, raw = _path(F.col("_file"), source), F.col(REASON), F.col("_raw")
    return placed.select(path.alias("file"), "position", reason.alias("reason"), raw.alias("raw"))


def _lines_before(lines: DataFrame) -> DataFrame:
    """Return, for each block of a file, the offset from a line's number in its task to its number in the file."""
    blocks = lines.groupBy("_file", "_block").agg(F.min("_row").alias("_first"), F.count("*").alias("_lines"))
    earlier = blocks.select("_file", F.col("_block").alias("_other"), F.col("_lines").alias("_other_lines"))
    return (
        blocks.join(earlier, "_file", "left")
        .groupBy("_file", "_block", "_first")
        .agg(F.sum(F.when(F.col("_other") < F.col("_block"), F.col("_other_lines")).otherwise(0)).alias("_sum"))
        .select("_file", "_block", (F.col("_sum") - F.col("_first")).alias("_before"))
    )


def _path(uri: Column, source: InputRows) -> Column:
    """Convert the file URI of Spark, in which a plus is literal, to the path for messages."""
    path = F.url_decode(F.replace(F.regexp_replace(uri, "^file:/+", "/"), F.lit("+"), F.lit("%2B")))
    return F.concat(F.lit(source.display_root), F.substr(path, F.lit(len(decoded_uri(source.root)) + 1)))


def _null() -> Column:
    return F.lit(None).cast("string")
