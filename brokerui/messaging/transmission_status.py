"""Why messages wait in the transmission queue, in words, for many conversations at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext

from brokerui.messaging.broker_cache import broker_of
from brokerui.messaging.clock import now
from brokerui.messaging.errors import NotHostedError
from brokerui.messaging.exchange.unreachable import unreachable_from_all
from brokerui.messaging.models import ConversationEndpoint
from routing.dialog.problems import PROBLEMS
from routing.dialog.status_catalogue import CAUSES

NAMED: Final = frozenset((11210, 11214, 11225, 11226))
"""Problems whose sentence is complete without the name that only their message knew."""
_NAME: Final = re.compile(r'\s?"?\{\w+\}"?')
Place = tuple[str, str]
"""Instance and conversation handle."""


def statuses(endpoints: Mapping[Place, ConversationEndpoint]) -> dict[Place, str]:
    """`transmission_status` of each: `NUMBER: why`; empty where nothing has failed."""
    found = {place: status_text(one.transmission_status) for place, one in endpoints.items()}
    silent = {place: one for place, one in endpoints.items() if one.outgoing and not found[place]}
    failures = unreachable_from_all(sorted({name for name, _ in silent}))
    for (name, handle), one in silent.items():
        if failures.get(name):
            failure = failures[name].get(_next_hop(name, one))
            found[name, handle] = f"{failure.number}: {failure.text}" if failure else ""
    return found


def status_text(number: int) -> str:
    """Return a status of routing with its words; empty for 0."""
    return f"{number}: {problem_words(number)}" if number else ""


def problem_words(number: int) -> str:
    """Describe an error of the product by its number alone: of any number, also of one that is not
    used here, or whose sentence has a fact that only its message knew."""
    if number in CAUSES:
        return gettext(CAUSES[number].text)
    if number in PROBLEMS and (number in NAMED or "{" not in PROBLEMS[number].text):
        return _NAME.sub("", gettext(PROBLEMS[number].text))
    return gettext("The product's error %(number)d.") % {"number": number}


def _next_hop(instance: str, endpoint: ConversationEndpoint) -> str:
    """The address that its messages go to; empty where that is not known."""
    try:
        # A row has the names of the columns that routing asks for.
        return broker_of(instance).decisions.place(endpoint, now(), ()).address  # type: ignore[arg-type]
    except NotHostedError:
        return ""
