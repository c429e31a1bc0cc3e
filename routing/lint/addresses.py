"""Addresses that lead to nobody, to the wrong port, or back to where the route is."""

from __future__ import annotations

from collections.abc import Iterator

from routing.address import Address
from routing.estate import Instance
from routing.finding import ERROR, INFO, WARNING, Finding
from routing.lint.remedy import alter_route, use
from routing.lint.scene import Row, Scene, host_of, lost, network_addresses
from routing.sentence import Sentence, say

TDS_PORT = 1433
"""Where SQL Server takes queries. Service Broker never listens there."""


def unknown_address(scene: Scene) -> Iterator[Finding]:
    """A live route to an address, or mirror address, whose host is that of no instance: its messages leave the estate.

    Where an instance has the same name in another domain, or none, that one is named.
    """
    for row, address in _unresolved(scene):
        host = host_of(address)
        if host in scene.by_host:
            continue  # that is wrong-port
        alike = [i for known, instances in _by_first_label(scene).get(_label(host), ()) for i in instances]
        if alike:
            reason = say(
                "{address} is the address of no instance; did you mean {known}, {instance}?",
                address=address.key,
                known=alike[0].addresses[0].key,
                instance=alike[0].name,
            )
        else:
            reason = say("{address} is the address of no instance of this estate.", address=address.key)
        yield row.finding("unknown-address", WARNING, reason)


def _unresolved(scene: Scene) -> Iterator[tuple[Row, Address]]:
    """The network addresses of live routes that belong to no instance; each once a route."""
    known = scene.estate.by_address
    for row in scene.live:
        for address in dict.fromkeys(network_addresses(row.route)):
            if address.key not in known:
                yield row, address
