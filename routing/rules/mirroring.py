"""MIR-1 to MIR-4: which partner of a mirrored route is the principal, by the roles written in the estate.

What an instance learns at run time is in `routing.mirror.state_machine`.
"""

from __future__ import annotations

from routing.model.address import Address
from routing.model.estate import MIRROR, PRINCIPAL, Instance
from routing.model.route import Route
from routing.rules.hop import Hop


def possible_principals(hop: Hop, route: Route, identifier: str | None) -> tuple[Address, ...]:
    """The addresses of a mirrored route that may lead to the principal; empty: no partner is the principal.

    An address leads to the principal if its instance has a database in the role PRINCIPAL with the service, and with
    the identifier in force if there is one, even with a disabled broker. If neither address does, an address outside
    the estate may. At run time `hop.roles`, a `routing.mirror.registry`, decides alone.
    """
    assert route.mirror_address is not None
    if hop.roles is not None:
        return hop.roles.principals(route, hop.service, identifier)
    partners = (route.address, route.mirror_address)
    claiming = tuple(address for address in partners if claims_principal(hop, address, identifier))
    return claiming or tuple(address for address in partners if hop.estate.resolve(address) is None)


def claims_principal(hop: Hop, address: Address, identifier: str | None) -> bool:
    """Whether a database behind this address is the principal for the service and identifier."""
    name = hop.estate.resolve(address)
    if name is None:
        return False
    return holds_principal(hop.estate.instances[name], hop.service, identifier)


def holds_principal(instance: Instance, service: str, identifier: str | None) -> bool:
    """Whether a database of this instance is the principal for the service and identifier."""
    principals = instance.principals.get(service, ())
    return any(identifier is None or database.broker_instance == identifier for database in principals)


def role_held(instance: Instance, service: str, identifier: str | None) -> str | None:
    """The answer of this instance to a question about its role (MIR-2): PRINCIPAL, MIRROR, or None for neither."""
    if holds_principal(instance, service, identifier):
        return PRINCIPAL
    mirrors = (database for database in instance.databases.values() if database.mirroring_role == MIRROR)
    having = (database for database in mirrors if database.has_service(service))
    return MIRROR if any(identifier is None or database.broker_instance == identifier for database in having) else None
