"""One object of an estate as JSON, in the members that it has in the document."""

from __future__ import annotations

from typing import Any

from routing.documents.collected_json import collected_as_json
from routing.documents.writer import database_as_json, instance_as_json, part_as_json, route_as_json, service_as_json
from routing.model.address import Address
from routing.model.catalog_objects import Service
from routing.model.collected import CollectedEndpoints, CollectedTransmissions
from routing.model.estate import Database, Instance
from routing.model.route import Route


def object_as_json(value: Any) -> Any:
    """Return an instance, a database, a member or a setting; None stays None."""
    match value:
        case Route():
            return route_as_json(value)
        case Service():
            return service_as_json(value)
        case Database():
            return database_as_json(value)
        case Instance():
            return instance_as_json(value)
        case CollectedTransmissions() | CollectedEndpoints():
            return collected_as_json(value)
        case Address():
            return value.text
        case tuple():
            return [object_as_json(one) for one in value]
        case None | bool() | int() | str():
            return value
    return part_as_json(value)
