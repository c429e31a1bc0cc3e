"""The body of a message as text: in which encoding it is, and the same with line breaks for reading. Pure.

Nothing says how the bytes of a body are encoded. An application of SQL Server mostly sends XML or NVARCHAR, which are
UTF-16 there, without a mark of it.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from routing.dialog.validation import is_well_formed

ASCII_SHARE: Final = 0.1
"""Bytes are UTF-16 without a mark only if this part of their characters is ASCII: random bytes are not."""
_NO_TEXT: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
INDENT: Final = "  "


class Encoding(StrEnum):
    """The encodings that are recognized."""

    UTF_8 = "UTF-8"
    UTF_16_LE = "UTF-16LE"
    UTF_16_BE = "UTF-16BE"

    @property
    def unit_bytes(self) -> int:
        return 1 if self is Encoding.UTF_8 else 2


MARKS: Final = {
    codecs.BOM_UTF8: Encoding.UTF_8,
    codecs.BOM_UTF16_LE: Encoding.UTF_16_LE,
    codecs.BOM_UTF16_BE: Encoding.UTF_16_BE,
}


@dataclass(frozen=True, slots=True)
class BodyText:
    """Bytes that are text; a byte order mark is not part of it."""

    text: str
    encoding: Encoding


def text_of(body: bytes, *, is_whole: bool = True) -> BodyText | None:
    """Return the text that these bytes are, of a body that may go on behind them; None: they are none."""
    for mark, encoding in MARKS.items():
        if body.startswith(mark):
            return _decoded(body[len(mark) :], encoding, is_whole)
    found = _decoded(body, Encoding.UTF_8, is_whole)
    if found is not None:
        return found
    wide = _decoded(body, Encoding.UTF_16_LE, is_whole)
    return wide if wide is not None and _is_partly_ascii(wide.text) else None


def _decoded(body: bytes, encoding: Encoding, is_whole: bool) -> BodyText | None:
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(body, is_whole)
    except UnicodeDecodeError:
        return None
    return None if _NO_TEXT.search(text) else BodyText(text, encoding)


def _is_partly_ascii(text: str) -> bool:
    return sum(letter.isascii() for letter in text) >= ASCII_SHARE * len(text)


# -- For reading -------------------------------------------------------------------------------------------


def pretty(text: str) -> str | None:
    """Return XML or JSON with a line for each element or member, every other character as it was; None: it is neither,
    or has only one line this way too."""
    if text.lstrip().startswith("<"):
        found = "\n".join(_xml_lines(text)) if _is_xml(text) else None
    else:
        found = "".join(_json_pieces(text)) if _is_json(text) else None
    return found if found is not None and found.strip() != text.strip() else None


_DECLARATION: Final = re.compile(r"\s*<\?xml[^>]*\?>")
_MARKUP: Final = re.compile(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", re.DOTALL)


def _is_xml(text: str) -> bool:
    """Whether it is XML without a document type: the declaration may name the encoding in which it came."""
    return "<!DOCTYPE" not in text and is_well_formed(_DECLARATION.sub("", text, count=1).encode())


def _xml_lines(text: str) -> Iterator[str]:
    """An element that has a text stays in one line with it."""
    depth, line, at = 0, "", 0
    for tag in _MARKUP.finditer(text):
        between, markup = text[at : tag.start()], tag[0]
        at = tag.end()
        is_end = markup.startswith("</")
        if between.strip() or (is_end and _opens(line)):
            line += between + markup
        else:
            yield from [line] if line else []
            line = INDENT * (depth - is_end) + markup
        depth += _opens(markup) - is_end
    yield line + text[at:].rstrip()


def _opens(markup: str) -> bool:
    """Whether it ends with a start tag, the last one of its line."""
    last = markup[markup.rfind("<") :]
    return not last.startswith(("</", "<!", "<?")) and not last.endswith("/>")


_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_BEGINS: Final = ("{", "[")
_ENDS: Final = ("}", "]")


def _is_json(text: str) -> bool:
    """Whether it is an object or an array."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _json_pieces(text: str) -> Iterator[str]:
    depth, before = 0, ""
    for word in _TOKEN.findall(text):
        depth -= word in _ENDS
        is_empty = word in _ENDS and before in _BEGINS
        if not is_empty and (word in _ENDS or before in (*_BEGINS, ",")):
            yield "\n" + INDENT * depth
        yield ": " if word == ":" else word
        depth += word in _BEGINS
        before = word
