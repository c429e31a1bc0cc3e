"""Words for the states of a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.conversations.masking import Secret
from brokerui.analysis.conversations.timeline import FAR_FUTURE_MS
from brokerui.analysis.monitoring.wording import moment
from brokerui.core.moments import moment_text
from routing.dialog.states import CD, CO, DI, DO, ER, SI, SO

STATE_WORDS: Final[Mapping[str, Promise]] = {
    SO: _("Begun"),
    SI: _("First arriving"),
    CO: _("Conversing"),
    DO: _("We ended"),
    DI: _("They ended"),
    ER: _("Error"),
    CD: _("Closed"),
}
"""Each state as this side sees it, shorter than `state_desc`."""


def covered_words(covered: Sequence[tuple[Secret, int]]) -> str:
    """How many parts of a body are covered, and as what; empty: none."""
    words = {
        Secret.CARD: lambda n: ngettext("%(n)s card number", "%(n)s card numbers", n),
        Secret.EMAIL: lambda n: ngettext("%(n)s e-mail address", "%(n)s e-mail addresses", n),
        Secret.CREDENTIAL: lambda n: ngettext("%(n)s password or token", "%(n)s passwords or tokens", n),
        Secret.OWN: lambda n: ngettext("%(n)s match of your pattern", "%(n)s matches of your pattern", n),
    }
    parts = ", ".join(words[secret](number) % {"n": f"{number:,}"} for secret, number in covered)
    return gettext("Covered: %(parts)s.") % {"parts": parts} if parts else ""


def lives_until(lifetime_end: int, at: int) -> str:
    """When a lifetime ends; empty where BEGIN DIALOG gave none: it is 68 years then."""
    return moment_text(moment(lifetime_end)) if lifetime_end < at + FAR_FUTURE_MS else ""
