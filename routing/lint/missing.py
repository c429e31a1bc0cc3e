"""Finds instances that are missing in an estate, by the addresses of its routes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import datetime

from routing.common.sentence import Sentence, say
from routing.lint.addresses import first_label, is_placeholder, unresolved
from routing.lint.context import LintContext
from routing.lint.facts import host_in_name, host_of
from routing.lint.impossible_hosts import impossible_host
from routing.lint.linted_objects import few
from routing.lint.loopback import is_loopback
from routing.model.address import parse_network_address
from routing.model.estate import Estate

SHOWN = 20
"""Limit of instances that one sentence lists."""


def missing_instances(estate: Estate, at: datetime) -> tuple[str, ...]:
    """The addresses, canonical and sorted, to which live routes lead and which belong to no instance.

    A known host at another port is no missing instance: that is the finding wrong-port. Nor is `localhost`.
    """
    scene = LintContext(estate, at)
    hosts = ((address, host_of(address)) for _, address in unresolved(scene))
    unknown = [address for address, host in hosts if host not in scene.by_host and not is_loopback(host)]
    found = {address.key for address in unknown if not is_placeholder(address) and impossible_host(address) is None}
    return tuple(sorted(found))


def likely_addresses(estate: Estate, at: datetime) -> Mapping[str, str]:
    """By instance: the only missing address whose host begins with the instance's name.

    Scripts do not contain the address of their instance, but the routes of other instances do:
    `tcp://shop.example:4022` is most likely the address of `shop`.
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
    """The sentence for missing instances; None if there are none."""
    if not instances:
        return None
    if len(instances) == 1:
        return say("still missing: the instance {instances} that routes point to", instances=instances)
    return say("still missing: the instances {instances} that routes point to", instances=few(instances, SHOWN))
