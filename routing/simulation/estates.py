"""Draws the estates of worlds: small ones, whose routes lead everywhere, elsewhere or nowhere."""

from __future__ import annotations

import json
from typing import Any, Final

from routing.documents.estate_document import read_estate
from routing.simulation.chance import Chance
from routing.simulation.landscape import Landscape, LandscapeBuilder
from routing.simulation.route_kinds import MIRRORED_KIND, RARE_KINDS, ROUTE_KINDS

RETENTION_PERMILLE: Final = 300


def draw_landscape(chance: Chance, chaos: int) -> Landscape:
    """Draw a landscape for a world whose first phase, with faults, lasts `chaos` milliseconds."""
    draft = LandscapeBuilder(chance, chaos)
    kinds = (MIRRORED_KIND, *ROUTE_KINDS) if draft.mirrored else ROUTE_KINDS
    for number in range(chance.between(1, 4)):
        chance.weighed(kinds)(draft, number)
    for stream, add in RARE_KINDS:
        draft.chance = chance.of(stream)
        if draft.chance.happens(150):
            add(draft, len(draft.pairings))
    retention = chance.of("retention")
    for (_, database), made in draft.databases.items():
        made["queues"] = _retaining_queues(retention.of(database), made["services"])
    document = {
        "format": "brokerui.estate/1",
        "hop_limit": draft.hop_limit,
        "instances": list(draft.documents.values()),
    }
    estate = read_estate(json.dumps(document))
    return Landscape(
        estate,
        tuple(draft.pairings),
        tuple(draft.mirrored),
        tuple(draft.repairs),
        tuple(draft.configurations),
    )


def _retaining_queues(chance: Chance, services: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Draw the queues with RETENTION; the partners of a mirrored database have the same."""
    names = [service["queue"] for service in services]
    return [{"name": name, "retention": True} for name in names if chance.of(name).happens(RETENTION_PERMILLE)]
