"""Bytes to text, in whatever encoding an editor left them."""

from __future__ import annotations

import pytest

from routing.common.errors import InputError
from routing.tsql.text import decode_script

TEXT = "USE Aufträge\nGO\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_every_encoding_is_told_apart(encoding: str) -> None:
    assert decode_script(TEXT.encode(encoding)) == TEXT


def test_cp1252_reads_all_bytes() -> None:
    assert decode_script(b"\x80 \x93x\x94 \x81") == "€ “x” \x81"


def test_lone_carriage_returns_end_lines_where_nothing_else_does() -> None:
    assert decode_script(b"a\rb\r") == "a\nb\n"
    assert decode_script(b"a\rb\n") == "a\rb\n"


@pytest.mark.parametrize("data", [b"\xff\xfea", b"\xef\xbb\xbf\xff", b"\xff\xfe\x00\xd8"])
def test_what_a_mark_promises_must_hold(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^f\.sql: is not utf-\S+ text: "):
        decode_script(data, where="f.sql")
