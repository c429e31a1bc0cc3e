"""Filters by instance and database take places as answers and pages print them: `HOST/DB` and `DB on HOST`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from brokerui.analysis.explanations.origin import ON, as_origin, meant
from routing.model.estate import Estate


def with_printed_place(query: Mapping[str, Any], estate: Estate) -> dict[str, Any]:
    """The query with instance and database by themselves, where its `database` names both; a database whose own name
    is that text comes first."""
    text = query.get("database")
    if text is None or ("/" not in text and ON not in text) or _is_name(text, estate):
        return dict(query)
    places = meant(as_origin(text, estate), estate)
    if len(places) != 1 or query.get("instance", places[0][0]) != places[0][0]:
        return dict(query)
    return {**query, "instance": places[0][0], "database": places[0][1]}


def _is_name(text: str, estate: Estate) -> bool:
    return any(text in instance.databases for instance in estate.instances.values())
