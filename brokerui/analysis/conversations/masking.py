"""Parts of a body that look like secrets, so that a page covers them. Pure.

It is a courtesy, no protection: a rule can miss a secret, and cover ordinary text. Users who must not see secrets must
not get the right to read bodies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from brokerui.analysis.conversations.body_text import Encoding


class Secret(StrEnum):
    """The rules, by the names that the setting `BODY_MASKS` has for them."""

    CARD = "cards"
    """13 to 19 digits whose check digit is right."""
    EMAIL = "emails"
    CREDENTIAL = "tokens"
    """Values of names such as `password`, web tokens, and long random words."""
    OWN = "own"
    """Matches of the setting `BODY_MASK_PATTERN`."""


@dataclass(frozen=True, slots=True)
class SecretSpan:
    """A part that looks like a secret, from a position to the one behind it."""

    start: int
    end: int
    secret: Secret


_CARD: Final = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?!\d)", re.ASCII)
_EMAIL: Final = re.compile(
    r"""[^\s@<>"'=;:,()\[\]{}&|\\/]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}""", re.ASCII
)
_NAMES: Final = r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|authorization)"
_TOKENS: Final = (
    re.compile(
        rf"""{_NAMES}["']?\s{{0,9}}[:=]\s{{0,9}}(?:"([^"]{{1,4096}})"|'([^']{{1,4096}})'|([^\s"'<>&,;]{{1,4096}}))""",
        re.ASCII | re.IGNORECASE,
    ),
    re.compile(rf"""<(?:\w{{1,99}}:)?{_NAMES}(?:\s[^<>]{{0,200}})?>([^<]{{1,4096}})<""", re.ASCII | re.IGNORECASE),
    re.compile(r"\bbearer\s{1,9}([\w.~+/=-]{8,4096})", re.ASCII | re.IGNORECASE),
    re.compile(r"\b(eyJ[\w-]{8,4096}\.[\w-]{4,4096}\.[\w-]{0,4096})", re.ASCII),
)
_LONG: Final = re.compile(r"(?<![\w+/=-])[\w+/-]{32,512}={0,2}(?![\w+/=-])", re.ASCII)
_GUID: Final = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


def secret_spans(text: str, rules: Sequence[Secret], own: str = "") -> tuple[SecretSpan, ...]:
    """Return the parts that look like secrets, in their order, none within another. `own` is a pattern for `OWN`."""
    found = [span for rule in rules for span in _FINDERS[rule](text)]
    if own:
        found += [SecretSpan(*match.span(), Secret.OWN) for match in re.finditer(own, text) if match[0]]
    return tuple(_apart(sorted(found, key=lambda span: (span.start, -span.end))))


def _apart(spans: Sequence[SecretSpan]) -> Iterator[SecretSpan]:
    end = 0
    for span in spans:
        if span.end > end:
            yield SecretSpan(max(span.start, end), span.end, span.secret)
            end = span.end


def _cards(text: str) -> Iterator[SecretSpan]:
    for match in _CARD.finditer(text):
        if _has_right_check_digit([int(digit) for digit in match[0] if digit.isdigit()]):
            yield SecretSpan(*match.span(), Secret.CARD)


def _has_right_check_digit(digits: Sequence[int]) -> bool:
    """By the formula of Luhn."""
    doubled = sum(sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return (sum(digits[-1::-2]) + doubled) % 10 == 0


def _emails(text: str) -> Iterator[SecretSpan]:
    return (SecretSpan(*match.span(), Secret.EMAIL) for match in _EMAIL.finditer(text))


def _tokens(text: str) -> Iterator[SecretSpan]:
    for pattern in _TOKENS:
        for match in pattern.finditer(text):
            yield SecretSpan(*match.span(match.lastindex or 0), Secret.CREDENTIAL)
    for match in _LONG.finditer(text):
        word = match[0]
        if not word.isalpha() and not word.isdecimal() and "/" not in word[:2] and not _GUID.fullmatch(word):
            yield SecretSpan(*match.span(), Secret.CREDENTIAL)


_FINDERS: Final[dict[Secret, Callable[[str], Iterator[SecretSpan]]]] = {
    Secret.CARD: _cards,
    Secret.EMAIL: _emails,
    Secret.CREDENTIAL: _tokens,
    Secret.OWN: lambda _text: iter(()),
}


@dataclass(frozen=True, slots=True)
class BodyPiece:
    """A part of a text, which is covered where it is a secret: then the text is not here."""

    text: str
    secret: Secret | None = None


def pieces(text: str, spans: Sequence[SecretSpan]) -> tuple[BodyPiece, ...]:
    """Return the text with its secrets taken out."""
    found, at = [], 0
    for span in spans:
        found += [BodyPiece(text[at : span.start])] if span.start > at else []
        found.append(BodyPiece("", span.secret))
        at = span.end
    return (*found, BodyPiece(text[at:])) if at < len(text) else tuple(found)


def characters_of(body: bytes, encoding: Encoding | None) -> str:
    """Return bytes as a text with one character for each unit of the encoding, so that spans in it are spans of bytes:
    a character beyond ASCII keeps its place."""
    if encoding is None or encoding is Encoding.UTF_8:
        return body.decode("latin-1")
    low = 0 if encoding is Encoding.UTF_16_LE else 1
    units = zip(body[low::2], body[1 - low :: 2], strict=False)
    return "".join(chr(one) if high == 0 else "\uffff" for one, high in units)
