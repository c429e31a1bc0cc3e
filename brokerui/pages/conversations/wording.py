"""Words for the states of a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.conversations.timeline import FAR_FUTURE_MS
from brokerui.analysis.monitoring.wording import moment
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


def lives_until(lifetime_end: int, at: int) -> str:
    """When a lifetime ends, in UTC; empty where BEGIN DIALOG gave none: it is 68 years then."""
    return f"{moment(lifetime_end):%Y-%m-%d %H:%M}" if lifetime_end < at + FAR_FUTURE_MS else ""
