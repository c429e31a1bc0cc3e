"""Rebuilds the document from the script's rows, `<mark|number/of|piece|check>`.

A piece holds neither white space nor `<`, `>` or `|`, so that everything a tool adds between rows, or inside them when
it wraps lines, can be removed. The check detects a changed row; the numbers detect a missing one. So the document is
complete and exact, or it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice, pairwise

from routing.common.errors import Invalid
from routing.common.sentence import Sentence, say

CHECK_DIGITS = 6
_SPACE = re.compile(r"\s+")
_BEGUN = re.compile(r"<([0-9A-F]{4})\|([0-9]{1,8})/([0-9]{1,8})\|")
_ROW = re.compile(_BEGUN.pattern + r"([^<>|]*)\|([0-9A-F]{6})>")
_SHORTENED = re.compile(r"…|\.\.\.")
_SHOWN = 5
"""Limit of ranges of missing rows that an error lists."""


def without_space(text: str) -> str:
    """The text without the white space that tools add when they wrap, pad and separate."""
    return _SPACE.sub("", text)


def framed_document(bare: str) -> str | None:
    """The document of these rows; None if there is no row. `bare` is `without_space`.

    Raises `Invalid` if a row is missing, was changed, or belongs to another result.
    """
    first = _BEGUN.search(bare)
    if first is None:
        return None
    pieces: dict[int, str] = {}
    mark, of = first[1], int(first[3])
    for row in _ROW.finditer(bare):
        if row[1] != mark or int(row[3]) != of:
            raise Invalid("", say("holds rows of more than one result; save each result in a file of its own"))
        if not 1 <= int(row[2]) <= of:
            raise Invalid("", say("has a row {row} of {of}, which is not possible", row=int(row[2]), of=of))
        pieces[int(row[2])] = _piece(row)
    gaps = list(islice(_gaps(sorted(pieces), of), _SHOWN + 1))
    if gaps:
        raise Invalid("", _incomplete(bare, gaps, of))
    return "".join(pieces[number] for number in range(1, of + 1))


def check_of(line: str) -> str:
    """The check of a row, computed from everything before it."""
    return sha256(line.encode("utf-16-le")).hexdigest()[:CHECK_DIGITS].upper()


def _piece(row: re.Match[str]) -> str:
    """The piece of a row. Undoes the doubling of quotes by a tool; the check shows which form is right."""
    head, piece = f"{row[1]}|{row[2]}/{row[3]}|", row[4]
    for candidate in (piece, piece.replace('""', '"')):
        if check_of(head + candidate) == row[5]:
            return candidate
    raise Invalid("", say("row {row} of {of} was changed after the instance wrote it", row=row[2], of=row[3]))


def _gaps(numbers: list[int], of: int) -> Iterator[tuple[int, int]]:
    """The first and last number of each gap up to `of`."""
    for before, after in pairwise([0, *numbers, of + 1]):
        if after > before + 1:
            yield before + 1, after - 1


def _incomplete(bare: str, gaps: list[tuple[int, int]], of: int) -> Sentence:
    first = gaps[0][0]
    for begun in _BEGUN.finditer(bare):
        if int(begun[2]) == first:
            end = bare.find("<", begun.end())
            if _SHORTENED.search(bare, begun.end(), end if end >= 0 else len(bare)):
                return say(
                    "row {row} of {of} is shortened to fit a column; save it with Export-Csv, or wider",
                    row=first,
                    of=of,
                )
    rows = [f"{first}" if first == last else f"{first}-{last}" for first, last in gaps]
    if len(rows) > _SHOWN:
        rows[_SHOWN:] = "…"
    return say("is not complete: of its {of} rows, these are missing: {rows}", of=of, rows=rows)
