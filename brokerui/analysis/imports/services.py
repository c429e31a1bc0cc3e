"""Writing imports: each function is one step of one import, and can be asked for twice without harm."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, Sum
from django.utils import timezone

from brokerui.analysis.imports.detecting import guess
from brokerui.analysis.imports.errors import ImportStaleError, ImportStateError, PreviewNamelessError
from brokerui.analysis.imports.import_job import SMALL_BYTES, is_small, request_import, run_do
from brokerui.analysis.imports.known_instances import named_as_known
from brokerui.analysis.imports.models import ENDED, NAME, ImportFile, ImportResult, ImportRun, ImportState
from brokerui.analysis.imports.packing import packed
from brokerui.analysis.imports.preview import is_nameless, save_preview_of
from brokerui.analysis.imports.reading import ScriptSettings, usual_mode
from brokerui.analysis.imports.sources import Kind, Mode, Source
from brokerui.analysis.imports.usual_mode import mode_of_text
from brokerui.core.jobs.errors import JobStateError
from brokerui.core.jobs.kinds import MAINTENANCE
from brokerui.core.jobs.requests import cancel
from brokerui.core.jobs.wake import wake_queue_on_commit
from brokerui.estate.audit import SYSTEM, audit
from brokerui.estate.audit_changes import Changes, changes_of, values_of
from brokerui.estate.selectors import estate_current, live_version
from routing.common.errors import InputError

KEPT = timedelta(days=7)
"""Age at which an unfinished import is discarded, and files and result of a finished one are deleted."""


@dataclass(frozen=True, slots=True)
class Given:
    """A file as it was sent."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Assignment:
    """The kind, and the instance, that a user gave a file."""

    kind: Kind
    instance: str = ""
    database: str = ""
    address: str = ""
    encoding: str = ""


def run_create(*, given: Sequence[Given], author: str, token: str) -> ImportRun:
    """Keep files, each with what it is probably. A form that is sent again finds its import."""
    known = ImportRun.objects.filter(token=token).first()
    if known is not None:
        return known
    rows = [_file(position, file) for position, file in enumerate(given)]
    mode = _likely_mode(rows, given)
    try:
        with transaction.atomic():
            return _created(rows, mode, author, token)
    except IntegrityError:
        return ImportRun.objects.get(token=token)


def _created(rows: list[ImportFile], mode: Mode, author: str, token: str) -> ImportRun:
    now = timezone.now()
    run = ImportRun.objects.create(
        created_at=now,
        author=author,
        token=token,
        state=ImportState.UPLOADED,
        mode=mode,
        base_version=live_version(),
    )
    for row in rows:
        row.run = run
    ImportFile.objects.bulk_create(rows)
    audit(
        author=author,
        action="import.upload",
        note=f"{run}: {names_of(rows)}",
        changes=changes_of(None, run_values(run)),
    )
    return run


def run_values(run: ImportRun) -> dict[str, Any]:
    """Return the fields of a run for the audit."""
    return values_of(run, "state", "mode", "base_version")


def _to(run: ImportRun, state: ImportState) -> Changes:
    return changes_of({"state": run.state}, {"state": state})


def _likely_mode(rows: Sequence[ImportFile], given: Sequence[Given]) -> Mode:
    """Return the mode that the form proposes: documents replace the whole estate, scripts that only change objects run
    on it."""
    if all(row.kind == Kind.DOCUMENT for row in rows):
        return Mode.WHOLE
    pairs = zip(rows, given, strict=True)
    scripts = [_script(row, file) for row, file in pairs if row.kind == Kind.SCRIPT]
    if not scripts or sum(script.size for script in scripts) > SMALL_BYTES or not live_version():
        return Mode.INSTANCES
    live = estate_current().estate
    strange = [script for script in named_as_known(scripts, live) if script.instance not in live.instances]
    if mode_of_text(strange) is Mode.INTO:
        return Mode.INTO
    with suppress(InputError):
        return usual_mode(scripts, live, ScriptSettings(timezone.now()))
    return Mode.INSTANCES


def _script(row: ImportFile, given: Given) -> Source:
    return Source(row.name, Kind.SCRIPT, lambda: given.content, row.size, row.instance, row.database or None)


def _file(position: int, given: Given) -> ImportFile:
    name = one_line(given.name)[:NAME] or "file"
    guessed = guess(name, given.content)
    return ImportFile(
        position=position,
        name=name,
        size=len(given.content),
        sha256=hashlib.sha256(given.content).hexdigest(),
        content=packed(given.content),
        kind=guessed.kind,
        instance=one_line(guessed.instance),
        database=one_line(guessed.database),
    )


