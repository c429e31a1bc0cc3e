"""Parses grids of one view as users copy them: tab separated, CSV, or columns under a line of dashes.

The header identifies a grid. NULL is the text NULL, or an empty cell.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

from routing.catalog.document import MAX_ROWS
from routing.catalog.grid_sums import COUNT_COLUMNS, SUMMED
from routing.common.errors import InputError
from routing.common.sentence import Sentence, say

DELIMITERS = ("\t", ",", ";", "|")
_HEADS = (
    ("conversation_endpoints", {"conversation_handle", "state"}),
    ("conversation_endpoints", {"conversation_handle", "state_desc"}),
    ("conversation_endpoints", {"far_service", "state"}),
    ("conversation_endpoints", {"far_service", "state_desc"}),
    ("transmission_queue", {"to_service_name", "transmission_status"}),
    *(("transmission_queue", {"transmission_status", column}) for column in COUNT_COLUMNS),
    *(("conversation_endpoints", {"state_desc", column}) for column in COUNT_COLUMNS),
    ("routes", {"name", "remote_service_name", "address"}),
    ("service_queues", {"name", "is_receive_enabled"}),
    ("databases", {"name", "service_broker_guid"}),
    ("databases", {"name", "is_broker_enabled"}),
    ("services", {"name", "service_queue_id"}),
    ("services", {"name", "service_id"}),
)
"""By view: the columns that its header must contain."""
_SEARCHED = 50
"""Number of lines in which a header is searched: messages may precede it."""
_LONGEST = 1 << 16
"""Limit of characters of a header, or of the dashes below it."""
_DASHES = re.compile(r"-+(?:[ \t,;|]+-+)*[ \t]*")
TRAILER = re.compile(r"\(.*\)|.*\d{4}-\d\d-\d\dT\d\d:\d\d.*")
"""`(3 rows affected)` in any language, and the completion time."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a view, by column of the header in lower case."""

    view: str
    columns: tuple[str, ...]
    rows: Iterable[tuple[int, tuple[str, ...]]]
    """Each with its line number in the file, from 1; read once, and while they are asked for."""


def read_grid(text: str, *, where: str) -> Grid | None:
    """Parse the grid in a text; None if there is no header of a known view. Raises `InputError` with the line."""
    lines = io.StringIO(text, newline="")
    line = lines.readline()
    for number in range(1, _SEARCHED + 1):
        below = lines.readline()
        ruler = below.strip("\r\n") if len(below) < _LONGEST else ""
        for delimiter in (*DELIMITERS, "") if len(line) < _LONGEST else ():
            columns = _columns(line, delimiter, ruler)
            view = view_of(columns, where, number)
            if view is not None:
                cells = _Cells(where, columns, delimiter, ruler, quoted='"' in line)
                cells.may_end_blank = view in SUMMED
                return Grid(view, columns, cells.rows(below, lines, number + 1))
        line = below
    return None


def _columns(line: str, delimiter: str, ruler: str) -> tuple[str, ...]:
    if not delimiter:
        return tuple(cell.lower() for cell in _under(ruler, line.rstrip())) if _DASHES.fullmatch(ruler) else ()
    cells = line.strip().split(delimiter)
    return tuple(cell.strip().strip('"').lower() for cell in cells)


def view_of(columns: tuple[str, ...], where: str, line: int) -> str | None:
    """The view with these columns; None for a line that is no header. Raises `InputError` for a double column."""
    view = next((view for view, head in _HEADS if head <= set(columns)), None)
    double = next((column for index, column in enumerate(columns) if column and column in columns[:index]), None)
    if view is not None and double is not None:
        raise error_at(where, line, say('has the column "{column}" twice', column=double))
    return view


def _under(ruler: str, line: str) -> list[str]:
    """The cells of a line, cut at the widths of the dashes."""
    return [line[match.start() : match.end()].strip() for match in re.finditer("-+", ruler)]


def error_at(where: str, line: int, problem: Sentence) -> InputError:
    """The error about a line of a file."""
    return InputError(where, f"line {line}", problem)


class _Cells:
    """The rows below a header."""

    def __init__(self, where: str, columns: tuple[str, ...], delimiter: str, ruler: str, *, quoted: bool) -> None:
        self._where = where
        self._columns = columns
        self._delimiter = delimiter
        self._ruler = ruler if _DASHES.fullmatch(ruler) else ""
        self._plain = delimiter == "\t" and not quoted
        """True if quotes have no special meaning in this format."""
        self.may_end_blank = False
        """True if the last cell of a row may be blank, and lost with the blanks at the end of a line."""

    def rows(self, line: str, more: Iterator[str], first: int) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The cells of each row with its line number; `line` is the first below the header."""
        lines = more if self._ruler else chain([line], more)
        first += bool(self._ruler)
        split = self._delimited if self._delimiter else self._in_columns
        for count, (number, cells) in enumerate(split(lines, first)):
            if count >= MAX_ROWS:
                raise error_at(self._where, number, say("is one too many: the limit is {limit}", limit=MAX_ROWS))
            if self.may_end_blank and self._plain and 1 < len(cells) == len(self._columns) - 1:
                cells.append("")
            if len(cells) == len(self._columns):
                # Tools that draw a ruler pad the cells.
                yield number, tuple(cell.strip() for cell in cells) if self._ruler else tuple(cells)
            elif not _is_trailer(cells, self._delimiter):
                problem = say("has {count} columns, and the header {of}", count=len(cells), of=len(self._columns))
                raise error_at(self._where, number, problem)

    def _delimited(self, lines: Iterator[str], first: int) -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(
            lines,
            delimiter=self._delimiter,
            quoting=csv.QUOTE_NONE if self._plain else csv.QUOTE_MINIMAL,
            strict=True,
        )
        number = first
        try:
            for cells in reader:
                yield number, cells
                number = first + reader.line_num
        except csv.Error as error:
            raise error_at(self._where, number, say("cannot be read: {reason}", reason=str(error))) from None

    def _in_columns(self, lines: Iterator[str], first: int) -> Iterator[tuple[int, list[str]]]:
        spans = [match.span() for match in re.finditer("-+", self._ruler)]
        for number, line in enumerate(lines, first):
            text = line.rstrip()
            if not text or TRAILER.fullmatch(text):
                continue
            between = "".join(text[end:start] for (_, end), (start, _) in pairwise(spans))
            length = max(len(text), len(line.rstrip("\r\n"))) if self.may_end_blank else len(text)
            if (
                length < spans[-1][0]
                or (length == spans[-1][0] and not self.may_end_blank)
                or text[spans[-1][1] :].strip()
                or between.strip()
            ):
                raise error_at(self._where, number, say("is not aligned with the line of dashes; was it wrapped?"))
            cells = _under(self._ruler, text)
            if any(cell.endswith(("...", "\u2026")) for cell in cells):
                raise error_at(self._where, number, say("was shortened by the tool that printed it: use `Export-Csv`"))
            yield number, cells


def _is_trailer(cells: list[str], delimiter: str) -> bool:
    text = delimiter.join(cells).strip(" \t,;|")
    return not text or TRAILER.fullmatch(text) is not None
