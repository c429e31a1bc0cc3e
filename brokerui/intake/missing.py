"""Servers that routes point to and that the estate does not have: what to import next."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from routing.estate import Estate


class Missing(NamedTuple):
    """An address at which no instance of the estate listens, and how many routes lead there."""

    address: str
    routes: int


def servers_missing(estate: Estate) -> list[Missing]:
    """Those with most routes first."""
    found: Counter[str] = Counter()
    for instance in estate.instances.values():
        for table in instance.tables.values():
            for route in table.routes.values():
                for address in (route.address, route.mirror_address):
                    if address is not None and address.is_network and estate.resolve(address) is None:
                        found[address.key] += 1
    return [Missing(*each) for each in sorted(found.items(), key=lambda each: (-each[1], each[0]))]
