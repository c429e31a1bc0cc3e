"""A change: an estate before and after it, and where a worker finds both again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from brokerui.changes.errors import DraftNotFoundError
from brokerui.changes.models import SavedDraft
from brokerui.changes.rolling_back import RollbackPlan, rollback_plan
from brokerui.changes.selectors import draft_base, draft_estate, draft_get
from brokerui.estate.edit_list import apply_edit_list
from brokerui.estate.errors import VersionNotFoundError
from brokerui.estate.packing import digest_of, pack_edits
from brokerui.estate.selectors import EMPTY, LiveEstate, estate_as_of
from routing.common.errors import Invalid
from routing.documents.edits_json import edits_as_json, edits_from
from routing.model.estate import Edit

FIRST = LiveEstate(0, "", EMPTY)
"""The empty estate before the first version."""


@dataclass(frozen=True, slots=True)
class ChangeSource:
    """Where the estates of a change come from: two versions, or a draft or a version with further edits."""

    draft: int | None = None
    rolls_back: int | None = None
    """The applied draft whose rollback it is."""
    versions: tuple[int, int] | None = None
    version: int | None = None
    edits: Sequence[Edit] = ()
    """Further edits of the draft or of the version, not yet saved."""

    def as_json(self) -> dict[str, Any]:
        """Return it as the payload of a background job."""
        found = {"draft": self.draft, "rolls_back": self.rolls_back, "versions": self.versions, "version": self.version}
        payload: dict[str, Any] = {name: value for name, value in found.items() if value is not None}
        return payload | ({"edits": edits_as_json(self.edits)} if self.edits else {})


@dataclass(frozen=True, slots=True)
class Change:
    """An estate before and after a change."""

    before: LiveEstate
    after: LiveEstate
    source: ChangeSource

    @property
    def digests(self) -> tuple[str, str]:
        return self.before.digest, self.after.digest

    @property
    def is_none(self) -> bool:
        return self.before.digest == self.after.digest


def change_of(draft: SavedDraft, further: Sequence[Edit] = ()) -> Change:
    """Return what a draft changes, or what further edits would change of it. Raises `Invalid` with `edits[INDEX]`."""
    made = draft_estate(draft)
    if not further:
        return Change(draft_base(draft), made, ChangeSource(draft=draft.pk))
    return Change(made, _edited(made, further), ChangeSource(draft=draft.pk, edits=tuple(further)))


def change_of_edits(before: LiveEstate, edits: Sequence[Edit]) -> Change:
    """Return what edits would change of a version. Raises `Invalid` with `edits[INDEX]`."""
    after = _edited(before, edits) if edits else before
    return Change(before, after, ChangeSource(version=before.version, edits=tuple(edits)))


def change_of_rollback(draft: int, plan: RollbackPlan) -> Change:
    """Return what a rollback that is possible would change of the live estate."""
    assert plan.edits is not None
    after = _edited(plan.live, plan.edits) if plan.edits else plan.live
    return Change(plan.live, after, ChangeSource(rolls_back=draft))


def change_between(before: LiveEstate, after: LiveEstate) -> Change:
    """Return what differs between two versions."""
    return Change(before, after, ChangeSource(versions=(before.version, after.version)))


def version_or_first(number: int) -> LiveEstate:
    """Return a version; of 0 the empty estate before the first. Raises `VersionNotFoundError`."""
    return estate_as_of(version=number) if number else FIRST


def change_from_json(kept: Mapping[str, Any]) -> Change | None:
    """Return the change of a background job; None where what it is about is gone, or can no longer be made."""
    try:
        return _found(kept)
    except (DraftNotFoundError, VersionNotFoundError, Invalid):
        return None


def _found(kept: Mapping[str, Any]) -> Change | None:
    edits = edits_from(kept.get("edits", []))
    if "versions" in kept:
        return change_between(*map(version_or_first, kept["versions"]))
    if "version" in kept:
        return change_of_edits(version_or_first(kept["version"]), edits)
    if "rolls_back" not in kept:
        return change_of(draft_get(kept["draft"]), edits)
    draft = draft_get(kept["rolls_back"])
    plan = rollback_plan(draft) if draft.applied is not None else None
    return change_of_rollback(draft.pk, plan) if plan is not None and plan.is_possible else None


def _edited(before: LiveEstate, edits: Sequence[Edit]) -> LiveEstate:
    after = apply_edit_list(before.estate, edits)
    return LiveEstate(before.version, digest_of(before.digest, None, pack_edits(edits)), after)
