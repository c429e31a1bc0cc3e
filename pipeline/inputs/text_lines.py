"""Read the lines of text files, each with its place."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.files.location import Location, decoded_uri
from pipeline.inputs.files import MAX_LINE_BYTES, UTF_16, FileLayout
from pipeline.inputs.preparing import CARRIAGE_RETURN, FOLDER, LINE_FEED

_ROW_IN_PARTITION = (1 << 33) - 1
"""`monotonically_increasing_id` counts the rows of a partition in these bits."""
_PRINTED_AROUND = r"^(-+([ ,;\t|]-+)*|[(][0-9]+ [^()]*([(]s[)])?[^()]*[)])\s*\z"
"""Lines that sqlcmd prints around rows: dashes below a heading, and how many rows there were, in any language."""


@dataclass(frozen=True, slots=True)
class TextReader:
    """Reads the lines of text files below a root."""

    spark: SparkSession
    root: Location

    def lines(self, layout: FileLayout, paths: list[str]) -> DataFrame:
        """Read the lines of files of one layout. Spark splits large files: a line has its block, and its number in
        its task. Blank lines and repetitions of a CSV header are no rows."""
        if layout.is_prepared:
            return self._prepared(layout, paths)
        if layout.encoding == UTF_16:
            return self._whole(layout, paths)
        without_mark = F.when(F.col("value").startswith("\ufeff"), F.substring("value", 2, MAX_LINE_BYTES))
        text = F.coalesce(without_mark, "value")
        return self._read(paths).select(
            text.alias("value"),
            _is_row(text, layout),
            F.col("_metadata.file_path").alias("_file"),
            F.col("_metadata.file_block_start").alias("_block"),
            F.monotonically_increasing_id().bitwiseAND(F.lit(_ROW_IN_PARTITION)).alias("_row"),
        )

    def _read(self, paths: list[str]) -> DataFrame:
        return self.spark.read.option("recursiveFileLookup", "true").text(paths)

    def _prepared(self, layout: FileLayout, paths: list[str]) -> DataFrame:
        """Read copies, whose lines have the number of their row in the file that they were made from."""
        tab = F.instr("value", "\t")
        kept = F.expr("substring(value, instr(value, '\\t') + 1)")
        text = F.replace(F.replace(kept, F.lit(LINE_FEED), F.lit("\n")), F.lit(CARRIAGE_RETURN), F.lit("\r"))
        file = F.regexp_replace("_metadata.file_path", f"^.*?/{FOLDER}/(.*)[.]rows$", f"{self._uri_of_root()}/$1")
        return self._read(paths).select(
            text.alias("value"),
            _is_row(text, layout),
            file.alias("_file"),
            F.lit(0).cast("long").alias("_block"),
            (F.substring("value", F.lit(1), tab - 1).try_cast("long") - 1).alias("_row"),
        )

    def _uri_of_root(self) -> str:
        uri = quote(decoded_uri(self.root), safe=":/")
        return f"file://{uri}" if uri.startswith("/") else uri

    def _whole(self, layout: FileLayout, paths: list[str]) -> DataFrame:
        """Decode UTF-16 files as a whole: Spark splits lines by bytes, which fails in UTF-16."""
        text = F.decode("content", "UTF-16")
        whole = self.spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(paths)
        lines = whole.select(
            F.posexplode(F.split(text, r"\r\n|\r|\n")).alias("_row", "value"),
            F.col("_metadata.file_path").alias("_file"),
            F.lit(0).cast("long").alias("_block"),
        )
        return lines.select(
            "value", _is_row(F.col("value"), layout), "_file", "_block", F.col("_row").cast("long").alias("_row")
        )


def _is_row(text: Column, layout: FileLayout) -> Column:
    found = (F.trim(text) != "") & (text != layout.header)
    return (found & ~text.rlike(_PRINTED_AROUND) if layout.is_printed else found).alias("_is_row")
