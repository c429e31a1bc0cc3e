"""The instances that an estate still lacks: those that its routes point to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import datetime

from routing.common.sentence import Sentence, say
from routing.lint.addresses import LOOPBACK, first_label, is_placeholder, unresolved
from routing.lint.context import LintContext, few
from routing.lint.facts import host_in_name, host_of
from routing.model.address import parse_network_address
from routing.model.estate import Estate

SHOWN = 20
"""Instances that one sentence names."""


def missing_instances(estate: Estate, at: datetime) -> tuple[str, ...]:
    """The addresses that live routes lead to and that belong to no instance, canonical and sorted.

    A host that is known at another port is no missing instance: that is the finding wrong-port. Nor is `localhost`.
    """
    scene = LintContext(estate, at)
    known = LOOPBACK.union(scene.by_host)
    found = {a.key for _, a in unresolved(scene) if host_of(a) not in known and not is_placeholder(a)}
    return tuple(sorted(found))


def likely_addresses(estate: Estate, at: datetime) -> Mapping[str, str]:
    """By instance: the one missing address whose host begins as the instance is called, where no other one does.

    Scripts do not say where their instance listens; the routes of its neighbours do: `tcp://shop.example:4022` is
    most likely that of `shop`.
    """
    called = defaultdict(list)
    for address in map(parse_network_address, missing_instances(estate, at)):
        called[first_label(host_of(address))].append(address.key)
    names = Counter(map(host_in_name, estate.instances.values()))
    return {
        instance.name: called[host][0]
        for instance in estate.instances.values()
        if len(called[host := host_in_name(instance)]) == 1 and names[host] == 1
    }


def still_missing(instances: tuple[str, ...]) -> Sentence | None:
    """The sentence for them; None when nobody is missing."""
    if not instances:
        return None
    if len(instances) == 1:
        return say("still missing: the instance {instances} that routes point to", instances=instances)
    return say("still missing: the instances {instances} that routes point to", instances=few(instances, SHOWN))
