"""Instances that this deployment runs: making one, or taking over one that the estate has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import uuid4

from django.conf import settings
from django.db import transaction

from brokerui.estate.models import Instance as InstanceRow
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from routing.common.names import MSDB
from routing.model.address import Address
from routing.model.catalog_objects import SYSTEM_MADE, BrokerEndpoint
from routing.model.edits import PutInstance
from routing.model.estate import Database, Instance
from routing.model.route import AUTO_CREATED_LOCAL
from routing.model.route_table import RouteTable


def instance_host(*, name: str, listen: Address, databases: Sequence[str], author: str) -> Instance:
    """Run an instance here, which listens at an address; it and its databases are made where they are not there yet.

    Raises `Invalid` for what the estate cannot take, and `EstateStaleError` where it has just changed.
    """
    with transaction.atomic():
        live = estate_current()
        known = live.estate.instances.get(name)
        instance = _with_databases(_listening(known or Instance(name), listen), databases)
        note = f"host {name}"
        estate_edit(edits=(PutInstance(instance),), base_version=live.version, author=author, note=note)
        InstanceRow.objects.filter(name=name).update(hosted=True)
    return instance


def _listening(instance: Instance, listen: Address) -> Instance:
    """The address comes first: it is the one to listen at."""
    others = tuple(address for address in instance.addresses if address.key != listen.key)
    return replace(instance, addresses=(listen, *others), endpoint=endpoint_at(listen, instance.endpoint))


def endpoint_at(listen: Address, known: BrokerEndpoint | None = None) -> BrokerEndpoint:
    """The endpoint of a hosted instance, as this deployment runs it; state and memory for forwarding stay as they
    are known. One that was imported as STOPPED is started with ALTER ENDPOINT."""
    encryption = "REQUIRED" if settings.ENDPOINT_CERTIFICATE else "DISABLED"
    found = BrokerEndpoint(listen.port, encryption=encryption, authentication="CERTIFICATE")
    return replace(found, state=known.state, forward_size=known.forward_size) if known else found


def _with_databases(instance: Instance, names: Sequence[str]) -> Instance:
    made = dict(instance.databases)
    for name in (*names, MSDB):
        if name not in made:
            identifier = None if name == MSDB else str(uuid4())
            made[name] = Database(name, identifier, services=SYSTEM_MADE, table=RouteTable((AUTO_CREATED_LOCAL,)))
    return replace(instance, databases=made)
