"""The outcomes of a routing test on one line."""

from __future__ import annotations

from routing.common.sentence import Sentence, say
from routing.testing.judging import Judgement
from routing.testing.outcome_pattern import outcome_text

SHOWN_OUTCOMES = 20
"""Outcomes of a test that a line lists; a conversation may have hundreds."""


def got_text(judgement: Judgement) -> Sentence | str:
    """The outcomes of a test as patterns, for one line; empty where it has none."""
    shown = [outcome_text(outcome) for outcome in judgement.got[:SHOWN_OUTCOMES]]
    more = len(judgement.got) - len(shown)
    text = ", ".join(shown)
    return say("{outcomes} and {count} more", outcomes=text, count=more) if more else text
