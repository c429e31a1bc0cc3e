"""The form of one row of a draft's estate: the edit that it would add to the draft, and its faults."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any

from brokerui.changes.edit_sql import InstanceSql, edits_as_sql
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_estate
from brokerui.pages.tables.change_preview import findings_around
from brokerui.pages.tables.field_mapping import field_of, key_of, kind_of
from brokerui.pages.tables.form_page import FormPage
from brokerui.pages.tables.row_kinds import Key, RowKind
from routing.common.finding import Finding
from routing.documents.edits_json import edits_as_json
from routing.model.estate import Edit, Estate
from routing.remedies.applying import with_msdb


class DraftForm:
    """`key` names the row; None for a new one, whose place is sent with it."""

    def __init__(
        self,
        draft: SavedDraft,
        kind: RowKind,
        key: Key | None,
        at: datetime,
        data: Mapping[str, Any] | None = None,
        *,
        instance: str = "",
    ) -> None:
        self.draft, self.kind, self.key, self.at = draft, kind, key, at
        edited = draft_estate(draft)
        live = replace(edited, estate=with_msdb(edited.estate, instance)) if instance else edited
        self.page = FormPage(kind, live, key, data)

    @property
    def estate(self) -> Estate:
        """The estate of the draft, before what the form would add."""
        return self.page.estate

    @property
    def is_new(self) -> bool:
        return self.key is None

    @cached_property
    def edits(self) -> tuple[Edit, ...] | None:
        """Return the edits of the form; None where something in it is invalid."""
        made = self.page.draft
        return None if made is None else tuple(made.edits)

    @property
    def faults(self) -> dict[str, list[str]]:
        """Return the problems by field; under an empty name, those of no field."""
        of_the_whole = [str(problem) for problem in self.page.form.non_field_errors()] if self.page.data else []
        return {**self.page.faults, **({"": of_the_whole} if of_the_whole else {})}

    @cached_property
    def sql(self) -> tuple[InstanceSql, ...]:
        return edits_as_sql(self.estate, self.edits, self.at) if self.edits else ()

    @property
    def edits_json(self) -> str:
        """The edits as the line of effect takes them."""
        return json.dumps(edits_as_json(self.edits or ()))

    @cached_property
    def findings(self) -> dict[str, list[Finding]]:
        """Return the findings that lint would add, by field; under an empty name, those about no field of the form."""
        found: dict[str, list[Finding]] = {}
        if not self.edits:
            return found
        key = self.page.name_of or ()
        for finding in _new_findings(self.estate, self.edits, key, self.at):
            is_here = (kind_of(finding), key_of(finding)) == (self.kind.name, key)
            found.setdefault(field_of(finding) if is_here else "", []).append(finding)
        return found


def _new_findings(estate: Estate, edits: Sequence[Edit], key: Key, at: datetime) -> list[Finding]:
    around = [key[:2]]
    minute = at.replace(second=0, microsecond=0)
    before = findings_around(estate, minute, around)
    after = findings_around(estate.edited(edits), minute, around)
    return [finding for identity, finding in after.items() if identity not in before]
