"""Moving a draft onto the live version, where the live estate has moved on since the draft was begun."""

from __future__ import annotations

from django.db import transaction

from brokerui.changes.errors import CollisionError
from brokerui.changes.models import DraftState, ReviewAction, SavedDraft
from brokerui.changes.selectors import base_version_of, draft_base, draft_edits, draft_estate
from brokerui.changes.splice import Edits
from brokerui.changes.writing import locked, review, write
from brokerui.estate.models import Version
from brokerui.estate.packing import pack_edits
from brokerui.estate.selectors import estate_current
from routing.common.errors import Invalid
from routing.model.edits_between import edits_between
from routing.model.estate import Estate
from routing.model.merging import Merge, merge


def rebase_trial(draft: SavedDraft) -> Merge:
    """Return what a rebase would come to: the estate, or the objects that collide. Nothing is written."""
    return merge(draft_base(draft).estate, estate_current().estate, draft_estate(draft).estate)


@transaction.atomic
def draft_rebase(*, number: int, revision: int, author: str) -> SavedDraft:
    """Make the live version the base of a draft. Its steps are forgotten: they led over the old base.

    Raises `CollisionError` where both changed an object, each in another way; then nothing is written.
    """
    draft = locked(number, revision, DraftState.DRAFT)
    live = estate_current()
    if live.version == base_version_of(draft):
        return draft
    merged = rebase_trial(draft)
    if merged.estate is None:
        raise CollisionError(merged)
    edits = _edits_onto(live.estate, merged.estate, draft_edits(draft))
    draft.base = Version.objects.defer("document", "edits").get(number=live.version)
    draft.edits, draft.edit_count = pack_edits(edits), len(edits)
    draft.steps.all().delete()
    draft.first_step = draft.last_step = draft.step
    review(draft, ReviewAction.REBASE, author)
    return write(draft, "rebase", author, version=draft.base)


def _edits_onto(live: Estate, merged: Estate, edits: Edits) -> Edits:
    """Return the edits of the draft where they lead to the merged estate from the live one too, else others that do."""
    try:
        if not edits_between(live.edited(edits), merged):
            return edits
    except Invalid:
        pass
    return edits_between(live, merged)
