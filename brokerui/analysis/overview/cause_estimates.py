"""How long the messages of each cause need once nothing holds them, in seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brokerui.analysis.drains.counting import busiest_minutes, rate_of, targets_of
from brokerui.analysis.drains.estimate import DrainFacts, drain_seconds
from brokerui.analysis.drains.selectors import SECOND_MS
from brokerui.analysis.monitoring.held import conversation_of, explanation_of
from brokerui.analysis.overview.causes import CauseKind
from brokerui.analysis.overview.entries import CauseInWords
from brokerui.estate.selectors import LiveEstate
from brokerui.messaging.clock import now


def cause_estimates(live: LiveEstate, entries: Sequence[CauseInWords]) -> list[int | None]:
    """One for each entry; None where no rate is known, or where messages are discarded. One query."""
    at = now()
    rates = busiest_minutes(at) if entries else {}
    return [_estimate(live, entry, rates, at) for entry in entries]


def _estimate(live: LiveEstate, entry: CauseInWords, rates: Mapping[tuple[str, str], int], at: int) -> int | None:
    targets = _targets(live, entry)
    if targets is None:
        return None
    next_attempt = entry.conversation.next_attempt if entry.is_mended and entry.conversation is not None else None
    facts = DrainFacts(
        messages=entry.cause.messages,
        per_minute=rate_of(rates, targets),
        last_attempt_in_s=max(0, (next_attempt or at) - at) // SECOND_MS,
        is_due=not entry.is_mended,
    )
    return drain_seconds(facts)


def _targets(live: LiveEstate, entry: CauseInWords) -> list[tuple[str, str]] | None:
    """Where the messages would arrive; None: nothing of them would."""
    cause = entry.cause
    if cause.kind is CauseKind.QUEUE_OFF:
        return [(cause.instance, cause.database)]
    if cause.kind is not CauseKind.WAITING or entry.conversation is None:
        return None
    return targets_of(explanation_of(live, conversation_of(entry.instance, entry.conversation)))
