"""Recognises hosts of addresses to which nothing can ever connect, whatever stands in the estate or in DNS."""

from __future__ import annotations

from dataclasses import dataclass

from routing.common.sentence import Sentence, say
from routing.lint.facts import host_of
from routing.model.address import Address

_EVERY_ADDRESS = frozenset(("0.0.0.0", "[::]", "[0:0:0:0:0:0:0:0]", "*", "+"))  # noqa: S104 - read, never bound


@dataclass(frozen=True, slots=True)
class ImpossibleHost:
    """A host that no machine can have."""

    why: Sentence
    """A clause that goes on after `ADDRESS can never be reached:`."""
    meant: str | None
    """The host that was meant, in lower case; None where the address does not tell."""


def impossible_host(address: Address) -> ImpossibleHost | None:
    """Say why nothing can connect to a network address, and which host was meant; None where something may."""
    host = host_of(address)
    if host in _EVERY_ADDRESS:
        return ImpossibleHost(say("it stands for every address of the machine that listens, and leads to none"), None)
    bare = host.rpartition("@")[2].partition(",")[0].partition("\\")[0]
    if not bare or bare == host:
        return None
    return ImpossibleHost(_why(host), bare)


def _why(host: str) -> Sentence:
    if "," in host or "\\" in host:
        return say("the port comes after a colon, and no instance name is in it")
    return say("no user name is in it")
