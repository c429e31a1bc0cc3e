"""Finds a document that was saved as a whole, without rows, among headers and trailers.

Lines are joined only if all were broken at the same width: only then nothing can have been lost at their ends.
"""

from __future__ import annotations

import re

_START = re.compile(r'\{\s*"format"\s*:\s*"brokerui\.catalog/')
_DOUBLED_START = re.compile(r'\{\s*""format""\s*:\s*""brokerui\.catalog/')
_LINE_END = re.compile(r"\r\n|\r|\n")


def plain_document(text: str) -> str | None:
    """The JSON text of the document; None if none begins. Its reader checks whether it is complete."""
    for pattern, quote in ((_START, '"'), (_DOUBLED_START, '""')):
        start = pattern.search(text)
        if start is not None:
            last = text.rfind("}", start.end())
            return _unwrapped(text, start.start(), last + 1 if last >= 0 else len(text)).replace(quote, '"')
    return None


def _unwrapped(text: str, begin: int, end: int) -> str:
    """The text from `begin` to `end`; joins the lines if all but the last are equally long."""
    column = begin - max(text.rfind("\n", 0, begin), text.rfind("\r", 0, begin)) - 1
    lines = _LINE_END.split(text[begin:end])
    lengths = {len(line) for line in lines[1:-1]} | {len(lines[0]) + column}
    return "".join(lines) if len(lines) > 2 and len(lengths) == 1 else text[begin:end]
