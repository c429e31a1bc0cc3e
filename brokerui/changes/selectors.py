"""Reading drafts. Pages and REST ask here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from django.db.models import Q, QuerySet

from brokerui.changes.errors import DraftNotFoundError
from brokerui.changes.models import PENDING, DraftState, SavedDraft
from brokerui.changes.splice import Edits
from brokerui.estate.cache import estates
from brokerui.estate.edit_list import apply_edit_list
from brokerui.estate.packing import digest_of, unpack_edits
from brokerui.estate.selectors import EMPTY, LiveEstate, estate_as_of, live_version
from brokerui.estate.services import instances_changed
from routing.model.estate import Estate

LISTED = 100
DIGITS = 10
"""From which on a number is none of a draft."""


@dataclass(frozen=True, slots=True)
class DraftInfo:
    """A draft as pages name it."""

    id: int
    name: str
    author: str
    state: str
    base_version: int
    """0: the empty estate before the first version."""
    live_version: int
    edit_count: int
    undo: int
    """Steps that can be taken back; `redo`: steps that were."""
    redo: int
    revision: int
    """The revision that a writer names to say which state of the draft it has seen."""

    @property
    def is_stale(self) -> bool:
        """Whether the live estate has another version by now than the one that the edits were made on, so that they
        must be rebased before they can be applied."""
        return self.state in PENDING and self.base_version != self.live_version

    @property
    def is_open(self) -> bool:
        """Whether the draft takes edits."""
        return self.state == DraftState.DRAFT


def draft_get(number: int) -> SavedDraft:
    """Return the draft of this number, with its base. Raises `DraftNotFoundError`."""
    found = _rows().filter(id=number).first()
    if found is None:
        raise DraftNotFoundError(number)
    return found


def draft_list(
    *, state: str = "", author: str = "", before: int | None = None, limit: int = LISTED
) -> list[SavedDraft]:
    """Return the newest drafts first, without their edits; `before` goes on below the draft of this number."""
    rows = _rows().defer("edits")
    if state:
        rows = rows.filter(state=state)
    if author:
        rows = rows.filter(author=author)
    return list((rows if before is None else rows.filter(id__lt=before))[:limit])


def drafts_named(text: str, limit: int) -> list[SavedDraft]:
    """Return the newest drafts whose name has the text, or whose number it is; without their edits."""
    numbered = Q(id=int(text)) if text.isdecimal() and text.isascii() and len(text) < DIGITS else Q()
    return list(_rows().defer("edits").filter(Q(name__icontains=text) | numbered)[:limit])


def draft_info(draft: SavedDraft) -> DraftInfo:
    """Return what pages say of a draft."""
    return DraftInfo(
        id=draft.id,
        name=draft.name,
        author=draft.author,
        state=draft.state,
        base_version=base_version_of(draft),
        live_version=live_version(),
        edit_count=draft.edit_count,
        undo=draft.step - draft.first_step,
        redo=draft.last_step - draft.step,
        revision=draft.revision,
    )


def base_version_of(draft: SavedDraft) -> int:
    """Return the number of the version that the edits are made on; 0: the empty estate."""
    return draft.base.number if draft.base else 0


def draft_edits(draft: SavedDraft) -> Edits:
    """Return the edits that are in force, in order."""
    return unpack_edits(draft.edits)


def draft_base(draft: SavedDraft) -> LiveEstate:
    """Return the estate that the edits are made on."""
    if draft.base is None:
        return LiveEstate(0, "", EMPTY)
    return estate_as_of(version=draft.base.number)


def draft_estate(draft: SavedDraft) -> LiveEstate:
    """Return the estate with the edits. Its digest is the one that a version made of these edits would have."""
    base = draft_base(draft)
    if not draft.edit_count:
        return base
    digest = digest_of(base.digest, None, bytes(draft.edits))
    return LiveEstate(base.version, digest, estates.get_or_make(digest, partial(_edited, base.estate, draft)))


def instances_edited(draft: SavedDraft) -> set[str]:
    """Return the names of instances that the edits in force change."""
    return instances_changed(draft_base(draft).estate, draft_estate(draft).estate)


def _edited(base: Estate, draft: SavedDraft) -> Estate:
    return apply_edit_list(base, draft_edits(draft))


def _rows() -> QuerySet[SavedDraft]:
    versions = ("base", "applied", "rolled_back")
    held = [f"{version}__{content}" for version in versions for content in ("document", "edits")]
    return SavedDraft.objects.select_related(*versions).defer(*held)
