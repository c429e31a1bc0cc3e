"""Addresses of other pages about the same thing. A page that is not there has none."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from django.urls import NoReverseMatch, reverse

from brokerui.analysis.explanations.origin import OUTSIDE, origin_text
from brokerui.core.filters import Term, as_text
from routing.common.names import MSDB
from routing.model.estate import Estate


def page(view: str, query: Mapping[str, str]) -> str:
    """With what the query names; empty where there is no such page."""
    try:
        url = reverse(view)
    except NoReverseMatch:
        return ""
    return f"{url}?{urlencode(query)}" if query else url


def where(viewed: Mapping[str, str], estate: Estate, instance: str, database: str, **more: str | None) -> str:
    """*Where does it go?* for what begins in a database; for msdb, for what arrives from outside."""
    begin = OUTSIDE + instance if database == MSDB else origin_text(estate, instance, database)
    return page("where:where", {**viewed, "from": begin, **{k: v for k, v in more.items() if v}})


def routes(viewed: Mapping[str, str], instance: str, database: str = "", **more: str) -> str:
    """The table of the routes of an instance, or of one of its databases."""
    return page("routes:list", {**viewed, "q": as_text(_terms(instance, database)), **more})


def findings(viewed: Mapping[str, str], instance: str, database: str = "") -> str:
    return page("findings:list", {**viewed, "q": as_text(_terms(instance, database))})


def _terms(instance: str, database: str) -> list[Term]:
    return [Term(instance, "instance"), *([Term(database, "database")] if database else [])]
