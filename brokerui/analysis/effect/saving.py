"""Writing the live estate from a page: each save shows its effect first, and asks where conversations get worse.

Programs write through REST and the command line, which ask nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.utils import timezone

from brokerui.analysis.effect.change import Change, change_of, change_of_edits, change_of_rollback
from brokerui.analysis.effect.consent import NO_CHANGE, SavePreview, preview_of_effect
from brokerui.analysis.effect.effect import effect_of
from brokerui.changes import applying
from brokerui.changes.applying import Confirmation
from brokerui.changes.models import SavedDraft
from brokerui.changes.rolling_back import RollbackPlan
from brokerui.changes.selectors import draft_get
from brokerui.estate.selectors import LiveEstate
from brokerui.estate.services import estate_edit
from routing.model.estate import Edit

SAVE_S = 2.0
"""Seconds that a save waits for its effect; one that takes longer is confirmed as not fully counted."""


def edits_save(
    *,
    live: LiveEstate,
    edits: Sequence[Edit],
    note: str,
    author: str,
    consent: str,
    warnings: Collection[object] = (),
) -> LiveEstate:
    """Write edits of the live estate as the page has read it.

    Raises `ConsentMissingError` with the preview, `EstateStaleError`, and `Invalid`. Nothing is written then.
    """
    _preview(change_of_edits(live, edits), warnings).require(consent)
    return estate_edit(edits=edits, base_version=live.version, author=author, note=note)


def draft_apply(
    *, number: int, revision: int, confirmation: Confirmation | None = None, consent: str, author: str
) -> SavedDraft:
    """Apply a draft that a page shows. Raises `ConsentMissingError`, and what `applying.draft_apply` raises."""
    _preview(change_of(draft_get(number)))  # compared before anything is locked

    def check(draft: SavedDraft) -> None:
        _preview(change_of(draft)).require(consent)

    return applying.draft_apply(
        number=number, revision=revision, confirmation=confirmation, before_write=check, author=author
    )


def draft_roll_back(*, number: int, revision: int, comment: str = "", consent: str, author: str) -> SavedDraft:
    """Roll a draft back that a page shows. Raises `ConsentMissingError`, and what `applying.draft_roll_back` raises."""

    def check(plan: RollbackPlan) -> None:
        _preview(change_of_rollback(number, plan)).require(consent)

    return applying.draft_roll_back(
        number=number, revision=revision, comment=comment, before_write=check, author=author
    )


def _preview(change: Change, warnings: Collection[object] = ()) -> SavePreview:
    """Compare for as long as a save waits. It requests no background job: the page that asks for consent does."""
    if change.is_none:
        return NO_CHANGE
    return preview_of_effect(effect_of(change, timezone.now()).work(SAVE_S), change, warnings)
