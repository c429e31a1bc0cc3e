"""The steps CHOOSE-1 to CHOOSE-4, with locating, mirroring, forwarding and loops."""

from __future__ import annotations

from tests.naive.message import (
    Here,
    Json,
    Question,
    Result,
    can_be_target,
    databases_of,
    delivered,
    exits,
    failed,
    identifier_of,
    service_names,
)
from tests.naive.values import Address, address_in_name, is_keyword, parse_address


def choosing(question: Question, here: Here, group: list[Json]) -> list[Result]:
    """RT-STEPS (2) and (3): every result of the first CHOOSE step with something to choose.

    All routes of a group have the same identifier. The one in force is the
    conversation's, else theirs.
    """
    identifier = question.identifier or identifier_of(group[0])
    if mirrored := [route for route in group if route.get("mirror_address") is not None]:
        return choose_1(question, here, mirrored, identifier)
    local = any(is_keyword(route["address"], "LOCAL") for route in group)
    if local and (targets := locate(question, here, identifier)):
        return [delivered(here, database) for database in targets]  # CHOOSE-2
    if addresses := network_addresses(group):
        return forward(question, here, addresses, "")  # CHOOSE-3
    if any(is_keyword(route["address"], "TRANSPORT") for route in group):
        return choose_4(question, here)
    return [failed(here, "service_not_found")]


def network_addresses(group: list[Json]) -> list[Address]:
    """CHOOSE-3: the addresses of the routes that have a network address."""
    parsed = [parse_address(route["address"]) for route in group]
    return [address for address in parsed if address is not None]


def choose_1(question: Question, here: Here, mirrored: list[Json], identifier: str | None) -> list[Result]:
    """CHOOSE-1: any of the routes with a mirror address."""
    results: list[Result] = []
    for route in mirrored:
        addresses = principals(question, route, identifier)
        results += forward(question, here, addresses, "no_principal")
    return results


def choose_4(question: Question, here: Here) -> list[Result]:
    """CHOOSE-4: the address in the service name itself."""
    address = address_in_name(question.service)
    addresses = [] if address is None else [address]
    return forward(question, here, addresses, "transport_name_not_an_address")


def locate(question: Question, here: Here, identifier: str | None) -> list[Json]:
    """The databases of this instance that may be the target."""
    databases = databases_of(question.instance(here.instance))
    able = [database for database in databases if can_be_target(database, question.service)]
    if identifier is not None:  # LOC-1
        return [database for database in able if identifier_of(database) == identifier]
    # LOC-2: the database that contains the conversation first, else any.
    return [database for database in able if database["name"] == here.origin] or able


def principals(question: Question, route: Json, identifier: str | None) -> list[Address]:
    """MIR, evaluated statically: the addresses of this route that are possible next hops.

    Those whose instance holds the principal; with none, those outside the estate.
    """
    parsed = [parse_address(route["address"]), parse_address(route["mirror_address"])]
    both = [address for address in parsed if address is not None]
    claimed = [one for one in both if claims_principal(question, one, identifier)]
    return claimed or [one for one in both if question.owner(one) is None]


def claims_principal(question: Question, address: Address, identifier: str | None) -> bool:
    """The address is of an instance with a database in role PRINCIPAL with the service
    (and the identifier in force, if there is one). Its broker may be disabled."""
    owner = question.owner(address)
    if owner is None:
        return False
    return any(
        database.get("mirroring_role") == "PRINCIPAL"
        and question.service in service_names(database)
        and identifier in (None, identifier_of(database))
        for database in databases_of(question.instance(owner))
    )


def forward(question: Question, here: Here, addresses: list[Address], without: str) -> list[Result]:
    """Send on to any of the addresses; ``without`` is the reason if there is none.

    The order of the checks is that of interfaces: CHOOSE-FWD, the address, hop_limit.
    """
    if here.from_outside and not question.instance(here.instance).get("forwarding", False):
        return [failed(here, "forwarding_disabled")]
    if not addresses:
        return [failed(here, without)]
    if here.from_outside and here.hops == 0:  # LOOP-1
        return [failed(here, "hop_limit")]
    return [hop(question, here, address) for address in addresses]


def hop(question: Question, here: Here, address: Address) -> Result:
    """To the instance with this address, where the message is from outside, also if it is
    this same one (LOOP-2); or out of the estate. Only forwarding takes a hop off."""
    owner = question.owner(address)
    if owner is None:
        return exits(here, address)
    return Here(owner, None, here.hops - 1 if here.from_outside else here.hops)
