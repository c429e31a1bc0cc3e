"""Keep the names and addresses that the live estate knows; those that an import only assumed do not replace them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from brokerui.analysis.imports.sources import Source
from routing.common.names import spelt_as_known
from routing.lint.facts import host_in_name, host_of
from routing.model.address import DEFAULT_PORT, Address, parse_network_address
from routing.model.estate import Database, Estate, Instance


def named_as_known(sources: Sequence[Source], live: Estate) -> list[Source]:
    """The sources with the live estate's spelling of their instances: names of instances compare without case."""
    return [replace(source, instance=spelt_as_known(source.instance, live.instances)) for source in sources]


def known_databases(live: Estate, name: str) -> dict[str, Database]:
    """The databases that the live estate has of an instance, by folded name."""
    known = live.instances.get(name)
    return {database.name.casefold(): database for database in known.databases.values()} if known else {}


def with_known_addresses(estate: Estate, live: Estate, names: Iterable[str]) -> Estate:
    """The estate in which these instances keep the addresses of the live estate, if an import only derived theirs.

    An import derives an address from the instance's name. Where the port of the endpoint changes, the addresses follow.
    """
    for name in sorted(names):
        made, known = estate.instances.get(name), live.instances.get(name)
        if made is None or known is None or not known.addresses or not _is_derived(made):
            continue
        addresses = _moved(known, made)
        if all(estate.resolve(address) in (None, name) for address in addresses):
            estate = estate.with_instance(replace(made, addresses=addresses))
    return estate


def _is_derived(instance: Instance) -> bool:
    port = instance.endpoint.port if instance.endpoint is not None else DEFAULT_PORT
    return [address.key for address in instance.addresses] in ([], [f"tcp://{host_in_name(instance)}:{port}"])


def _moved(known: Instance, made: Instance) -> tuple[Address, ...]:
    """The known addresses, at the new port of the endpoint where they were at its old one."""
    if known.endpoint is None or made.endpoint is None or known.endpoint.port == made.endpoint.port:
        return known.addresses
    moved = (
        parse_network_address(f"tcp://{host_of(address)}:{made.endpoint.port}")
        if address.port == known.endpoint.port
        else address
        for address in known.addresses
    )
    return tuple(dict.fromkeys(moved))
