"""Decodes a script from bytes in any encoding that editors use."""

from __future__ import annotations

import codecs

from routing.common.errors import InputError
from routing.common.sentence import say

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""UTF-32 first, because its byte order mark begins like that of UTF-16."""
_SAMPLE = 4096
"""Bytes examined if there is no byte order mark."""
_CP1252 = {code: bytes([code]).decode("cp1252", "ignore") or chr(code) for code in range(0x80, 0xA0)}
"""Characters of cp1252 for the control codes of latin-1; five codes stay unchanged."""


def decode_script(data: bytes, *, where: str = "script") -> str:
    """The text, with LF for line ends of a lone CR.

    A byte order mark decides; else NULs in every second byte mean UTF-16, valid UTF-8 is UTF-8, and the rest is cp1252.
    Raises `InputError` for bytes that are invalid in that encoding.
    """
    encoding, skip = _encoding(data)
    try:
        text = data[skip:].decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8" or skip:
            problem = say(
                "is not {encoding} text: {reason} at byte {byte}",
                encoding=encoding,
                reason=error.reason,
                byte=error.start + skip,
            )
            raise InputError(where, "", problem) from None
        text = data.decode("latin-1").translate(_CP1252)
    # Old editors end lines with CR alone. Beside LF, a lone CR is only a blank.
    return text.replace("\r", "\n") if "\n" not in text else text


def has_mark_or_utf16(data: bytes) -> bool:
    """True if a byte order mark, or the NULs of UTF-16, tell the encoding."""
    encoding, skip = _encoding(data)
    return skip > 0 or encoding != "utf-8"


def _encoding(data: bytes) -> tuple[str, int]:
    """The encoding, and the length of its byte order mark."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    sample = data[:_SAMPLE]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd > len(sample) // 8 and even * 8 < odd:
        return "utf-16-le", 0
    if even > len(sample) // 8 and odd * 8 < even:
        return "utf-16-be", 0
    return "utf-8", 0
