"""MIR-1 to MIR-4: which partner of a mirrored route is the principal, as far as an estate tells it."""

from __future__ import annotations

from routing.address import Address
from routing.hop import Hop
from routing.route import Route


def possible_principals(hop: Hop, route: Route, identifier: str | None) -> tuple[Address, ...]:
    """The addresses of a mirrored route that may lead to the principal; none: no partner claims the role.

    An address leads to it when its instance holds a database in the role PRINCIPAL with the service, and with the
    identifier in force if there is one, its broker enabled or not. With none of the two, an address outside the
    estate may.
    """
    assert route.mirror_address is not None
    partners = (route.address, route.mirror_address)
    claiming = tuple(address for address in partners if claims_principal(hop, address, identifier))
    return claiming or tuple(address for address in partners if hop.estate.resolve(address) is None)


def claims_principal(hop: Hop, address: Address, identifier: str | None) -> bool:
    """Whether a database behind this address is the principal for the service and identifier."""
    name = hop.estate.resolve(address)
    if name is None:
        return False
    principals = hop.estate.instances[name].principals.get(hop.service, ())
    return any(identifier is None or database.broker_instance == identifier for database in principals)
