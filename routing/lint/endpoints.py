"""Service Broker endpoints: an instance without one that runs neither takes nor sends anything over the network."""

from __future__ import annotations

from collections.abc import Iterator

from routing.address import DEFAULT_PORT
from routing.estate import Instance
from routing.finding import ERROR, WARNING, Finding
from routing.lint.remedy import alter_endpoint, create_endpoint
from routing.lint.scene import Row, Scene, instance_finding, network_addresses
from routing.sentence import say


def no_endpoint(scene: Scene) -> Iterator[Finding]:
    """An instance without an endpoint that live routes lead to, or whose own lead to other servers.

    Only where the estate tells the endpoint of some other instance: a document, or a script, that never speaks of
    endpoints says nothing about them. A warning for that reason.
    """
    if all(instance.endpoint is None for instance in scene.estate.instances.values()):
        return
    for instance in _on_the_network(scene):
        if instance.endpoint is None:
            port = instance.addresses[0].port if instance.addresses else DEFAULT_PORT
            reason = say("It has no Service Broker endpoint, and routes lead to it or from it over the network.")
            yield instance_finding("no-endpoint", WARNING, instance, reason, create_endpoint(port))


def endpoint_stopped(scene: Scene) -> Iterator[Finding]:
    """An endpoint that is not STARTED; an error where live routes lead to the instance, or its own to other servers.

    Else a warning: somebody made it for something.
    """
    involved = {instance.name for instance in _on_the_network(scene)}
    for instance in scene.instances:
        endpoint = instance.endpoint
        if endpoint is not None and endpoint.state != "STARTED":
            severity = ERROR if instance.name in involved else WARNING
            reason = say("Its Service Broker endpoint is {state}.", state=endpoint.state)
            yield instance_finding("endpoint-stopped", severity, instance, reason, alter_endpoint("STATE = STARTED"))


def _on_the_network(scene: Scene) -> Iterator[Instance]:
    """The instances that live routes lead to from elsewhere, or whose own lead elsewhere."""
    away = {row.instance.name for row in scene.live if _leads_away(scene, row)}
    for instance in scene.instances:
        if instance.name in away or instance.name in scene.led_to:
            yield instance


def _leads_away(scene: Scene, row: Row) -> bool:
    return any(scene.estate.resolve(address) != row.instance.name for address in network_addresses(row.route))
