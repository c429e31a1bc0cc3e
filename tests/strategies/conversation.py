"""Drawing of conversations about an estate document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.naive.message import service_names
from tests.strategies.choices import Chooser, chance, pick
from tests.strategies.pools import DYNAMIC, IDENTIFIERS, NAMES_WITH_ALMOST, spell_guid

Json = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """What the conversations about one estate are drawn from."""

    origins: list[Json]
    services: list[str]
    identifiers: list[str]


def what_to_ask(estate: Json) -> Asked:
    """Every entry point, every name and every identifier of the document, and strangers.

    Each once and in order, so that a change of the document moves few of them.
    """
    instances = estate["instances"]
    databases = [(one["name"], database) for one in instances for database in one["databases"]]
    inside = [{"instance": name, "database": database["name"]} for name, database in databases]
    origins = inside + [{"outside": one["name"]} for one in instances]
    services = [name for _, database in databases for name in service_names(database)]
    routes = [route for _, database in databases for route in database.get("routes", [])]
    named = [route["remote_service_name"] for route in routes if route.get("remote_service_name")]
    owners = [database for _, database in databases] + routes
    identifiers = [owner["broker_instance"] for owner in owners if owner.get("broker_instance")]
    guids = {plain(one) for one in identifiers} or {IDENTIFIERS[0]}
    return Asked(origins, sorted({*services, *named} or {"Bill"}), sorted(guids))


def draw_conversation(c: Chooser, names: Asked, name: str) -> Json:
    """A conversation; optional keys are left out as often as written."""
    conversation: Json = {"id": name, "from": pick(c, names.origins)}
    conversation["to_service"] = draw_target(c, names)
    if chance(c, 50):
        conversation["to_broker_instance"] = draw_wanted(c, names)
    if chance(c, 30):
        conversation["is_reply"] = not chance(c, 15)
    return conversation


def draw_target(c: Chooser, names: Asked) -> str:
    """Mostly a name of the document; else one that it may not know."""
    if not chance(c, 10):
        return pick(c, names.services)
    return pick(c, ("Nothing", DYNAMIC, "tcp://h1.example/Else", *NAMES_WITH_ALMOST))


def draw_wanted(c: Chooser, names: Asked) -> str | None:
    if chance(c, 5):
        return None
    stranger = "99999999-0000-4000-8000-00000000000a"
    return spell_guid(c, stranger if chance(c, 10) else pick(c, names.identifiers))


def plain(guid: str) -> str:
    """The identifier without the spelling that the document gave it."""
    return guid.strip("{}").lower()
