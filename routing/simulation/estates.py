"""Draws the estates of worlds: small ones, whose routes lead everywhere, elsewhere or nowhere."""

from __future__ import annotations

import json

from routing.documents.estate_document import read_estate
from routing.simulation.chance import Chance
from routing.simulation.landscape import Landscape, LandscapeBuilder
from routing.simulation.route_kinds import MIRRORED_KIND, RARE_KINDS, ROUTE_KINDS


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
