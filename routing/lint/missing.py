"""The instances that an estate still lacks: those that its routes point to."""

from __future__ import annotations

from datetime import datetime

from routing.estate import Estate
from routing.lint.addresses import LOOPBACK, unresolved
from routing.lint.facts import host_of
from routing.lint.scene import Scene, few
from routing.sentence import Sentence, say

SHOWN = 20
"""Instances that one sentence names."""


def missing_servers(estate: Estate, at: datetime) -> tuple[str, ...]:
    """The addresses that live routes lead to and that belong to no instance, canonical and sorted.

    A host that is known at another port is no missing instance: that is the finding wrong-port. Nor is `localhost`.
    """
    scene = Scene(estate, at)
    known = LOOPBACK.union(scene.by_host)
    found = {address.key for _, address in unresolved(scene) if host_of(address) not in known}
    return tuple(sorted(found))


def still_missing(instances: tuple[str, ...]) -> Sentence | None:
    """The sentence for them; None when nobody is missing."""
    if not instances:
        return None
    if len(instances) == 1:
        return say("still missing: the instance {instances} that routes point to", instances=instances)
    return say("still missing: the instances {instances} that routes point to", instances=few(instances, SHOWN))
