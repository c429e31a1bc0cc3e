"""Checks of Service Broker endpoints: without a started one, an instance neither receives nor sends over the
network."""

from __future__ import annotations

from collections.abc import Iterator

from routing.common.finding import ERROR, WARNING, Finding
from routing.common.sentence import say
from routing.lint.context import LintContext
from routing.lint.linted_objects import instance_finding
from routing.lint.remedy import alter_endpoint, create_endpoint
from routing.model.address import DEFAULT_PORT


def no_endpoint(scene: LintContext) -> Iterator[Finding]:
    """An instance without an endpoint to which live routes lead, or whose own routes lead to other instances.

    Reported only if the estate knows the endpoint of some other instance: a document or script without any endpoint
    says nothing about them. Therefore only a warning.
    """
    if all(instance.endpoint is None for instance in scene.estate.instances.values()):
        return
    for instance in scene.instances:
        if instance.endpoint is None and scene.on_the_network(instance):
            port = instance.addresses[0].port if instance.addresses else DEFAULT_PORT
            reason = say("It has no Service Broker endpoint, and routes lead to it or from it over the network.")
            yield instance_finding("no-endpoint", WARNING, instance, reason, create_endpoint(port))


def endpoint_stopped(scene: LintContext) -> Iterator[Finding]:
    """An endpoint that is not STARTED; an error if live routes lead to the instance, or its own to other instances.

    Else a warning, because an administrator created it for some purpose.
    """
    for instance in scene.instances:
        endpoint = instance.endpoint
        if endpoint is not None and endpoint.state != "STARTED":
            severity = ERROR if scene.on_the_network(instance) else WARNING
            reason = say("Its Service Broker endpoint is {state}.", state=endpoint.state)
            yield instance_finding("endpoint-stopped", severity, instance, reason, alter_endpoint("STATE = STARTED"))
