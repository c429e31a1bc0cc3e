"""Wording of the pages: causes, ages, roles."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from brokerui.messaging.transmission_status import problem_words
from routing.dialog.states import STATES
from routing.mirror.state_machine import ASKING, AWAY, CLAIMS, DENIES, DOUBTING, LOST, SENDING, UNUSED

SECOND_MS, MINUTE_S, HOUR_S, DAY_S = 1000, 60, 3600, 86_400

PHASES: Final[Mapping[str, Promise]] = {
    UNUSED: _("Nobody has used it"),
    ASKING: _("No principal is known: both are asked"),
    SENDING: _("Everything goes to the principal"),
    DOUBTING: _("Everything goes to the principal, which is asked whether it still is"),
    LOST: _("The principal is lost: nothing is sent, and both are asked"),
}
HEARD: Final[Mapping[str, Promise]] = {
    "": _("has not answered yet"),
    CLAIMS: _("says that it is the principal"),
    DENIES: _("says that it is not the principal"),
    AWAY: _("cannot be reached"),
}


def age(milliseconds: int) -> str:
    """How long something lasts, in one unit or two."""
    seconds = max(0, milliseconds) // SECOND_MS
    if seconds < MINUTE_S:
        return gettext("%(n)d s") % {"n": seconds}
    if seconds < HOUR_S:
        return gettext("%(n)d min") % {"n": seconds // MINUTE_S}
    if seconds < DAY_S:
        return gettext("%(n)d h %(m)d min") % {"n": seconds // HOUR_S, "m": seconds % HOUR_S // MINUTE_S}
    return gettext("%(n)d d %(m)d h") % {"n": seconds // DAY_S, "m": seconds % DAY_S // HOUR_S}


def moment(milliseconds: int) -> datetime:
    """Return the moment of an engine's time, in milliseconds since 1970."""
    return datetime.fromtimestamp(milliseconds / SECOND_MS, UTC)


def due(at: int | None, now: int) -> str:
    """When something is tried next."""
    if at is None:
        return ""
    return gettext("now") if at <= now else gettext("in %(age)s") % {"age": age(at - now + SECOND_MS - 1)}


def cause_words(cause: int, *, is_tried: bool = True) -> str:
    """Why messages wait, as a sentence; without a number where the product has none."""
    if cause:
        return problem_words(cause)
    return gettext("Sent, and not acknowledged.") if is_tried else gettext("On their way.")


def cause_label(cause: int) -> str:
    """Return the label of a cause for the line of a chart."""
    return f"{cause}" if cause else gettext("not acknowledged")


def conversations(count: int) -> str:
    return ngettext("%(n)s conversation", "%(n)s conversations", count) % {"n": f"{count:,}"}


def messages(count: int) -> str:
    return ngettext("%(n)s message", "%(n)s messages", count) % {"n": f"{count:,}"}


def state_words(state: str) -> str:
    """`state_desc` of an endpoint."""
    return next(words for code, words in STATES.items() if code == state)
