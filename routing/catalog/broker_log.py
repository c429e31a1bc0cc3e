"""Reads errors of Service Broker out of an error log or an event session, and counts them. No text is kept but theirs.

An error log is a file of the server, or the rows of xp_readerrorlog; an event session is a grid of its events, or their
XML. Moments stay as written: an error log has the server's own clock.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from html import unescape
from typing import Final

from routing.catalog.grid_parser import TRAILER
from routing.common.errors import InputError
from routing.common.sentence import say

MAX_EVENTS: Final = 1_000
"""Kinds of events that are kept of one text."""
MAX_TEXT_CHARS: Final = 1_000
MAX_HEAD_CHARS: Final = 10_000
"""Of a line of headings, or of the tag of an event."""
BROKER_NUMBERS: Final = (
    range(8401, 8500),
    range(9600, 9800),
    range(11200, 11300),
    range(28000, 28100),
)
"""Numbers of sys.messages that Service Broker gives."""
ERROR_LOG, EVENT_SESSION = "error log", "event session"
_MOMENT = r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,7})?Z?"
_LINE = re.compile(rf"({_MOMENT})[ \t]+(\S{{1,40}})[ \t]+(.*)")
"""A line of an error log, or a row of xp_readerrorlog: moment, process, text."""
_NUMBER = re.compile(r"\s*[^\W\d]+ ?: ?(\d{3,5}), ?[^\W\d]+ ?: ?\d{1,2}, ?[^\W\d]+ ?: ?\d{1,3}\.?\s*")
"""`Error: 28054, Severity: 11, State: 1.`, in the words of any language; the text is in the next line."""
_ATTRIBUTE = re.compile(r"""\b(name|timestamp)\s*=\s*["']([^"']{0,200})["']""")
_NUMBERS = ("error_number", "error", "error_code")
_TEXTS = ("message", "text_data", "error_message", "transmission_status", "text")
_BROKER = "broker_"
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class BrokerEvent:
    """The same error with the same text, as often as a log has it."""

    source: str
    """`error log` or `event session`."""
    number: int
    """In sys.messages; 0: the event has none."""
    name: str
    """Of the event; empty in an error log."""
    text: str
    times: int = 1
    first: str = ""
    """As the log writes it; empty: it does not say."""
    last: str = ""


def read_broker_log(text: str, *, where: str) -> tuple[BrokerEvent, ...] | None:
    """The errors of Service Broker in a text, the most frequent first; None if the text is no log. Raises `InputError`
    for an event that breaks off."""
    text = text.lstrip("\ufeff")
    if "<event " in text:
        return _summed(_events(text, where))
    if _is_grid(text):
        return _summed(_grid(text, where))
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not any(_LINE.match(_unquoted(line)) for line in lines[:200]):
        return None
    return _summed(_errors(lines))


def is_of_broker(number: int) -> bool:
    """Whether Service Broker gives this number."""
    return any(number in numbers for numbers in BROKER_NUMBERS)


def _summed(events: Iterable[BrokerEvent]) -> tuple[BrokerEvent, ...]:
    found: dict[tuple[int, str, str], BrokerEvent] = {}
    for one in events:
        key = one.number, one.name, one.text
        known = found.get(key)
        if known is not None:
            moments = [moment for moment in (known.first, known.last, one.first) if moment]
            first, last = (min(moments), max(moments)) if moments else ("", "")
            found[key] = replace(known, times=known.times + 1, first=first, last=last)
        elif len(found) < MAX_EVENTS:
            found[key] = one
    return tuple(sorted(found.values(), key=lambda one: (-one.times, one.number, one.text)))


# ---------------------------------------------------------------- error logs


def _errors(lines: Iterable[str]) -> Iterator[BrokerEvent]:
    """The errors: a line with the number, and the line below it of the same process with the text."""
    open_numbers: dict[str, tuple[int, str]] = {}
    for line in lines:
        found = _LINE.match(_unquoted(line))
        if found is None:
            continue
        moment, process, words = found[1], found[2], found[3].strip().strip('"')
        numbered = _NUMBER.fullmatch(words)
        if numbered is not None:
            open_numbers[process] = int(numbered[1]), moment
        elif process in open_numbers:
            number, at = open_numbers.pop(process)
            if is_of_broker(number):
                yield BrokerEvent(ERROR_LOG, number, "", _kept(words), 1, at, at)


def _unquoted(line: str) -> str:
    """The line with blanks between its cells, where a tool quoted them or wrote commas."""
    return line.lstrip('\ufeff"')[: 4 * MAX_TEXT_CHARS].replace('","', "\t").replace('"\t"', "\t")


def _kept(text: str) -> str:
    return _SPACE.sub(" ", text.replace("\0", " ")).strip()[:MAX_TEXT_CHARS]


# ---------------------------------------------------------------- event sessions


def _events(text: str, where: str) -> Iterator[BrokerEvent]:
    """The events of a session that are of Service Broker, or have one of its numbers."""
    text = text.replace('""', '"')  # as a tool writes it that quotes the cell
    for start, attributes, body in _elements(text, "event"):
        if body is None:
            line = text.count("\n", 0, start) + 1
            raise InputError(where, f"line {line}", say("begins an event that does not end"))
        values = {named.get("name", ""): _value(data or "") for _, named, data in _elements(body, "data")}
        one = _event(attributes.get("name", ""), attributes.get("timestamp", ""), values)
        if one is not None:
            yield one


def _elements(text: str, tag: str) -> Iterator[tuple[int, dict[str, str], str | None]]:
    """The elements of this name: their place, name and timestamp, and content; None for one that does not end. One
    pass, whatever stands in the text."""
    opening, closing, at = f"<{tag} ", f"</{tag}>", 0
    while (start := text.find(opening, at)) >= 0:
        head, end = text.find(">", start), text.find(closing, start)
        attributes = dict(_ATTRIBUTE.findall(text[start : min(head, start + MAX_HEAD_CHARS)]))
        if end < 0 or head < 0:
            yield start, attributes, None
            return
        yield start, attributes, text[head + 1 : end]
        at = end


def _value(data: str) -> str:
    start, end = data.find("<value>"), data.find("</value>")
    return unescape(data[start + len("<value>") : end]).strip() if 0 <= start < end else ""


def _event(name: str, moment: str, values: dict[str, str]) -> BrokerEvent | None:
    """The event, where it is of Service Broker; `values` by field in lower case."""
    digits = next((values[field] for field in _NUMBERS if values.get(field, "").isdecimal()), "0")[:10]
    number = int(digits) if digits.isascii() else 0
    if not (name.startswith(_BROKER) or is_of_broker(number)):
        return None
    words = next((values[field] for field in _TEXTS if values.get(field)), "")
    return BrokerEvent(EVENT_SESSION, number, _kept(name), _kept(words), 1, moment[:40], moment[:40])


# ---------------------------------------------------------------- grids of events


def _grid(text: str, where: str) -> Iterator[BrokerEvent]:
    """The events of a grid with the columns `name` and `timestamp`."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    try:
        columns = [column.strip().lower() for column in next(reader)]
        for cells in reader:
            if len(cells) != len(columns):
                if not cells or TRAILER.fullmatch("".join(cells).strip()):
                    continue
                problem = say("has {count} columns, and the header {of}", count=len(cells), of=len(columns))
                raise InputError(where, f"line {reader.line_num}", problem)
            values = dict(zip(columns, map(str.strip, cells), strict=True))
            one = _event(values["name"], values["timestamp"], values)
            if one is not None:
                yield one
    except csv.Error as error:
        problem = say("cannot be read: {reason}", reason=str(error))
        raise InputError(where, f"line {reader.line_num}", problem) from None


def _delimiter(text: str) -> str:
    return "\t" if "\t" in text.partition("\n")[0] else ","


def _is_grid(text: str) -> bool:
    head = text.partition("\n")[0][:MAX_HEAD_CHARS]
    return {"name", "timestamp"} <= {cell.strip().strip('"').lower() for cell in head.split(_delimiter(text))}
