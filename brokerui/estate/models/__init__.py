"""The tables of the live estate, with the product's names and its constraints."""

from brokerui.estate.models.databases import Database
from brokerui.estate.models.instances import Instance, InstanceAddress
from brokerui.estate.models.objects import (
    Contract,
    ContractMessage,
    MessageType,
    Priority,
    Queue,
    RemoteServiceBinding,
    Service,
    ServiceContract,
)
from brokerui.estate.models.routes import Route
from brokerui.estate.models.versions import AuditEntry, Live, Version

__all__ = [
    "AuditEntry",
    "Contract",
    "ContractMessage",
    "Database",
    "Instance",
    "InstanceAddress",
    "Live",
    "MessageType",
    "Priority",
    "Queue",
    "RemoteServiceBinding",
    "Route",
    "Service",
    "ServiceContract",
    "Version",
]
