"""Summarizes a set of outcomes in one word, and ranks two sets."""

from __future__ import annotations

from collections.abc import Collection

from routing.rules.decision import DELIVERED, GOODNESS, Outcome

MUST_DELIVER, MAY_DELIVER, MIXED = "must_deliver", "may_deliver", "mixed"


def verdict(outcomes: Collection[Outcome]) -> str:
    """All delivered: `must_deliver`; some: `may_deliver`; all of one other kind: its name; else `mixed`."""
    kinds = {outcome.kind for outcome in outcomes}
    if kinds == {DELIVERED}:
        return MUST_DELIVER
    if DELIVERED in kinds:
        return MAY_DELIVER
    return kinds.pop() if len(kinds) == 1 else MIXED


def goodness(outcomes: Collection[Outcome]) -> tuple[int, int]:
    """Rank of a set: that of its worst outcome, then that of its best; smaller is better."""
    ranks = [GOODNESS[outcome.kind] for outcome in outcomes]
    return max(ranks), min(ranks)
