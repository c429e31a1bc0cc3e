"""Tables of a run of telemetry, with the columns that sort them."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from brokerui.analysis.monitoring.wording import cause_words
from brokerui.analysis.traffic.models import UnusedRoute
from brokerui.analysis.traffic.selectors import Cause, Seen
from brokerui.pages.shell.columns import Column, Table

CAUSES: Final[Table[Cause]] = Table(
    Column("cause", _("Cause"), lambda one: cause_words(one.error), is_head=True),
    Column("delays", _("Delays"), lambda one: one.episodes, is_number=True),
    Column("not_ended", _("Not ended"), lambda one: one.not_ended, is_number=True),
    Column("longest", _("Longest"), lambda one: one.longest_ms, is_number=True),
    name="causes",
)
UNUSED: Final[Table[UnusedRoute]] = Table(
    Column("route", _("Route"), lambda one: one.route, is_head=True),
    Column("database", _("Database"), lambda one: (one.instance, one.database)),
    Column("service", _("To service"), lambda one: one.to_service),
    Column("address", _("Address"), lambda one: one.address),
    Column("used", _("Last used"), is_moment=True),
    name="unused",
)
"""The database sorts them (`UNUSED_ORDERS`): a part of them is shown. The usual order is by last use."""
SEEN: Final[Table[Seen]] = Table(
    Column("next_hop", _("Next hop"), lambda one: one.next_hop, is_head=True),
    Column("agrees", _("As predicted"), lambda one: one.agrees, is_number=True),
    Column("disagrees", _("Elsewhere"), lambda one: one.disagrees, is_number=True),
    Column("unseen", _("Not seen"), lambda one: one.unseen, is_number=True),
    name="seen",
)
