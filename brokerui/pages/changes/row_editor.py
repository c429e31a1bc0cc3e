"""The forms of instances, databases and services in a draft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from urllib.parse import urlencode

from django.http import QueryDict

from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_estate
from brokerui.estate.refs import Ref, database, instance_ref
from brokerui.pages.changes.draft_form import DraftForm
from brokerui.pages.changes.route_facts import FieldChoice
from brokerui.pages.changes.route_start import LISTED
from brokerui.pages.tables.form_page import Section
from brokerui.pages.tables.row_kinds import DATABASE, INSTANCE, SERVICE, Key, RowKind, find
from routing.common.finding import Finding
from routing.model.estate import Estate

EDITED: Mapping[str, RowKind] = {
    # A database takes its routes and services one by one: each has a form of its own.
    kind.name: kind
    for kind in (INSTANCE, replace(DATABASE, holds=()), SERVICE)
}


class RowEditor:
    """A new row, or one that is there, as far as it was sent."""

    def __init__(
        self, draft: SavedDraft, kind: RowKind, query: QueryDict, at: datetime, sent: QueryDict | None = None
    ) -> None:
        """`query` names a row by its `key`, or the `place` and `name` of a new one. Raises LookupError for none."""
        self.kind, self.place = kind, query.get("place", "")
        key = self.key = tuple(query.getlist("key")) or None
        if key is not None and (len(key) != kind.depth or find(kind, draft_estate(draft).estate, key) is None):
            raise LookupError("/".join(key))
        self.form = DraftForm(draft, kind, key, at, sent)
        if sent is None and self.form.page.place is not None:
            self.form.page.place.initial["place"] = self.place
        if sent is None and key is None and "name" in query:
            self.form.page.form.initial["name"] = query["name"]

    @property
    def query(self) -> str:
        """The query that names the form again."""
        return urlencode(
            [*(("key", part) for part in self.key or ()), *((("place", self.place),) if self.place else ())]
        )

    @property
    def name(self) -> str:
        return self.key[-1] if self.key else ""

    @property
    def sections(self) -> list[Section]:
        """The lists that are part of the row."""
        return self.form.page.sections

    @property
    def places(self) -> tuple[FieldChoice, ...]:
        """Where a new one can be."""
        return tuple(FieldChoice(place, "") for place in _places(self.form.estate, self.kind.depth))[:LISTED]

    @property
    def problems(self) -> Sequence[str]:
        return self.form.faults.get("", ())

    @property
    def others(self) -> Sequence[Finding]:
        """Return the findings that lint would add and that concern no field of the form."""
        shown = {form[name].html_name for form in self.form.page.forms for name in form.fields}
        return [one for field, found in self.form.findings.items() if field not in shown for one in found]

    @property
    def ref(self) -> Ref:
        """The row on the map, once the form is valid; of a service its database."""
        key: Key = self.form.page.name_of or ()
        return instance_ref(key[0]) if self.kind is EDITED["instance"] else database(key[0], key[1])


def _places(estate: Estate, depth: int) -> list[str]:
    if depth == 2:
        return list(estate.instances)
    return [f"{instance.name}/{name}" for instance in estate.instances.values() for name in instance.databases]
