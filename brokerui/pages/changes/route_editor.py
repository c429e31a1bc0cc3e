"""The form of a route in a draft, as the panel beside the map shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_estate
from brokerui.core.templatetags.wording import sentence_text
from brokerui.pages.changes.draft_form import DraftForm
from brokerui.pages.changes.edit_field import EditField
from brokerui.pages.changes.route_facts import RouteFacts
from brokerui.pages.changes.route_start import RouteStart, prefilled, route_start_from, table_of
from brokerui.pages.tables.row_kinds import ROUTE, document_of
from brokerui.pages.tables.typed_route import typed_route
from routing.common.errors import Invalid
from routing.common.finding import Finding
from routing.common.sentence import Sentence, say
from routing.model.address import LOCAL
from routing.model.estate import Estate
from routing.remedies.applying import with_msdb

LABELS: tuple[tuple[str, Promise, Promise | str], ...] = (
    ("name", _("Name"), ""),
    ("remote_service_name", _("Service"), _("any service")),
    ("broker_instance", _("Broker identifier"), _("any")),
    ("address", _("Address"), "tcp://HOST:4022"),
    ("mirror_address", _("Mirror"), _("none")),
    ("lifetime", _("Lifetime"), _("never ends")),
)
"""Column, label, and what stands in the field while it is empty."""


class RouteEditor:
    """A new route from a database, or one that is there, as it was sent, or as far as it is known."""

    def __init__(
        self, draft: SavedDraft, query: Mapping[str, str], at: datetime, sent: Mapping[str, str] | None = None
    ) -> None:
        """`query` names the place, and the route or where a new one is to lead. Raises LookupError for none."""
        self.start, self.name = route_start_from(query), query.get("route", "")
        self.is_fresh = sent is None
        place = self.start.instance, self.start.database
        estate = with_msdb(draft_estate(draft).estate, place[0])
        _check_place(estate, self.start, self.name)
        values = _known(estate, self.start, self.name, query) if sent is None else sent
        fixed = {"place": "/".join(place), **({"name": self.name} if self.name else {})}
        key = (*place, self.name) if self.name else None
        self.form = DraftForm(draft, ROUTE, key, at, {**values, **fixed}, instance=place[0])

    @property
    def query(self) -> str:
        """The query that names the form again, without the proposed values."""
        named = {"from_instance": self.start.instance, "from_database": self.start.database, "route": self.name}
        return urlencode({name: value for name, value in named.items() if value})

    @cached_property
    def columns(self) -> dict[str, str]:
        """The values as the fields show them."""
        return {name: str(self.form.page.form[name].value() or "") for name, _label, _empty in LABELS}

    @cached_property
    def facts(self) -> RouteFacts:
        return RouteFacts(self.form.estate, self.start.instance, self.start.database, self.columns)

    @cached_property
    def fields(self) -> list[EditField]:
        faults: Mapping[str, Sequence[str]] = {} if self.is_fresh else {**self._of_the_engine(), **self.form.faults}
        findings, facts = self.form.findings, self.facts.facts
        choices = {
            "remote_service_name": self.facts.services,
            "broker_instance": self.facts.identifiers,
            "address": self.facts.addresses,
        }
        return [
            EditField(
                name=name,
                label=label,
                placeholder=empty,
                value=self.columns[name],
                is_fixed=name == "name" and bool(self.name),
                faults=faults.get(name, ()),
                findings=findings.get(name, ()),
                fact=facts.get(name),
                choices=choices.get(name, ()),
                offers=self._offers(name, len(choices.get(name, ()))),
            )
            for name, label, empty in LABELS
        ]

    def _of_the_engine(self) -> dict[str, list[str]]:
        """Return the objections of the engine to a value, also while another field is still empty."""
        columns = {name: value or None for name, value in self.columns.items()}
        try:
            typed_route({**columns, "name": columns["name"] or "x", "address": columns["address"] or LOCAL})
        except Invalid as fault:
            return {fault.path: [sentence_text(fault.problem)]}
        return {}

    def _offers(self, name: str, count: int) -> Sentence:
        if name == "remote_service_name" and self.target:
            return say("{count} on {instance}", count=count, instance=self.target)
        return say("{count} to choose from", count=count)

    @property
    def target(self) -> str:
        """The name of the instance that the route leads to; empty: it is not known."""
        return self.facts.target.name if self.facts.target is not None else ""

    @property
    def problems(self) -> Sequence[str]:
        """Return the problems that concern no field."""
        return () if self.is_fresh else self.form.faults.get("", ())

    @property
    def others(self) -> Sequence[Finding]:
        """Return the findings that lint would add elsewhere."""
        return self.form.findings.get("", ())


def _check_place(estate: Estate, start: RouteStart, name: str) -> None:
    here = estate.instances.get(start.instance)
    if here is None or start.database not in here.databases:
        raise LookupError(start.database)
    if name and name not in here.databases[start.database].table.routes:
        raise LookupError(name)


def _known(estate: Estate, start: RouteStart, name: str, query: Mapping[str, str]) -> Mapping[str, str]:
    """Return the columns that are proposed for a new route; those of a route that is there, with the changes."""
    if not name:
        return prefilled(estate, start)
    columns = document_of(ROUTE, table_of(estate, start.instance, start.database).routes[name])
    changed = {column: query[column] for column, _label, _empty in LABELS if column in query and column != "name"}
    return {**{column: value or "" for column, value in columns.items()}, **changed}
