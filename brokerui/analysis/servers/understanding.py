"""Pasted rows beside the estate: the server by its known spelling, and none that BrokerUI runs itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from brokerui.analysis.servers.pasting import PastedText, sums_of_text
from brokerui.analysis.servers.selectors import latest_collections
from brokerui.analysis.servers.sums import ServerSums
from brokerui.estate.selectors import instance_freshness
from brokerui.messaging.broker_cache import hosted_names
from routing.common.errors import InputError
from routing.common.names import spelt_as_known
from routing.common.sentence import say


def understood(text: PastedText, now: datetime) -> ServerSums:
    """The sums of the text. Raises `InputError` with the line at the first error, and for a hosted instance."""
    server = spelt_as_known(text.server, [*instance_freshness(), *latest_collections()])
    if server in hosted_names():
        raise InputError(server, "", say("runs in BrokerUI itself: its messages are looked at as they are now"))
    return sums_of_text(replace(text, server=server), now)
