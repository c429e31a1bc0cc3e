"""Turns of one conversation: the versions of the live estate in which it began to end otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final

from brokerui.estate.models import Version
from brokerui.estate.selectors import estates_between
from routing.diff.result import Outcomes, verdict_of_change
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.journey import outcomes

MOST: Final = 30
"""Versions that are looked at, the newest ones: a page waits for it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A version since which the conversation ends otherwise."""

    version: Version
    before: Outcomes
    """Empty: it could not begin there before; `after` likewise."""
    after: Outcomes

    @property
    def verdict(self) -> str:
        """`better`, `worse` or `moved`."""
        return verdict_of_change(self.before, self.after)


@dataclass(frozen=True, slots=True)
class Turns:
    """The turns of a conversation between two versions, newest first."""

    first: int
    last: int
    turns: tuple[Turn, ...]


def turns_of(conversation: Conversation, since: int, until: int, at: datetime) -> Turns:
    """Return since which versions, after `since` and up to `until`, the conversation ends otherwise.

    `at` is the moment for the lifetimes of routes, so that only edits make a difference.
    """
    first = max(since, until - MOST, 1)
    return Turns(first, until, tuple(_turns(conversation, estates_between(first, until), at))[::-1])


def _turns(conversation: Conversation, versions: Iterable[tuple[Version, Estate]], at: datetime) -> Iterator[Turn]:
    ends = ((version, ends_at(estate, conversation, at)) for version, estate in versions)
    for (_version, before), (version, after) in pairwise(ends):
        if before != after:
            yield Turn(version, before, after)


def ends_at(estate: Estate, conversation: Conversation, at: datetime) -> Outcomes:
    """Return where the conversation may end; empty where it cannot begin in this estate."""
    here = estate.instances.get(conversation.instance)
    if here is None or (conversation.database is not None and conversation.database not in here.databases):
        return frozenset()
    return frozenset(outcomes(estate, conversation, at))
