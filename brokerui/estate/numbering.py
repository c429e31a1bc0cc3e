"""Numbers of the objects in a database: they connect rows of one version of the estate.

They count within their database from 65536, in the order of the estate document, and are not those of the instance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from routing.model.estate import Database

FIRST = 65_536
"""The first number that the product gives to what a user makes."""


class ObjectNumbers(NamedTuple):
    """By name. What every database has of itself, as the contract DEFAULT, has no number here."""

    queues: Mapping[str, int]
    services: Mapping[str, int]
    contracts: Mapping[str, int]
    message_types: Mapping[str, int]


def numbered(members: Iterable[Any]) -> dict[str, int]:
    """The numbers of members of a database by their names."""
    return {member.name: number for number, member in enumerate(members, FIRST)}


def numbers_of(database: Database) -> ObjectNumbers:
    """Of all that rows name by number."""
    kinds = (database.queues, database.services, database.contracts, database.message_types)
    return ObjectNumbers(*map(numbered, kinds))
