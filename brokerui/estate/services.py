"""Writing the live estate: each service is one transaction, one version and one entry of the audit; no version where
nothing differs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.utils import timezone

from brokerui.core.instance_limit import check_instances, is_limited
from brokerui.estate.audit import audit
from brokerui.estate.cache import estates
from brokerui.estate.changed_fields import changed_fields
from brokerui.estate.changed_row_counts import counted
from brokerui.estate.difference import EstateDifference, difference
from brokerui.estate.edit_list import apply_edit_list
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.lists import chunks
from brokerui.estate.models import Instance, Live, Version
from brokerui.estate.models.versions import VersionKind
from brokerui.estate.packing import digest_of, pack_edits, pack_estate
from brokerui.estate.selectors import LiveEstate, estate_current
from brokerui.estate.signals import version_written
from brokerui.estate.writing import write_difference
from routing.model.estate import Edit, Estate

CHECKPOINT_VERSIONS = 500
"""Among this many edited versions one is stored whole, so that each version is rebuilt in a second or two."""
CHECKPOINT_BYTES = 1 << 20
"""The same, once the edits since the last whole one are so large, packed."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """The contents of a version and of its entry in the audit."""

    kind: VersionKind
    author: str
    note: str
    document: bytes | None = None
    edits: bytes | None = None


def estate_import(
    *,
    estate: Estate,
    author: str,
    note: str = "",
    imported: Collection[str] | None = None,
    base_version: int | None = None,
) -> LiveEstate:
    """Replace the live estate by this one, writing the rows that differ; no new version where none does.

    `imported` names the instances that were read anew just now (default: all); the others were carried over, from
    `base_version`: `EstateStaleError` where the estate has another one by now.
    """
    # Packing takes a while on a large estate; the lock is for what follows only.
    entry = _Entry(VersionKind.IMPORT, author, note, document=pack_estate(estate))
    with transaction.atomic():
        live, before = _locked()
        _check_base(before, base_version)
        written = _write(live, before, estate, entry)
        _mark_imported(imported)
    return written


def estate_edit(*, edits: Sequence[Edit], base_version: int, author: str, note: str = "") -> LiveEstate:
    """Apply edits that were made on `base_version`; no new version where they change nothing.

    Raises `EstateStaleError` when the estate has another version by now, and `Invalid` for an edit that it cannot
    take, with a path that begins `edits[INDEX]`. Nothing is written then.
    """
    with transaction.atomic():
        live, before = _locked()
        _check_base(before, base_version)
        after = apply_edit_list(before.estate, edits)
        return _write(live, before, after, _Entry(VersionKind.EDIT, author, note, edits=pack_edits(edits)))


def instances_changed(before: Estate, after: Estate) -> set[str]:
    """Return the names of instances that differ; all of them where a value of the whole estate does."""
    names = before.instances.keys() | after.instances.keys()
    if before.hop_limit != after.hop_limit:
        return set(names)
    return {name for name in names if before.instances.get(name) != after.instances.get(name)}


def _locked() -> tuple[Live, LiveEstate]:
    """The row that every writer locks first, and the estate, which nobody else changes until the transaction ends."""
    rows = Live.objects.select_for_update()
    live = rows.filter(id=Live.KEY).first()
    if live is None:
        Live.objects.get_or_create(id=Live.KEY)
        live = rows.get(id=Live.KEY)
    return live, estate_current()


def _check_base(live: LiveEstate, base_version: int | None) -> None:
    if base_version is not None and live.version != base_version:
        raise EstateStaleError(base_version=base_version, current_version=live.version)


def _write(live: Live, before: LiveEstate, after: Estate, entry: _Entry) -> LiveEstate:
    """Write rows, version and audit; return the new live estate."""
    change = difference(before.estate, after)
    if change and is_limited():
        check_instances(instances_changed(before.estate, after))
    version = _version(live, before.estate, after, change, entry) if change else None
    if version is not None:
        write_difference(change, before.estate, after)
        version.save(force_insert=True)
        live.version, live.hop_limit = version, after.hop_limit
        live.save()
        estates.put(version.digest, after)
        transaction.on_commit(partial(version_written.send_robust, sender=Version))
    action = f"estate.{entry.kind.value}"
    fields = changed_fields(change, before.estate, after)
    audit(author=entry.author, action=action, note=entry.note, version=version, changes=fields)
    return LiveEstate(version.number, version.digest, after) if version is not None else before


def _version(live: Live, before: Estate, after: Estate, change: EstateDifference, entry: _Entry) -> Version:
    rows = Version.objects.defer("document", "edits")
    last = rows.get(id=live.version_id) if live.version_id is not None else None
    weight = len(entry.edits or b"") + (last.weight if last else 0)
    document = entry.document
    if document is None and _is_checkpoint_due(last, weight):
        document = pack_estate(after)
    number = last.number + 1 if last else 1
    return Version(
        number=number,
        created_at=_next_moment(last),
        kind=entry.kind,
        author=entry.author,
        note=entry.note,
        **asdict(counted(change, before)),
        checkpoint=last.checkpoint if last and document is None else number,
        document=document,
        edits=entry.edits,
        weight=weight if document is None else 0,
        digest=digest_of(last.digest if last else "", document, entry.edits),
    )


def _is_checkpoint_due(last: Version | None, weight: int) -> bool:
    return last is None or last.number - last.checkpoint >= CHECKPOINT_VERSIONS or weight > CHECKPOINT_BYTES


def _next_moment(last: Version | None) -> datetime:
    """Now; but versions follow one another in time even where the clock is set back."""
    now = timezone.now()
    return max(now, last.created_at + timedelta(microseconds=1)) if last else now


def _mark_imported(names: Collection[str] | None) -> None:
    """None: all of them."""
    rows, now = Instance.objects.all(), timezone.now()
    if names is None:
        rows.update(imported_at=now)
        return
    for part in chunks(sorted(names)):
        rows.filter(name__in=part).update(imported_at=now)