def one_line(text: str) -> str:
    """Leave out characters that no name may hold: a file may be called anything."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def names_of(rows: Sequence[ImportFile]) -> str:
    """The first few, for a note."""
    shown = ", ".join(row.name for row in rows[:5])
    return shown if len(rows) <= 5 else f"{shown}, … ({len(rows)})"


@transaction.atomic
def run_assign(
    *, run: ImportRun, assignments: Sequence[Assignment], mode: Mode, author: str, variables: str = ""
) -> ImportRun:
    """Say what the files are, and have them read. Raises `ImportStateError` where that is too late."""
    if len(assignments) != run.files.count():
        raise ImportStateError(run.state)
    run = _locked(run, ImportState.UPLOADED, ImportState.PREVIEWED, ImportState.FAILED)
    rows = list(run.files.defer("content"))
    for row, one in zip(rows, assignments, strict=True):
        row.kind, row.instance, row.database, row.address = one.kind, one.instance, one.database, one.address
        row.encoding = one.encoding
    before = run_values(run)
    ImportFile.objects.bulk_update(rows, ["kind", "instance", "database", "address", "encoding"])
    run.mode, run.variables, run.unattended = mode, variables, False
    after = {**run_values(run), "state": ImportState.READING}
    audit(author=author, action="import.assign", note=f"{run}: {mode}", changes=changes_of(before, after))
    return _due(run, ImportState.READING, author)


@transaction.atomic
def run_again(*, run: ImportRun, author: str) -> ImportRun:
    """Read the files again, on the estate as it is now."""
    row = _locked(run, ImportState.PREVIEWED, ImportState.FAILED)
    row.unattended = False
    audit(author=author, action="import.again", note=str(row), changes=_to(row, ImportState.READING))
    return _due(row, ImportState.READING, author)


@transaction.atomic
def run_apply(*, run: ImportRun, author: str, note: str = "", consent: str = "") -> ImportRun:
    """Request that a previewed import is applied. A second request changes nothing.

    Raises `ImportStaleError` where the estate is another one by now, `ImportStateError` where there is no preview,
    `PreviewNamelessError` where its preview names no conversations, and `ConsentMissingError` where conversations get
    worse and nobody has confirmed it.
    """
    row = _locked(run, ImportState.PREVIEWED, ImportState.APPLYING, ImportState.APPLIED)
    if row.state != ImportState.PREVIEWED:
        return row
    current = live_version()
    if current != row.base_version:
        raise ImportStaleError(base_version=row.base_version, current_version=current)
    if is_nameless(row):
        raise PreviewNamelessError
    save_preview_of(row).require(consent)
    row.note, row.applied_by = note, author
    about = f"{row}: {note}" if note else str(row)
    audit(author=author, action="import.apply", note=about, changes=_to(row, ImportState.APPLYING))
    return _due(row, ImportState.APPLYING, author)


@transaction.atomic
def run_discard(*, run: ImportRun, author: str) -> ImportRun:
    """Delete the files of an import, even while a worker reads them. An applied version stays."""
    _stop_reading(run, author)
    row = _locked(
        run, ImportState.UPLOADED, ImportState.READING, ImportState.PREVIEWED, ImportState.FAILED, ImportState.DISCARDED
    )
    if row.state == ImportState.DISCARDED:
        return row
    before = run_values(row)
    row.state, row.ended_at, row.summary = ImportState.DISCARDED, timezone.now(), ""
    row.save()
    ImportResult.objects.filter(run=row).delete()
    row.files.update(content=None)
    audit(author=author, action="import.discard", note=str(row), changes=changes_of(before, run_values(row)))
    return row


def run_go(run: ImportRun) -> None:
    """Run a small import in this process; wake a worker for a large one."""
    size = run.files.aggregate(size=Sum("size"))["size"] or 0
    if is_small(size):
        run_do(run.pk)
    else:
        wake_work()


def wake_work() -> None:
    """Wake a worker for imports that are due."""
    wake_queue_on_commit(MAINTENANCE)


def runs_prune() -> int:
    """Discard abandoned imports and delete the rows of old ones; return their number."""
    then = timezone.now() - KEPT
    stale = ImportRun.objects.filter(
        state__in=(ImportState.UPLOADED, ImportState.PREVIEWED, ImportState.FAILED), created_at__lt=then
    )
    for run in stale:
        run_discard(run=run, author="")
    old = ImportResult.objects.filter(Q(run__state__in=ENDED), run__ended_at__lt=then)
    return len(stale) + old.delete()[0]


def _locked(run: ImportRun, *states: ImportState) -> ImportRun:
    """The row as it is now, which nobody else changes until the transaction ends."""
    row = ImportRun.objects.select_for_update().get(pk=run.pk)
    if row.state not in states:
        raise ImportStateError(row.state)
    return row


def _stop_reading(run: ImportRun, author: str) -> None:
    """Cancel the job that reads it. Before the import is locked: its worker takes the locks in that order too."""
    jobs = (
        ImportRun.objects.filter(pk=run.pk, state=ImportState.READING).exclude(job=None).values_list("job", flat=True)
    )
    for job in jobs:
        with suppress(JobStateError):
            cancel(job, author=author or SYSTEM)


def _due(row: ImportRun, state: ImportState, author: str) -> ImportRun:
    row.state, row.job = state, request_import(row, author)
    row.error = row.error_where = row.error_path = row.error_code = ""
    row.save()
    return row
