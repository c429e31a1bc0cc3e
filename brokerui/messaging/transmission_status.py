"""Why messages wait in the transmission queue, in words, for many conversations at once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from brokerui.messaging.broker_cache import broker_of
from brokerui.messaging.clock import now
from brokerui.messaging.errors import NotHostedError
from brokerui.messaging.exchange.status_numbers import (
    CONNECT_FAILED,
    NAME_NOT_FOUND,
    NO_LOGIN,
    NOT_AUTHENTICATED,
)
from brokerui.messaging.exchange.unreachable import unreachable_from
from brokerui.messaging.models import ConversationEndpoint
from routing.dialog.problems import PROBLEMS

Place = tuple[str, str]
"""Instance and conversation handle."""
OF_CONNECTIONS: Final[Mapping[int, Promise]] = {
    NOT_AUTHENTICATED: _("The next hop was not authenticated."),
    CONNECT_FAILED: _("The connection to the next hop failed."),
    NO_LOGIN: _("The next hop closed the connection before it could be used."),
    NAME_NOT_FOUND: _("The name of the next hop was not found."),
}
"""Why nothing can be sent there, without the system's reason."""


def statuses(endpoints: Mapping[Place, ConversationEndpoint]) -> dict[Place, str]:
    """`transmission_status` of each: `NUMBER: why`; empty where nothing has failed."""
    failures = cache(unreachable_from)
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
    return f"{number}: {problem_words(number)}" if number else ""


def problem_words(number: int) -> str:
    """What an error of the product is, where nothing but its number is known: of any number, also of one that is not
    used here, or whose sentence says what only its message knew."""
    if number in OF_CONNECTIONS:
        return str(OF_CONNECTIONS[number])
    if number in PROBLEMS and "{" not in PROBLEMS[number].text:
        return gettext(PROBLEMS[number].text)
    return gettext("The product's error %(number)d.") % {"number": number}


def _next_hop(instance: str, endpoint: ConversationEndpoint) -> str:
    """The address that its messages go to; empty where that is not known."""
    try:
        # A row has the names of the columns that routing asks for.
        return broker_of(instance).decisions.place(endpoint, now(), ()).address  # type: ignore[arg-type]
    except NotHostedError:
        return ""
