"""A body as users are shown it: as text and as hex, with what looks like secrets covered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.conf import settings

from brokerui.analysis.conversations.bodies import BodyPart, MessageKey, body_part
from brokerui.analysis.conversations.body_text import BodyText, Encoding, pretty, text_of
from brokerui.analysis.conversations.hex_lines import HexLine, hex_lines
from brokerui.analysis.conversations.masking import BodyPiece, Secret, SecretSpan, characters_of, pieces, secret_spans

TEXT_BYTES: Final = 65_536
"""As many bytes, from the first one, are shown as text."""
HEX_BYTES: Final = 4_096
"""Bytes of a page of hex."""
MARGIN_BYTES: Final = 1_024
"""Bytes before and behind a page of hex in which a secret may begin or end."""


@dataclass(frozen=True, slots=True)
class BodyView:
    """The first bytes of a body as text, and a page of it in hex."""

    part: BodyPart
    """The bytes that the text is made of."""
    encoding: Encoding | None
    """None: the body is no text."""
    text: tuple[BodyPiece, ...]
    pretty: tuple[BodyPiece, ...]
    """The same with a line for each element; empty where it is neither XML nor JSON, or not all here."""
    hex_start: int
    lines: tuple[HexLine, ...]
    covered: tuple[tuple[Secret, int], ...]
    """How many parts of the text (of the page of hex, where it is no text) look like what."""

    @property
    def exact_text(self) -> str | None:
        """The text for the clipboard; None: parts of it are covered, it is no text, or not all here."""
        is_exact = self.encoding is not None and self.part.is_last and not any(one.secret for one in self.text)
        return "".join(one.text for one in self.text) if is_exact else None

    @property
    def next_hex(self) -> int | None:
        following = self.hex_start + HEX_BYTES
        return following if following < self.part.all_bytes else None

    @property
    def previous_hex(self) -> int | None:
        return max(self.hex_start - HEX_BYTES, 0) if self.hex_start else None


def body_view(key: MessageKey, hex_start: int, *, is_masked: bool) -> BodyView:
    """Read a body and show it. Raises what `body_part` raises."""
    head = body_part(key, 0, TEXT_BYTES)
    hex_start = min(hex_start, max(head.all_bytes - 1, 0)) // HEX_BYTES * HEX_BYTES
    first = max(hex_start - MARGIN_BYTES, 0)
    around = body_part(key, first, HEX_BYTES + 2 * MARGIN_BYTES)
    found = text_of(head.data, is_whole=head.is_last)
    return _view(head, around, found, hex_start, is_masked)


def _view(head: BodyPart, around: BodyPart, found: BodyText | None, hex_start: int, is_masked: bool) -> BodyView:
    encoding = found.encoding if found else None
    text = found.text if found else ""
    in_text, in_hex = _spans(text, is_masked), _spans(characters_of(around.data, encoding), is_masked)
    formatted = pretty(text) if found and head.is_last else None
    counted = Counter(span.secret for span in (in_text if found else in_hex))
    return BodyView(
        part=head,
        encoding=encoding,
        text=pieces(text, in_text),
        pretty=pieces(formatted, _spans(formatted, is_masked)) if formatted else (),
        hex_start=hex_start,
        lines=_page_lines(around, hex_start, encoding, in_hex),
        covered=tuple(sorted(counted.items())),
    )


def _page_lines(
    around: BodyPart, hex_start: int, encoding: Encoding | None, spans: Sequence[SecretSpan]
) -> tuple[HexLine, ...]:
    """The lines of the page itself, without the bytes around it: both begin at a multiple of 16 bytes."""
    lines = hex_lines(around.data, around.start, encoding, spans)
    before = (hex_start - around.start) // 16
    return lines[before : before + HEX_BYTES // 16]


def _spans(text: str, is_masked: bool) -> tuple[SecretSpan, ...]:
    if not is_masked:
        return ()
    return secret_spans(text, [Secret(name) for name in settings.BODY_MASKS], settings.BODY_MASK_PATTERN)
