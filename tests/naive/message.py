"""The estate document, where a message is in it, and what can become of the message."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.naive.values import Address, parse_address, parse_guid, show_address

Json = dict[str, Any]
Outcome = dict[str, str]


def service_names(database: Json) -> list[str]:
    """A service is written as a plain name or as an object with a name."""
    services = database.get("services", [])
    return [one if isinstance(one, str) else one["name"] for one in services]


def identifier_of(row: Json) -> str | None:
    """The identifier of a database or of a route."""
    return parse_guid(row.get("broker_instance"))


def database_named(instance: Json, name: str) -> Json | None:
    """The database of this instance with this name."""
    return next((one for one in databases_of(instance) if one["name"] == name), None)


def databases_of(instance: Json) -> list[Json]:
    """All databases of the instance that the document writes."""
    databases: list[Json] = instance.get("databases", [])
    return databases


def can_be_target(database: Json, service: str) -> bool:
    """Locating, fixed: has the service, its broker is enabled, its role is not MIRROR."""
    return (
        service in service_names(database)
        and database.get("broker_enabled", True)
        and database.get("mirroring_role") != "MIRROR"
    )


@dataclass(frozen=True)
class Question:
    """What stays the same on the whole way of the conversation's message."""

    estate: Json
    service: str
    identifier: str | None
    is_reply: bool
    at: datetime

    def instance(self, name: str) -> Json:
        """The instance with this name; unknown is bad input (KeyError)."""
        instances: list[Json] = self.estate["instances"]
        for instance in instances:
            if instance["name"] == name:
                return instance
        raise KeyError(f"no instance {name!r} in the estate")

    def owner(self, address: Address) -> str | None:
        """The name of the instance that has this address."""
        for instance in self.estate["instances"]:
            if address in [parse_address(text) for text in instance.get("addresses", [])]:
                return str(instance["name"])
        return None


@dataclass(frozen=True)
class Here:
    """Where a message is. ``origin`` is the database in which its conversation began;
    None once it is from outside, which it stays also at home (CHOOSE-FWD, fixed)."""

    instance: str
    origin: str | None
    hops: int

    @property
    def from_outside(self) -> bool:
        return self.origin is None


Result = Outcome | Here


def delivered(here: Here, database: Json) -> Outcome:
    return {"outcome": "delivered", "instance": here.instance, "database": database["name"]}


def exits(here: Here, address: Address) -> Outcome:
    return {"outcome": "exits", "instance": here.instance, "address": show_address(address)}


def failed(here: Here, reason: str) -> Outcome:
    """MATCH-7, fixed: a message from outside is dropped where others are DELAYED."""
    kind = "dropped" if here.from_outside else "delayed"
    return {"outcome": kind, "instance": here.instance, "reason": reason}
