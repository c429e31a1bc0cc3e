"""A preview of a change before it is saved: findings at the fields they are about, and how conversations end then."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from brokerui.analysis.effect.change import change_of_edits
from brokerui.analysis.effect.consent import NO_CHANGE, SavePreview, save_preview
from brokerui.analysis.lint.finding_text import place
from brokerui.analysis.lint.remedy_offer import NO_REMEDY, RemedyOffer
from brokerui.analysis.remedies.trials import RemedyTrials
from brokerui.core.cache import LruCache
from brokerui.pages.tables.field_mapping import field_of, key_of, kind_of
from brokerui.pages.tables.form_fields import WAS
from brokerui.pages.tables.form_page import FormPage
from brokerui.pages.tables.row_kinds import Key
from brokerui.pages.tables.unsaved_edits import UnsavedEdits
from routing.common.finding import ERROR, Finding
from routing.lint.registry import lint_around
from routing.model.estate import Estate

TRIED_S = 0.5
"""Seconds of a form for trying remedies."""
COMPARED_S = 0.3
"""Seconds that a form compares conversations before it shows how far it came; it asks again by itself."""
KEPT = 30
_before: LruCache[dict[tuple[str | None, ...], Finding]] = LruCache(KEPT)


@dataclass(frozen=True, slots=True)
class Note:
    """A finding as a form tells it."""

    finding: Finding
    is_new: bool
    """Whether the change brings it."""
    offer: RemedyOffer = NO_REMEDY
    """Its remedy, tried on the estate with the change."""
    where: str = ""
    """The object, where the form does not show it."""


@dataclass(slots=True)
class ChangePreview:
    """The effect of a change: outcomes that differ, and findings that come or go."""

    at_fields: dict[str, list[Note]] = field(default_factory=dict)
    """By name of the field."""
    others: list[Note] = field(default_factory=list)
    """Findings without a field on this form: about the object as a whole, or about another one."""
    solved: int = 0
    """Findings that are gone then."""
    save: SavePreview = NO_CHANGE
    """The effect on conversations, with the token to confirm."""
    is_change: bool = False

    @property
    def placed(self) -> int:
        """How many findings stand at a field."""
        return sum(map(len, self.at_fields.values()))

    @property
    def errors(self) -> list[Note]:
        """Return the effects of the change that must not go unnoticed."""
        notes = [*self.others, *(note for notes in self.at_fields.values() for note in notes)]
        return [note for note in notes if note.is_new and note.finding.severity == ERROR]

    @property
    def warnings(self) -> list[tuple[str | None, ...]]:
        """The new errors, which are confirmed together with the conversations that get worse."""
        return [identity_of(note.finding) for note in self.errors]


def change_preview(form_page: FormPage, draft: UnsavedEdits, at: datetime) -> ChangePreview:
    """The preview of a form; if it changes nothing, the findings about the object as it is."""
    key = form_page.name_of or form_page.owner or ()
    around = key[:1] if form_page.kind.name == "instance" else key[:2]
    preview = _preview_of(draft, at, [around], places(form_page))
    return _compared(preview, draft, at, preview.warnings)


def change_preview_of_all(draft: UnsavedEdits, at: datetime, arounds: Iterable[Key]) -> ChangePreview:
    """The preview of a change without a form."""
    return _compared(_preview_of(draft, at, arounds, {}), draft, at, ())


def _compared(preview: ChangePreview, draft: UnsavedEdits, at: datetime, warnings: Collection[object]) -> ChangePreview:
    preview.save = save_preview(change_of_edits(draft.live, draft.edits), at, COMPARED_S, warnings)
    return preview


def places(form_page: FormPage) -> dict[tuple[str, Key], Any]:
    """The form of every object that the form page shows."""
    found: dict[tuple[str, Key], Any] = {}
    key = form_page.name_of if form_page.data is not None or form_page.key else None
    if key is None:
        return found
    found[form_page.kind.name, key] = form_page.form
    for section in form_page.sections:
        if section.kind is None or section.formset is None:
            continue
        for form in section.formset.forms:
            name = form.initial.get(WAS) or getattr(form, "cleaned_data", {}).get("name")
            if name:
                found[section.kind.name, (*key, name)] = form
    return found


def _preview_of(
    draft: UnsavedEdits, at: datetime, arounds: Iterable[Key], forms: Mapping[tuple[str, Key], Any]
) -> ChangePreview:
    arounds = list(dict.fromkeys(arounds))
    # To the minute: findings of the estate as it is need not be computed for every letter that is typed.
    at = at.replace(second=0, microsecond=0)
    before = _before.get_or_make((draft.live.digest, at, *arounds), lambda: findings_around(draft.before, at, arounds))
    after = findings_around(draft.after, at, arounds) if draft else before
    preview = ChangePreview(is_change=bool(draft))
    trials = RemedyTrials(draft.after if draft else draft.before, at, TRIED_S)
    for identity, finding in after.items():
        _place(preview, Note(finding, identity not in before), forms, trials)
    preview.solved = sum(1 for identity in before if identity not in after)
    return preview


def _place(preview: ChangePreview, note: Note, forms: Mapping[tuple[str, Key], Any], trials: RemedyTrials) -> None:
    finding = note.finding
    form, column = forms.get((kind_of(finding), key_of(finding))), field_of(finding)
    if form is None and not note.is_new:
        return
    note = replace(note, offer=trials.of(finding))
    if form is not None and column in form.fields:
        preview.at_fields.setdefault(form[column].html_name, []).append(note)
    elif form is not None:
        preview.others.append(note)
    else:
        preview.others.append(replace(note, where=place(finding)))


def identity_of(finding: Finding) -> tuple[str | None, ...]:
    """Return what a finding is about: equal before and after a change that leaves it."""
    return finding.code, finding.severity, finding.instance, finding.database, finding.object


def findings_around(estate: Estate, at: datetime, arounds: list[Key]) -> dict[tuple[str | None, ...], Finding]:
    """Return the findings of these instances and databases, by what they are about."""
    found: dict[tuple[str | None, ...], Finding] = {}
    for around in arounds:
        if around and _is_there(estate, around):
            found.update(
                (identity_of(one), one)
                for one in lint_around(estate, at, around[0], around[1] if len(around) > 1 else None)
            )
    return found


def _is_there(estate: Estate, around: Key) -> bool:
    instance = estate.instances.get(around[0])
    return instance is not None and (len(around) == 1 or around[1] in instance.databases)
