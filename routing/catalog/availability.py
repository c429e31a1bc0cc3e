"""Availability groups: which databases are replicas, in which role, and which listeners lead to the primary.

The routing rules know only the roles of database mirroring. A secondary replica is treated as a mirror, which gives the
right result: it cannot be a target. A connection to the listener reaches the primary.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from routing.catalog.shapes import Row
from routing.common.errors import Invalid
from routing.model.address import Address, parse_address
from routing.model.estate import MIRROR, PRINCIPAL

_ROLES = {"PRIMARY": PRINCIPAL, "SECONDARY": MIRROR}


@dataclass(frozen=True, slots=True)
class Replica:
    """A database of an availability group, on one instance."""

    groups: tuple[str, ...]
    role: str | None
    """The role in terms of mirroring; None if it is undecided (RESOLVING), or the rows of the instance contradict each
    other."""
    listeners: tuple[str, ...]
    """The DNS names of the listeners of its groups."""


def replicas(rows: Iterable[Row], names: Mapping[int, str]) -> dict[str, Replica]:
    """Replicas by database name; databases without one are skipped: a snapshot, or dropped meanwhile."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row["database_id"] in names:
            found.setdefault(names[row["database_id"]], []).append(row)
    return {name: _replica(own) for name, own in found.items()}


def _replica(rows: list[Row]) -> Replica:
    roles = {_ROLES.get((row.get("role_desc") or "").upper()) for row in rows}
    return Replica(_given(rows, "group_name"), roles.pop() if len(roles) == 1 else None, _given(rows, "dns_name"))


def _given(rows: list[Row], column: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row[column] for row in rows if row.get(column)))


def listening(replicas: Iterable[Replica], role: str, port: int) -> dict[str, Address]:
    """The addresses, by key, of the listeners of the replicas in this role.

    The listener's own port is for queries. Service Broker is at the port of the instance's endpoint, under the
    listener's name.
    """
    found: dict[str, Address] = {}
    for name in (name for replica in replicas if replica.role == role for name in replica.listeners):
        try:
            address = parse_address(f"tcp://{name}:{port}")
        except Invalid:
            continue
        found[address.key] = address
    return found
