"""Showing bodies: each is an entry of the audit, in the transaction that reads the body."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from django.db import transaction

from brokerui.analysis.conversations.bodies import BodyPart, MessageKey, body_part
from brokerui.analysis.conversations.body_views import BodyView, body_view
from brokerui.estate.audit import audit

REASON_CHARACTERS: Final = 200


class BodyAct(StrEnum):
    """Recorded acts, as actions of the audit."""

    SHOW = "body.show"
    """With what looks like secrets covered."""
    UNMASK = "body.unmask"
    DOWNLOAD = "body.download"
    """All of its bytes."""


@transaction.atomic
def body_show(*, key: MessageKey, act: BodyAct, reason: str, author: str, hex_start: int = 0) -> BodyView:
    """Record the act, and return the body: covered unless it is unmasked. Raises what `body_part` raises; then nothing
    is recorded, for nothing was shown."""
    view = body_view(key, hex_start, is_masked=act is BodyAct.SHOW)
    _record(key, view.part, act, reason, author)
    return view


@transaction.atomic
def body_download(*, key: MessageKey, reason: str, author: str) -> BodyPart:
    """Record the act, and return all bytes. Raises what `body_part` raises."""
    part = body_part(key)
    _record(key, part, BodyAct.DOWNLOAD, reason, author)
    return part


def _record(key: MessageKey, part: BodyPart, act: BodyAct, reason: str, author: str) -> None:
    note = f"{part.place} {key.handle} {key.kept} {key.number}: {reason}"
    audit(author=author, action=act, note=note)
