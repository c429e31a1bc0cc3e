"""Several groups of delayed conversations retried at once: the groups that were chosen, and the result of each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.http import QueryDict

from brokerui.analysis.monitoring.waiting import WaitingGroup, waiting_now
from routing.model.estate import INSTANCE_NAME_CHARS

MOST: Final = 200
"""Groups of one request: those with most conversations come first."""


class RetriedPlace(NamedTuple):
    """A database and the service that its messages wait for."""

    instance: str
    database: str
    service: str


@dataclass(frozen=True, slots=True)
class ChosenGroup:
    """The waiting messages of a place, all causes together."""

    place: RetriedPlace
    conversations: int
    messages: int

    @property
    def value(self) -> str:
        """The place as a form has it."""
        return json.dumps(self.place)


def chosen(form: QueryDict) -> tuple[list[ChosenGroup], int]:
    """Return the groups that a form names, one by one or by their cause, as they wait now; and the number of those
    left out."""
    delayed = waiting_now().delayed
    wanted = {place for text in form.getlist("group")[:MOST] if (place := _place(text)) is not None}
    cause = form.get("cause", "")
    fitting = [group for group in delayed if group[:3] in wanted or (cause and str(group.cause) == cause)]
    groups = _together(wanted, fitting)
    return groups[:MOST], max(0, len(groups) - MOST)


def _together(wanted: Iterable[RetriedPlace], groups: Sequence[WaitingGroup]) -> list[ChosenGroup]:
    found = {place: ChosenGroup(place, 0, 0) for place in wanted}
    for group in groups:
        place = RetriedPlace(*group[:3])
        before = found.get(place, ChosenGroup(place, 0, 0))
        sums = before.conversations + group.conversations, before.messages + group.messages
        found[place] = ChosenGroup(place, *sums)
    return sorted(found.values(), key=lambda one: (-one.conversations, one.place))


def _place(text: str) -> RetriedPlace | None:
    """The place of a value of the form; None: it is none."""
    try:
        value = json.loads(text[: 4 * INSTANCE_NAME_CHARS])
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list) and len(value) == 3 and all(isinstance(part, str) for part in value):
        return RetriedPlace(*value)
    return None
