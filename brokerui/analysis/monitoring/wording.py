"""Wording of the pages: causes, ages, roles."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from brokerui.core.lasting import grows, shrinks
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
CAUSE_NAMES: Final[Mapping[int, Promise]] = {
    0: _("not acknowledged"),
    954: _("the database is a mirror"),
    9617: _("queue is off"),
    9618: _("own queue is off"),
    9666: _("endpoint stopped"),
    9727: _("no remote service binding"),
    9731: _("no certificate"),
    9748: _("no endpoint"),
    9749: _("queue is off"),
    9750: _("no route"),
    9751: _("not authenticated"),
    9753: _("no partner reached"),
    9754: _("no connection"),
    9783: _("host name not found"),
    9791: _("broker is off"),
    9792: _("forwarding is off"),
    9793: _("service not found"),
    9794: _("principal not known"),
    9795: _("identifier of no database"),
    9796: _("no service here"),
    28013: _("target's broker is off"),
    28018: _("target is the mirror"),
    28034: _("login refused"),
    28035: _("certificate refused"),
}
"""Names of the causes of transmission statuses for charts; others have their number there."""
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


def age_now(milliseconds: int) -> str:
    """The age of something that grows older while the words are read."""
    grows(milliseconds / SECOND_MS)
    return age(milliseconds)


def age_unit(most: int) -> tuple[int, str]:
    """Milliseconds per unit of an axis of ages, and the unit's label, chosen by the longest age."""
    if most < 3 * MINUTE_S * SECOND_MS:
        return SECOND_MS, gettext("Age of the oldest, seconds")
    if most < 3 * HOUR_S * SECOND_MS:
        return MINUTE_S * SECOND_MS, gettext("Age of the oldest, minutes")
    return HOUR_S * SECOND_MS, gettext("Age of the oldest, hours")


def moment(milliseconds: int) -> datetime:
    """Return the moment of an engine's time, in milliseconds since 1970."""
    return datetime.fromtimestamp(milliseconds / SECOND_MS, UTC)


def due(at: int | None, now: int) -> str:
    """When something is tried next."""
    if at is None:
        return ""
    shrinks((at - now) / SECOND_MS)
    return gettext("now") if at <= now else gettext("in %(age)s") % {"age": age(at - now + SECOND_MS - 1)}


def cause_words(cause: int, *, is_tried: bool = True) -> str:
    """Why messages wait, as a sentence; without a number where the product has none."""
    if cause:
        return problem_words(cause)
    return gettext("Sent, and not acknowledged.") if is_tried else gettext("On their way.")


def cause_label(cause: int) -> str:
    """Return the name of a cause for the line of a chart: in a few words, where they are known."""
    return str(CAUSE_NAMES.get(cause, cause))


def conversations(count: int) -> str:
    return ngettext("%(n)s conversation", "%(n)s conversations", count) % {"n": f"{count:,}"}


def messages(count: int) -> str:
    return ngettext("%(n)s message", "%(n)s messages", count) % {"n": f"{count:,}"}


def state_words(state: str) -> str:
    """`state_desc` of an endpoint."""
    return next(words for code, words in STATES.items() if code == state)
