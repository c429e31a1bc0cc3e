"""Reads tables as people paste them: drawn in Markdown, with `+---+`, with box characters or as wikis have them, quoted
in a mail or not; and lists as PowerShell's Format-List prints.

Blanks beside a line or a colon are no part of a value, and NULL is NULL in any case.
"""

from __future__ import annotations

import re
from itertools import groupby

from routing.catalog.document import MAX_ROWS
from routing.catalog.grid_parser import Grid, error_at, read_grid, view_of
from routing.common.sentence import say

Rows = list[tuple[int, list[str]]]
_RULER = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_BOX = re.compile(r"\+[-=+]*\+?")
_QUOTED = re.compile(r"(?:>[ \t]*)+(?=[|+])")
"""The signs before each line that a mail or a forum quotes."""
_LINE_OF_BOX = re.compile(r"[\u2500-\u257f]+")
_BAR_OF_BOX = re.compile(r"[\u2502\u2503\u2551]")
_CELL_END = re.compile(r"(?<!\\)\|")
_ITEM = re.compile(r"([A-Za-z_]\w{0,127})[ \t]*:(?:[ \t](.*))?")
_NULLS = frozenset(("null", "(null)"))
_LONGEST = 1 << 16
"""Limit of characters of a line of a drawn table."""


def read_table(text: str, *, where: str) -> Grid | None:
    """Parse the table in a text, in any of the forms that are known; None if there is none.

    Raises `InputError` with the line.
    """
    return _drawn(text, where) or _listed(text, where) or read_grid(text, where=where)


def drawn_rows(text: str) -> Rows | None:
    """The rows of the only drawn table of a text, headings included; None if there is none or several."""
    tables = _tables(text)
    return tables[0] if len(tables) == 1 else None


def _lines(text: str) -> list[str]:
    return text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


# ---------------------------------------------------------------- drawn


def _drawn(text: str, where: str) -> Grid | None:
    """The table whose lines begin with `|`, or whose line of dashes has colons."""
    tables = _tables(text)
    for rows in tables:
        columns = tuple(cell.lower() for cell in rows[0][1])
        view = view_of(columns, where, rows[0][0])
        if view is not None:
            if len(tables) > 1:
                raise error_at(
                    where, tables[1][0][0], say("begins another table: give each table as a file of its own")
                )
            return Grid(view, columns, tuple(_checked(rows, where)))
    return None


def _tables(text: str) -> list[Rows]:
    """The rows of each table; a line that is no row ends one."""
    if "|" not in text and not _BAR_OF_BOX.search(text):
        return []
    lines = [_plain(line.strip()) for line in _lines(text)]
    is_piped = any(line.startswith("|") for line in lines)
    is_ruled = any(":" in line and "|" in line and _RULER.fullmatch(line) for line in lines if len(line) < _LONGEST)
    if not (is_piped or is_ruled):
        return []
    tables: list[Rows] = []
    numbered = enumerate(lines, 1)
    for is_table, block in groupby(numbered, lambda one: _is_drawn(one[1], is_piped=is_piped)):
        rows = [(number, _cells(line)) for number, line in block if not _is_ruler(line)] if is_table else []
        if rows:
            tables.append(rows)
    return tables


def _plain(line: str) -> str:
    """The line as Markdown has it: without signs of a quotation, box characters, and doubled bars of a heading."""
    line = _QUOTED.sub("", line, count=1)
    if _LINE_OF_BOX.fullmatch(line):
        return "+-+"
    if _BAR_OF_BOX.match(line):
        return _BAR_OF_BOX.sub("|", line.replace("|", "\\|"))
    return line.replace("||", "|") if line.startswith("||") else line


def _is_drawn(line: str, *, is_piped: bool) -> bool:
    return line.startswith("|") or _is_ruler(line) or (not is_piped and "|" in line)


def _is_ruler(line: str) -> bool:
    if len(line) >= _LONGEST:
        return False
    return bool(_BOX.fullmatch(line)) or ("-" in line and "|" in line and bool(_RULER.fullmatch(line)))


def _cells(line: str) -> list[str]:
    inner = line.removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [_value(cell.replace("\\|", "|")) for cell in _CELL_END.split(inner)]


def _value(cell: str) -> str:
    cell = cell.strip()
    cell = cell[1:-1] if len(cell) > 2 and cell[0] == cell[-1] == "`" else cell
    return "NULL" if cell.lower() in _NULLS else cell


def _checked(rows: Rows, where: str) -> list[tuple[int, tuple[str, ...]]]:
    count = len(rows[0][1])
    for index, (number, cells) in enumerate(rows):
        if index > MAX_ROWS:
            raise error_at(where, number, say("is one too many: the limit is {limit}", limit=MAX_ROWS))
        if len(cells) != count:
            raise error_at(where, number, say("has {count} columns, and the header {of}", count=len(cells), of=count))
    return [(number, tuple(cells)) for number, cells in rows[1:]]


# ---------------------------------------------------------------- lists


def _listed(text: str, where: str) -> Grid | None:
    """The rows of a list `column : value`, with a blank line between two rows."""
    lines = _lines(text[:_LONGEST])
    first = next((line for line in lines if line.strip()), "")
    if not _ITEM.fullmatch(first.strip()):
        return None
    blocks = _blocks(_lines(text), where)
    if not blocks:
        return None
    columns = tuple(blocks[0][1])
    view = view_of(columns, where, blocks[0][0])
    if view is None:
        return None
    for number, block in blocks:
        if tuple(block) != columns:
            raise error_at(where, number, say("begins a row with other columns than the first one has"))
    return Grid(view, columns, tuple((number, tuple(block.values())) for number, block in blocks[:MAX_ROWS]))


def _blocks(lines: list[str], where: str) -> list[tuple[int, dict[str, str]]]:
    """Each row with the number of its first line; empty for a text that is no list."""
    found: list[tuple[int, dict[str, str]]] = []
    is_open = False
    for number, line in enumerate(lines, 1):
        item = _ITEM.fullmatch(line.strip()) if line.strip() else None
        if item is None and line.strip():
            if found and line[0] in " \t":
                raise error_at(where, number, say("was broken by the width of the window: use `Export-Csv` instead"))
            return []
        if item is None:
            is_open = False
            continue
        if not is_open:
            found.append((number, {}))
        is_open = True
        if item[1].lower() in found[-1][1]:
            raise error_at(where, number, say('has the column "{column}" twice', column=item[1]))
        found[-1][1][item[1].lower()] = _value(item[2] or "")
    return found
