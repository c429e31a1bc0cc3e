"""Code pages of scripts: a file in one that cannot be detected for certain is refused; the error names those to choose
from."""

from __future__ import annotations

import codecs
import re

from routing.common.errors import InputError, Invalid
from routing.common.finding import Finding
from routing.common.sentence import Sentence, listed, say
from routing.tsql.doubtful_text import doubtful_words, is_doubtful_utf8
from routing.tsql.not_script import checked_script
from routing.tsql.refusal import CODE_PAGE, SEVERITY
from routing.tsql.text import decode_script, has_mark_or_utf16

KNOWN = (
    *(f"cp{number}" for number in (437, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 865, 866, 869, 874)),
    *(f"cp{number}" for number in (932, 949, 950, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258)),
    *("gbk", "gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "koi8-r", "koi8-u", "mac-roman"),
    *("iso8859-1", "iso8859-2", "iso8859-5", "iso8859-7", "iso8859-9", "iso8859-15"),
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"),
)
"""Encodings that a user may name, as Python calls them."""
_LIKELY = ("cp1251", "cp932", "gb18030", "cp949", "cp950", "cp866", "cp1250", "cp1254", "cp1257", "cp850", "cp437")
_WHOLE_COMMENT = re.compile(rb"^[ \t]*(?:--[^\n]*|/\*.*?\*/)", re.MULTILINE | re.DOTALL)
_NOT_WESTERN = re.compile(
    rb"[\x81\x83\x8d\x8f\x90\x9d]"  # no character of cp1252, or one that no name has
    rb"|[\x80-\xff]{3}"  # words of other scripts
    rb"|(?![\x85\x91-\x97]{2})(?:[\x80-\xbf][\x80-\xff]|[\x80-\xff][\x80-\xbf])"
    rb"|(?<![A-Za-z])[\xc0-\xde]{2}(?![A-Za-z])"
    rb"|(?<=[A-Za-z])[\x80-\x89\x8b\x91\x93-\x99\x9b\xa1-\xa9\xab-\xb6\xb8\xb9\xbb-\xbf](?=[A-Za-z])"
    rb"|(?<=[A-Za-z])[\x82\x84]"
    rb"|[\x86-\x88\x98\xa4\xa6\xa8\xac\xad\xaf\xb6\xb8\xb9]"  # signs that Western scripts do not have
    rb"|[\x81-\xdf][@^`{|}~]|[\x81-\xbf]\\"  # both bytes of a character of East Asia
    rb"|[\x81-\xbf]\[|[\x81-\x9f\xa1\xa5\xab]_"
    rb"|(?<=[\['.])(?:[\xa1-\xa6\xa8-\xbf]|[\x85\x91-\x97]{2})(?=[\]'])"  # signs alone, which are letters in East Asia
    rb"|[\xd0\xdd\xde\xf0\xfe]"  # letters of Iceland, and far more often of Turkey
    rb"|(?<![A-Za-z\x80-\xff])[\x80-\x89\x8b\x8d\x8f-\x99\x9b\x9d\xa1-\xbf](?=[A-Za-z\xc0-\xff])"
)
_SHOWN = 5


def script_from(data: bytes, *, where: str, encoding: str | None = None) -> str:
    """Return the text of a script. Raises `InputError` for an unknown code page, and for a file of another kind."""
    return checked_script(text_from(data, where=where, encoding=encoding), where)


def text_from(data: bytes, *, where: str, encoding: str | None = None) -> str:
    """The text of a file in the encoding that was named, else in one that is detected for certain. Raises
    `InputError`."""
    if encoding:
        return _decoded_as(data, encoding, where)
    problem = problem_of(data)
    if problem is not None:
        raise InputError(where, "", problem)
    return decode_script(data, where=where)


def check_encoding(encoding: str) -> None:
    """Raise `Invalid` for an encoding that is not known."""
    try:
        name = codecs.lookup(encoding).name if encoding.isascii() else ""
    except (LookupError, ValueError):
        name = ""
    if name not in KNOWN:
        raise Invalid("", say("is not a known encoding; known are {known}", known=("cp1252", "cp1251", "gb18030")))


def problem_of(data: bytes) -> Sentence | None:
    """Why the encoding of a file cannot be detected for certain; None if it can."""
    if data.isascii() or has_mark_or_utf16(data):
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return _damaged(data, error.start) or _other_code_page(data)
    return _valid_by_chance(data) if is_doubtful_utf8(text) else None


def _valid_by_chance(data: bytes) -> Sentence | None:
    """The bytes are UTF-8, and their words are words in another code page only."""
    likely = [name for name in _LIKELY if _is_likely(_WHOLE_COMMENT.sub(b"", data), name)][:_SHOWN]
    if not likely:
        return None
    return say(
        "may be UTF-8, but its words are in no language then: name its encoding, {names} or utf-8, or save it with a"
        " byte order mark",
        names=listed(likely),
    )


def code_page_findings(data: bytes, *, where: str, encoding: str | None) -> tuple[Finding, ...]:
    """The remark that a file was read as Western, where letters of it are others in other code pages; else nothing."""
    if encoding or data.isascii() or has_mark_or_utf16(data):
        return ()
    try:
        data.decode()
    except UnicodeDecodeError:
        words = doubtful_words(_WHOLE_COMMENT.sub(b"", data))
        return (_read_as_western(words, where),) if words else ()
    return ()


def _read_as_western(words: tuple[str, ...], where: str) -> Finding:
    reason = say(
        "was read as Windows-1252 (Western): {words}. If these are not its words, name its encoding, such as cp1250 or"
        " cp1254.",
        words=words,
    )
    return Finding(CODE_PAGE, SEVERITY[CODE_PAGE], None, None, None, reason, file=where)


def _damaged(data: bytes, start: int) -> Sentence | None:
    """The text is UTF-8 but for a few bytes."""
    read = data.decode("utf-8", "replace")
    bad = read.count("\ufffd")
    good = sum(not char.isascii() for char in read) - bad
    if good < 2 * bad:
        return None
    line = data.count(b"\n", 0, start) + 1
    return say(
        "is UTF-8 but for {count} bytes, the first in line {line}: mend it, or name its encoding", count=bad, line=line
    )


def _other_code_page(data: bytes) -> Sentence | None:
    """Western text is read as cp1252; comments on lines of their own do not matter."""
    text = _WHOLE_COMMENT.sub(b"", data)
    found = _NOT_WESTERN.search(text)
    if found is None:
        return None
    likely = [name for name in _LIKELY if _is_likely(text, name)][:_SHOWN]
    if not likely:
        return say("is in a code page that cannot be told: name its encoding, or save it as UTF-8")
    return say(
        "is in a code page that cannot be told for sure: name its encoding, likely {names}, or save it as UTF-8",
        names=listed(likely),
    )


def _is_likely(text: bytes, encoding: str) -> bool:
    """True if every character is one that names and sentences have."""
    try:
        found = {char for char in text.decode(encoding) if not char.isascii()}
    except UnicodeDecodeError:
        return False
    return all(char.isalpha() for char in found)


def _decoded_as(data: bytes, encoding: str, where: str) -> str:
    try:
        check_encoding(encoding)
        text = data.decode(encoding).removeprefix("\ufeff")
    except Invalid as fault:
        raise InputError(where, "", say("{name} {problem}", name=encoding[:40], problem=fault.problem)) from None
    except UnicodeDecodeError as error:
        problem = say(
            "is not {encoding} text: {reason} at byte {byte}", encoding=encoding, reason=error.reason, byte=error.start
        )
        raise InputError(where, "", problem) from None
    return text.replace("\r", "\n") if "\n" not in text else text
