"""Text that can be decoded in one encoding and may have been written in another."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_FOREIGN_WORD = re.compile(r"[^\x00-\x7f]+")
_COMMON_MARKS = range(0x0300, 0x0346)
"""Accents of decomposed letters."""
_STRESS = frozenset("\u0300\u0301")
_ARCHAIC = frozenset(map(chr, (*range(0x0370, 0x0378), *range(0x03D8, 0x0400))))
"""Greek letters that no name of today has."""
_SIGNS = frozenset(b"\x80\x85\x91\x92\x93\x94\x96\x97\x99\xa0\xa7\xa9\xae\xb0\xb2\xb3\xb4\xb5\xb7")
"""Bytes of Western signs that stand beside words: of money, quotes, dashes, degrees."""
_GLUED = frozenset(b"\xa7\xa9\xae\xb2\xb3\xb4\xb5\xb7")
"""Signs that stand beside a word; within one, they may be letters of half width."""
_OTHERS = ("cp1250", "cp1254", "cp1257")
"""Code pages of Latin letters beside the Western one."""
_WESTERN_WORD = re.compile(rb"[A-Za-z0-9_\x80-\xff]*[\x80-\xff][A-Za-z0-9_\x80-\xff]*")
_HAS_ASCII_LETTER = re.compile(rb"[A-Za-z]")
_SHOWN = 5


def is_doubtful_utf8(text: str) -> bool:
    """True for a text without a byte order mark that is valid UTF-8 by chance: words of it are in no one script."""
    return any(_is_doubtful(text, match) or _is_sign_alone(text, match) for match in _FOREIGN_WORD.finditer(text))


def _is_sign_alone(text: str, match: re.Match[str]) -> bool:
    """True for a name of one Western sign, such as `[¡]`: no person gives it, and it is a character in East Asia."""
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    is_sign = len(match[0]) == 1 and match[0] < "\u00c0" and match[0] not in "€§ªº"
    return is_sign and before + after in ("[]", "''")


def _is_doubtful(text: str, match: re.Match[str]) -> bool:
    word = match[0]
    if len({_script(char) for char in word} - {""}) > 1:
        return True
    before = text[match.start() - 1 : match.start()]
    return any(_is_odd(word[:index][-1:] or before, char) for index, char in enumerate(word))


def _is_odd(before: str, char: str) -> bool:
    """True for a control code, a character that is none, and an accent on nothing that has one."""
    category = unicodedata.category(char)
    if category in ("Cc", "Cn", "Co") or char in _ARCHAIC:
        return True
    if char in _STRESS and before.isalpha():
        return False
    if category != "Mn" or ord(char) > 0x052F:
        return False
    is_on_letter = before.isalpha() and len(unicodedata.normalize("NFC", before + char)) == 1
    return not (ord(char) in _COMMON_MARKS and is_on_letter)


@lru_cache(maxsize=4096)
def _script(char: str) -> str:
    """The script of a letter below U+0800; empty for every other character, which UTF-8 has by chance too rarely."""
    if not char.isalpha() or ord(char) >= 0x0800:
        return ""
    return unicodedata.name(char, "?").partition(" ")[0]


def doubtful_words(data: bytes) -> tuple[str, ...]:
    """The words of a Western text that read otherwise in the code page of another country with Latin letters."""
    found: dict[str, None] = {}
    for match in _WESTERN_WORD.finditer(data):
        is_whole = not _HAS_ASCII_LETTER.search(match[0])
        if any(_differs(byte) or (byte >= 0xC0 if is_whole else byte in _GLUED) for byte in match[0]):
            found.setdefault(match[0].decode("cp1252", "replace"))
            if len(found) == _SHOWN:
                break
    return tuple(found)


@lru_cache(maxsize=256)
def _differs(byte: int) -> bool:
    one = bytes((byte,))
    western = one.decode("cp1252", "replace")
    if 0x80 <= byte < 0xC0:
        return byte not in _SIGNS
    return western.isalpha() and any(one.decode(name, "replace") not in (western, "\ufffd") for name in _OTHERS)
