"""Whether an applied draft that waits for its confirmation has to be rolled back, and doing it."""

from __future__ import annotations

import logging
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import Sum

from brokerui.analysis.monitoring.waiting import waiting_counted
from brokerui.changes.applying import draft_keep_waiting, draft_roll_back
from brokerui.changes.errors import CollisionError, DraftClosedError, DraftStaleError
from brokerui.changes.models import DraftState, SavedDraft
from brokerui.estate.audit import SYSTEM
from brokerui.messaging.models import QueueCounter

logger = logging.getLogger(__name__)


class MessagesNow:
    """Messages that wait now, counted once and only where a draft has a limit."""

    @cached_property
    def delayed(self) -> int:
        """Delayed conversations of the hosted instances."""
        return sum(group.conversations for group in waiting_counted().delayed)

    @cached_property
    def depth(self) -> int:
        """Messages in the longest queue of the hosted instances."""
        totals = QueueCounter.objects.values("queue_number").annotate(total=Sum("messages")).order_by("-total")
        return max(0, totals.values_list("total", flat=True).first() or 0)


def confirmations_watch(now: datetime) -> None:
    """Roll back each applied draft whose time has run out or whose limits are crossed.

    A draft that somebody confirms or rolls back at the same time is left alone.
    """
    counted = MessagesNow()
    for draft in SavedDraft.objects.filter(state=DraftState.APPLIED, confirm_by__isnull=False).order_by("id"):
        reason = reason_to_roll_back(draft, now, counted)
        if reason:
            _roll_back(draft, reason)


def reason_to_roll_back(draft: SavedDraft, now: datetime, counted: MessagesNow) -> str:
    """Return why an applied draft has to be rolled back; the empty text where it may go on waiting."""
    if draft.confirm_by is not None and draft.confirm_by <= now:
        return f"not confirmed until {draft.confirm_by:%Y-%m-%d %H:%M:%S} UTC"
    if draft.delayed_limit is not None and counted.delayed > draft.delayed_limit:
        return f"delayed conversations: {counted.delayed}; the limit is {draft.delayed_limit}"
    if draft.depth_limit is not None and counted.depth > draft.depth_limit:
        return f"messages in one queue: {counted.depth}; the limit is {draft.depth_limit}"
    return ""


def _roll_back(draft: SavedDraft, reason: str) -> None:
    seen: dict[str, Any] = {"number": draft.id, "revision": draft.revision, "author": SYSTEM}
    try:
        draft_roll_back(**seen, comment=reason)
        logger.warning("draft %s was rolled back: %s", draft.id, reason)
    except CollisionError as error:
        draft_keep_waiting(**seen, comment=f"{reason}; but it cannot be rolled back: {error}")
        logger.error("draft %s cannot be rolled back: %s", draft.id, error)
    except (DraftStaleError, DraftClosedError):
        logger.info("draft %s was written at the same moment", draft.id)
