"""A route from the texts of a form."""

from __future__ import annotations

from collections.abc import Mapping

from brokerui.core.typed_moments import document_text
from routing.common.errors import Invalid
from routing.documents.json_decoders import route_from
from routing.model.route import Route


def typed_route(columns: Mapping[str, str | None]) -> Route:
    """Return the route; its lifetime is in the zone of the reader unless the text says another. Raises `Invalid` with
    the column."""
    route: Route = route_from({**columns, "lifetime": _in_utc(columns.get("lifetime"))})
    return route


def _in_utc(text: str | None) -> str | None:
    try:
        return document_text(text) if text else None
    except Invalid as fault:
        raise Invalid("lifetime", fault.problem) from None
