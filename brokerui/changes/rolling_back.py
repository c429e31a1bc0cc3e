"""The edits that rolling an applied draft back would write. They are tried here before a page offers them."""

from __future__ import annotations

from dataclasses import dataclass

from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_base
from brokerui.changes.splice import Edits
from brokerui.estate.selectors import LiveEstate, estate_as_of, estate_current
from routing.common.errors import Invalid
from routing.model.edits_between import edits_between
from routing.model.merging import Merge, merge


@dataclass(frozen=True)
class RollbackPlan:
    """The edits of a rollback, or why there are none."""

    live: LiveEstate
    """The estate that the edits were made on."""
    is_exact: bool
    """Nothing was written since: the document will be the one from before, byte for byte."""
    merged: Merge
    edits: Edits | None
    """None: it cannot be rolled back; `merged` says why."""

    @property
    def is_possible(self) -> bool:
        return self.edits is not None


def rollback_plan(draft: SavedDraft) -> RollbackPlan:
    """Return what rolling an applied draft back would write on the live estate as it is now."""
    assert draft.applied is not None
    live, before = estate_current(), draft_base(draft)
    is_exact = live.version == draft.applied.number
    applied = live if is_exact else estate_as_of(version=draft.applied.number)
    merged = merge(applied.estate, live.estate, before.estate)
    if merged.estate is None:
        return RollbackPlan(live, is_exact, merged, None)
    edits = edits_between(live.estate, merged.estate)
    try:
        is_proved = not edits_between(live.estate.edited(edits), merged.estate)
    except Invalid as fault:
        return RollbackPlan(live, is_exact, Merge(None, fault=fault), None)
    assert is_proved
    return RollbackPlan(live, is_exact, merged, edits)
