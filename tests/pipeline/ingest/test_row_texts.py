"""Rows that are more than a line of their text."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.inputs.files import examine_files
from pipeline.inputs.preparing import prepared_files
from pipeline.inputs.row_texts import (
    MAX_CHARACTERS,
    has_rows_of_several_lines,
    is_json_document,
    rows_of_csv,
    rows_of_json,
)
from pipeline.schemas import COLUMNS

CELLS = st.text(alphabet='a,;"\n\r ', max_size=6)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=3), max_size=6), st.sampled_from([",", ";", "|"]))
def test_rows_of_csv_are_those_that_were_written(rows: list[list[str]], delimiter: str) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    text.seek(0)
    lines = io.TextIOWrapper(io.BytesIO(text.getvalue().encode()), newline="")
    found = list(rows_of_csv(lines, delimiter))
    parsed = [next(csv.reader(io.StringIO(row, newline=""), delimiter=delimiter), []) for _, row in found]
    assert parsed == rows
    numbers = [number for number, _ in found]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("end", ["", "\nlast"])
def test_a_quote_that_is_never_closed_costs_its_own_line(end: str) -> None:
    text = 'a,b\n1,"x\n2,y' + end
    assert list(rows_of_csv(text.splitlines(keepends=True), ",")) == [
        *((1, "a,b"), (2, '1,"x'), (3, "2,y")),
        *([(4, "last")] if end else []),
    ]
    long = ['1,"x\n', *["y" * 1_000 + "\n"] * (2 * MAX_CHARACTERS // 1_000), '2,"z"\n']
    assert [number for number, _ in rows_of_csv(long, ",")] == list(range(1, len(long) + 1))


@pytest.mark.parametrize(
    ("text", "has"), [('a\n"b"\n', False), ('a\n"b\nc"\n', True), ("", False), ('"a""\nb"', True), ("a\n" * 9, False)]
)
def test_a_file_says_whether_a_line_ends_within_quotes(text: str, has: bool, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text)
    assert has_rows_of_several_lines(tmp_path / "a.csv") == has


def test_an_array_and_objects_over_several_lines_are_their_objects() -> None:
    objects = [{"a": 1}, {"b": [{"c": "]},{"}]}]
    for text in (
        json.dumps(objects),
        json.dumps(objects, indent=2),
        "\n".join(json.dumps(one, indent=1) for one in objects),
    ):
        assert is_json_document(text)
        assert [json.loads(row) for _, row in rows_of_json(text)] == objects
    assert [number for number, _ in rows_of_json('[\n {"a": 1},\r\n\n {\n},{}]')] == [2, 4, 5]
    assert not is_json_document('{"a": 1}\n{"b": 2}')


def test_what_is_no_object_is_a_row_up_to_the_end_of_its_line() -> None:
    assert list(rows_of_json('[{"a": 1},\n{"b": ,\n"c"},\n{"d": 4}')) == [
        (1, '{"a": 1}'),
        (2, '{"b": ,'),
        (3, '"c"},'),
        (4, '{"d": 4}'),
    ]


def test_a_copy_has_each_row_in_utf_8_after_its_number_and_keeps_a_byte_that_is_none(tmp_path: Path) -> None:
    names = ";".join(COLUMNS)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_bytes(names.encode() + b'\r\nT\xe4ter;"two\r\nlines"\r\n\x81\r\n')
    (file,) = examine_files([tmp_path / "in" / "a.csv"], encoding="cp1252")
    (found,) = prepared_files([file], tmp_path / "in", tmp_path / "work")
    assert found.prepared is not None
    assert found.prepared.read_bytes().splitlines() == [
        b"1\t",
        b"1\t" + names.encode(),
        'Täter;"two\x1d\x1elines"'.join(["2\t", ""]).encode(),
        b"4\t\x81",
    ]


def test_a_packed_file_that_is_damaged_is_unreadable(tmp_path: Path) -> None:
    lines = b"".join(b'{"at": %d}\n' % number for number in range(200_000))
    (tmp_path / "cut.jsonl.zst").write_bytes(pa.compress(lines, codec="zstd", asbytes=True)[:-9])
    packed = bytearray(gzip.compress(b"at,bytes\n" + lines, mtime=0))
    packed[len(packed) // 3 : len(packed) // 3 + 64] = b"\xff" * 64
    (tmp_path / "damaged.csv.gz").write_bytes(packed)
    files = prepared_files(examine_files(sorted(tmp_path.iterdir())), tmp_path, tmp_path / "work")
    assert [(file.layout, file.fault) for file in files] == [(None, "unreadable")] * 2
