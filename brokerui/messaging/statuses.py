"""Why messages wait in the transmission queue, in words, for many conversations at once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from django.utils.translation import gettext

from brokerui.messaging.clock import now
from brokerui.messaging.errors import NotHostedError
from brokerui.messaging.hosting import broker_of
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.neighbours import failures_of
from routing.dialog.problems import PROBLEMS

Place = tuple[str, str]
"""Instance and conversation handle."""


def statuses(endpoints: Mapping[Place, ConversationEndpoint]) -> dict[Place, str]:
    """`transmission_status` of each: `NUMBER: why`; empty where nothing has failed."""
    failures = cache(failures_of)
    found = {}
    for (name, handle), one in endpoints.items():
        text = status_text(one.transmission_status)
        if not text and one.outgoing and failures(name):
            failure = failures(name).get(_next_hop(name, one))
            text = f"{failure.number}: {failure.text}" if failure else ""
        found[name, handle] = text
    return found


def status_text(number: int) -> str:
    """Of what routing says; empty for 0."""
    return f"{number}: {gettext(PROBLEMS[number].text)}" if number else ""


def _next_hop(instance: str, endpoint: ConversationEndpoint) -> str:
    """The address that its messages go to; empty where that is not known."""
    try:
        # A row has the names of the columns that routing asks for.
        return broker_of(instance).ways.place(endpoint, now(), ()).address  # type: ignore[arg-type]
    except NotHostedError:
        return ""
