"""What people export: folders with columns in their names, printed tables, local dates, a byte that is wrong."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from pipeline.schemas import COLUMNS
from tests.pipeline.estates import row
from tests.pipeline.ingest.reading import ReadRows, read_traffic

Json = dict[str, Any]


def cells(number: int, **rest: Any) -> list[str]:
    return ["NULL" if value is None else str(value) for value in row(number, **rest).values()]


def printed(rows: list[list[str]], widths: list[int], between: str) -> str:
    """As sqlcmd prints a table: padded, dashes below the heading, a heading again, how many rows there were."""
    lines = [list(COLUMNS), ["-" * width for width in widths], *rows[:1], list(COLUMNS), *rows[1:]]
    texts = (between.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    return "\r\n".join([*texts, "", f"({len(rows)} rows affected)", ""])


@pytest.fixture(scope="module")
def given(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ReadRows]:
    """A folder of exports, and the rows that are read in it."""
    folder, work = (tmp_path_factory.mktemp(name) for name in ("in", "work"))
    parted = folder / "from_instance=host%209" / "from_database=__HIVE_DEFAULT_PARTITION__"
    parted.mkdir(parents=True)
    left = {name: value for name, value in row(1).items() if name not in ("from_instance", "from_database")}
    pq.write_table(pa.Table.from_pylist([left]), parted / "part-0.parquet")
    (parted / "lines.jsonl").write_text(f"{json.dumps({**left, 'conversation_id': 'c2'})}\n{json.dumps(row(3))}\n")
    lacking = [name for name in COLUMNS if name != "from_instance"]
    line = ",".join("" if row(4)[name] is None else str(row(4)[name]) for name in lacking)
    (parted / "table.csv").write_text(f"note,{','.join(lacking)},note\na,{line},b\n")
    widths = [max(len(name), 24) for name in COLUMNS]
    (folder / "spaces.txt").write_text(printed([cells(5, to_service="My Stock"), cells(6)], widths, " "))
    (folder / "commas.csv").write_text(printed([cells(7), cells(8, is_reply=1)], widths, ","))
    moments = ["11/22/2026 1:05:09 PM", "1/2/2026", "12/31/2026 12:00 AM", "22/11/2026 10:00"]
    dates = [cells(10 + number, at=at) for number, at in enumerate(moments)]
    (folder / "dates.csv").write_text("\n".join(";".join(line) for line in ([*COLUMNS], *dates)))
    odd = ";".join(cells(20)).encode().replace(b"Entry", b"Entr\xe9e")
    rows = [";".join([*COLUMNS]).encode(), odd, *(";".join(cells(number)).encode() for number in (21, 22))]
    (folder / "odd.csv").write_bytes(b"\n".join(rows))
    lines = [
        ",".join(COLUMNS),
        ",".join(cells(40, from_service='"a\nb"')),
        ",".join(cells(41)),
        '"',
        ",".join(cells(42)),
    ]
    (folder / "several lines.csv").write_text("\n".join(lines))
    (folder / "pretty.json").write_text(json.dumps([row(43, to_service="in,\nside"), {"at": 1}, row(44)], indent=2))
    packed = "".join(f"{json.dumps(row(number))}\n" for number in (45, 46)) + "{\n"
    (folder / "packed.jsonl.zst").write_bytes(pa.compress(packed.encode(), codec="zstd", asbytes=True))
    twice = ",".join(["conversation_id", *COLUMNS])
    (folder / "twice.csv").write_text(f"{twice}\nx,{','.join(cells(30))}\n")
    return folder, read_traffic(spark, str(folder), work, dates="mdy")


@pytest.fixture(scope="module")
def found(given: tuple[Path, ReadRows]) -> dict[str, Json]:
    return {one["conversation_id"]: one for one in given[1].good}


def test_folders_give_the_columns_that_a_file_lacks(found: dict[str, Json]) -> None:
    of = {key: (found[key]["from_instance"], found[key]["from_database"]) for key in ("c1", "c2", "c3", "c4")}
    assert of == {
        "c1": ("host 9", None),
        "c2": ("host 9", None),
        "c3": ("host1", "Orders"),
        "c4": ("host 9", "Orders"),
    }


def test_a_table_as_sqlcmd_prints_it_has_its_rows_and_no_more(found: dict[str, Json]) -> None:
    assert [found[f"c{number}"]["to_service"] for number in range(5, 9)] == ["My Stock", "Stock", "Stock", "Stock"]
    assert [found[f"c{number}"]["is_reply"] for number in range(5, 9)] == [False, False, False, True]
    assert found["c5"]["to_broker_instance"] is None


def test_dates_with_slashes_are_read_as_the_user_says(found: dict[str, Json]) -> None:
    assert [found[f"c{number}"]["at"] for number in range(10, 13)] == [
        datetime(2026, 11, 22, 13, 5, 9, tzinfo=UTC),
        datetime(2026, 1, 2, tzinfo=UTC),
        datetime(2026, 12, 31, tzinfo=UTC),
    ]


def test_rows_of_several_lines_arrays_and_packed_files_are_read(found: dict[str, Json]) -> None:
    assert {f"c{number}" for number in range(40, 47)} <= found.keys()
    assert (found["c40"]["from_service"], found["c43"]["to_service"]) == ("a\nb", "in,\nside")


def test_what_fits_nothing_is_rejected_by_rows(given: tuple[Path, ReadRows]) -> None:
    folder, read = given
    assert read.places == {
        (str(folder / "dates.csv"), 5, "bad_at"),
        (str(folder / "odd.csv"), 2, "not_utf8"),
        (str(folder / "twice.csv"), None, "repeated_column"),
        (str(folder / "several lines.csv"), 5, "not_csv"),
        (str(folder / "pretty.json"), 14, "no_conversation_id"),
        (str(folder / "packed.jsonl.zst"), 3, "not_json"),
    }
    assert read.counts == {"in": 26, "out": 20, "quarantined": 6}
