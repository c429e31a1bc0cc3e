"""Addresses that stand for the machine of the route itself, and the instances of the estate that may listen there.

`localhost` in a route is the machine of its instance: the instance itself where its endpoint has that port, else
another one on the same machine. The estate does not tell which instances share a machine, unless their names or
addresses do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from routing.common.sentence import Sentence, say
from routing.lint.facts import host_in_name, host_of
from routing.model.address import Address
from routing.model.estate import Estate, Instance

_LOOPBACK = frozenset(("localhost", "[::1]", ".", "(local)"))
"""Hosts that stand for the local machine, besides every number that begins with 127."""


def is_loopback(host: str) -> bool:
    """True for a host, in lower case, that stands for the local machine."""
    return host in _LOOPBACK or (host.startswith("127.") and host.replace(".", "").isdigit())


class LocalListener(NamedTuple):
    """The instances that listen at a local address, as far as the estate has them."""

    is_own: bool
    """True if the endpoint of the instance itself has the port."""
    beside: tuple[str, ...]
    """Other instances on the same machine that listen on the port."""
    known: tuple[str, ...]
    """Other instances that listen on the port; the estate does not tell whether on the same machine."""
    assumed: tuple[str, ...]
    """Instances without a known endpoint that would listen on the port if their addresses are right."""


def listener_at(estate: Estate, instance: Instance, address: Address) -> LocalListener:
    """The instances that listen at a local address in a route of the instance."""
    hosts = set(_hosts(instance))
    listening = [one for one in estate.instances.values() if _port(one) == address.port]
    others = [one for one in listening if one is not instance]
    beside = tuple(one.name for one in others if not hosts.isdisjoint(_hosts(one)))
    known = tuple(one.name for one in others if one.name not in beside)
    guessed = (one.name for one in estate.instances.values() if one.endpoint is None and _is_at(one, address.port))
    return LocalListener(_port(instance) == address.port, beside, known, tuple(guessed))


def _port(instance: Instance) -> int | None:
    """The port on which the instance is known to listen."""
    return instance.endpoint.port if instance.endpoint is not None else None


def _is_at(instance: Instance, port: int) -> bool:
    return any(address.port == port for address in instance.addresses)


def _hosts(instance: Instance) -> Iterator[str]:
    """The names of the machine of an instance."""
    yield host_in_name(instance)
    for address in instance.addresses:
        if not is_loopback(host_of(address)):
            yield host_of(address)


def listener_sentence(estate: Estate, instance: Instance, address: Address) -> Sentence:
    """Say where `localhost` in a route of the instance leads, and how to record it in the estate."""
    found = listener_at(estate, instance, address)
    facts = {"address": address.key, "instance": instance.name, "port": address.port}
    if found.is_own:
        return Sentence(_OWN.text, facts)
    if not found.beside and not found.known and instance.name in found.assumed:
        return Sentence(_MAY_BE_OWN.text, facts)
    for names, sentence in ((found.beside, _BESIDE), (found.known, _KNOWN), (found.assumed, _ASSUMED)):
        if names:
            return Sentence(sentence.text, {"others": names, **facts})
    return Sentence(_NOBODY.text, facts)


_OWN = say(
    "{address} is {instance} itself, whose endpoint listens on port {port}: the messages come back to it as from"
    " outside, and its msdb decides. To see it, give {instance} {address} as a further address."
)
_MAY_BE_OWN = say(
    "{address} is the machine of {instance}, and {instance} itself if its endpoint listens on port {port}, which the"
    " estate does not tell: then the messages come back to it as from outside, and its msdb decides. To see it, give"
    " {instance} {address} as a further address."
)
_BESIDE = say(
    "{address} is the machine of {instance}; there, {others} listens on port {port}: give it {address} as a further"
    " address."
)
_KNOWN = say(
    "{address} is the machine of {instance}. {others} listens on port {port}: if it is on that machine, give it"
    " {address} as a further address."
)
_ASSUMED = say(
    "{address} is the machine of {instance}. That {others} listens on port {port} is assumed, since the estate has no"
    " endpoint of it: if it does, on that machine, give it {address} as a further address."
)
_NOBODY = say("{address} is the machine of {instance}; no instance of the estate is known to listen on port {port}.")
