"""The reasons of delays and drops in two or three words."""

from __future__ import annotations

from collections.abc import Mapping

from routing.common.sentence import Sentence, say
from routing.rules.decision import (
    FORWARDING_DISABLED,
    HOP_LIMIT,
    NO_PRINCIPAL,
    NO_ROUTE,
    NOT_AN_ADDRESS,
    ROUTE_REQUESTED,
    SERVICE_NOT_FOUND,
)

REASON_WORDS: Mapping[str, Sentence] = {
    NO_ROUTE: say("no route"),
    SERVICE_NOT_FOUND: say("service not found"),
    ROUTE_REQUESTED: say("route requested"),
    NO_PRINCIPAL: say("no principal"),
    NOT_AN_ADDRESS: say("no address in the name"),
    FORWARDING_DISABLED: say("forwarding is off"),
    HOP_LIMIT: say("hop limit"),
}
