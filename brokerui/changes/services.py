"""Writing drafts: each function is one transaction and one entry of the audit. None of them touches the live estate."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from brokerui.changes.errors import NoStepError, NothingToRestoreError, TooManyEditsError
from brokerui.changes.models import PENDING, DraftState, DraftStep, SavedDraft
from brokerui.changes.selectors import draft_base, draft_edits, draft_estate
from brokerui.changes.splice import Edits, Splice, splice_between
from brokerui.changes.writing import AUDITED, audit_draft, locked, write
from brokerui.estate.audit_changes import changes_of, values_of
from brokerui.estate.edit_list import apply_edit_list
from brokerui.estate.models import Version
from brokerui.estate.packing import pack_edits, unpack_edits
from brokerui.estate.selectors import LiveEstate, estate_as_of, estate_current
from routing.model.edits_between import edits_between
from routing.model.estate import Edit

MAX_EDITS = 10_000
"""Edits of one draft."""
MAX_STEPS = 1_000
"""Steps that undo can take back; older ones are forgotten."""


@transaction.atomic
def draft_create(*, name: str, description: str = "", edits: Sequence[Edit] = (), author: str) -> SavedDraft:
    """Begin a draft on the live version. Raises `Invalid` for an edit that it cannot take, with `edits[INDEX]`."""
    return _begun(estate_current(), name=name, description=description, edits=edits, author=author)


@transaction.atomic
def draft_from_version(*, version: int, author: str) -> SavedDraft:
    """Begin a draft whose edits give the live estate what it had in an earlier version.

    Raises `VersionNotFoundError`, `NothingToRestoreError` where nothing differs, and `TooManyEditsError`.
    """
    live, earlier = estate_current(), estate_as_of(version=version)
    edits = edits_between(live.estate, earlier.estate)
    if not edits:
        raise NothingToRestoreError(version=version)
    return _begun(live, name=f"Restore version {version}", edits=edits, author=author)


def _begun(live: LiveEstate, *, name: str, description: str = "", edits: Sequence[Edit], author: str) -> SavedDraft:
    """Write a draft on the live estate as the caller read it: the edits were made for exactly this one."""
    now = timezone.now()
    _check_count(len(edits))
    apply_edit_list(live.estate, edits)
    base = Version.objects.defer("document", "edits").get(number=live.version) if live.version else None
    draft = SavedDraft.objects.create(
        name=name,
        description=description,
        author=author,
        base=base,
        created_at=now,
        updated_at=now,
        edits=pack_edits(edits),
        edit_count=len(edits),
    )
    audit_draft(draft, "create", author, changes=changes_of(None, values_of(draft, *AUDITED)))
    return draft


@transaction.atomic
def draft_describe(
    *, number: int, revision: int, name: str | None = None, description: str | None = None, author: str
) -> SavedDraft:
    """Give a draft another name or description; None leaves it as it is."""
    draft = locked(number, revision, DraftState.DRAFT)
    draft.name = draft.name if name is None else name
    draft.description = draft.description if description is None else description
    return write(draft, "describe", author)


@transaction.atomic
def draft_discard(*, number: int, revision: int, author: str) -> SavedDraft:
    """Close a draft; it stays in the list, with its edits."""
    draft = locked(number, revision, *PENDING)
    draft.state = DraftState.DISCARDED
    return write(draft, "discard", author)


@transaction.atomic
def edits_replace(*, number: int, revision: int, edits: Sequence[Edit], author: str) -> SavedDraft:
    """Give a draft this list of edits. Raises `Invalid` with `edits[INDEX]` for one that its base cannot take."""
    draft = locked(number, revision, DraftState.DRAFT)
    apply_edit_list(draft_base(draft).estate, edits)
    return _stepped(draft, tuple(edits), author)


@transaction.atomic
def edits_append(*, number: int, revision: int, edits: Sequence[Edit], author: str) -> SavedDraft:
    """Add edits after those of a draft. Raises `Invalid` with `edits[INDEX]`, counted among the new ones."""
    draft = locked(number, revision, DraftState.DRAFT)
    apply_edit_list(draft_estate(draft).estate, edits)
    return _stepped(draft, (*draft_edits(draft), *edits), author)


@transaction.atomic
def draft_undo(*, number: int, revision: int, author: str) -> SavedDraft:
    """Take back the last step. Raises `NoStepError` where there is none."""
    draft = locked(number, revision, DraftState.DRAFT)
    if draft.step == draft.first_step:
        raise NoStepError(is_redo=False)
    _set_edits(draft, _splice_of(draft, draft.step).reversed().apply(draft_edits(draft)))
    draft.step -= 1
    return write(draft, "undo", author)


@transaction.atomic
def draft_redo(*, number: int, revision: int, author: str) -> SavedDraft:
    """Make the step again that was taken back last. Raises `NoStepError` where there is none."""
    draft = locked(number, revision, DraftState.DRAFT)
    if draft.step == draft.last_step:
        raise NoStepError(is_redo=True)
    draft.step += 1
    _set_edits(draft, _splice_of(draft, draft.step).apply(draft_edits(draft)))
    return write(draft, "redo", author)


def _stepped(draft: SavedDraft, after: Edits, author: str) -> SavedDraft:
    """Write this list, as a step that can be taken back; write nothing where the draft has it already."""
    _check_count(len(after))
    splice = splice_between(draft_edits(draft), after)
    if not splice:
        return draft
    _add_step(draft, splice, author)
    _set_edits(draft, after)
    return write(draft, "edit", author)


def _add_step(draft: SavedDraft, splice: Splice, author: str) -> None:
    """Write a step after the one in force, and delete the undone steps: they cannot be redone any more."""
    draft.steps.filter(number__gt=draft.step).delete()
    draft.step += 1
    draft.last_step = draft.step
    draft.steps.create(
        number=draft.step,
        at=timezone.now(),
        author=author,
        start=splice.start,
        removed=pack_edits(splice.removed),
        inserted=pack_edits(splice.inserted),
    )
    draft.first_step = max(draft.first_step, draft.step - MAX_STEPS)
    draft.steps.filter(number__lte=draft.first_step).delete()


def _splice_of(draft: SavedDraft, number: int) -> Splice:
    step: DraftStep = draft.steps.get(number=number)
    return Splice(step.start, unpack_edits(step.removed), unpack_edits(step.inserted))


def _set_edits(draft: SavedDraft, edits: Edits) -> None:
    draft.edits, draft.edit_count = pack_edits(edits), len(edits)


def _check_count(count: int) -> None:
    if count > MAX_EDITS:
        raise TooManyEditsError(count=count, limit=MAX_EDITS)
