"""The background job of an import: reads and compares its files, later applies the estate that was previewed.

Each step is a background job, but that of a small upload, which the request itself does. If a worker is lost, the next
one begins anew: nothing is written before the end, and the end is one transaction.

| state | set by the job, or in services.py by | the job's step |
|---|---|---|
| UPLOADED | `run_create` keeps the files, each with a guess of its kind | none |
| READING | `run_assign`, once a user has said what the files are | `_read`: `build_estate`, `preview_of` |
| PREVIEWED | the job | none |
| APPLYING | `run_apply`, which refuses a stale preview and unconfirmed losses | `_apply`: `apply_build` |
| APPLIED | the job | none |
| FAILED | the job, with the error; a retry of the job reads again | none |
| DISCARDED | `run_discard` | none |

`run_again` reads the files of a previewed or a failed import once more. `apply_build` ends in `estate_import` of
`estate/services.py`, which writes the version.

A large request of REST is read and applied in one step without a preview (`_take`). A small one, and the command line,
call `build_estate` and `apply_build` without a job.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from brokerui.accounts.instance_groups import limit_of_name
from brokerui.analysis.imports.answer import Json, answer_of, difference_made
from brokerui.analysis.imports.applying import apply_build
from brokerui.analysis.imports.models import DUE, ImportFile, ImportResult, ImportRun, ImportState, Phase
from brokerui.analysis.imports.packing import packed_rows, unpacked, unpacked_rows
from brokerui.analysis.imports.preview import Preview, preview_of
from brokerui.analysis.imports.reading import BuiltEstate, ScriptSettings, build_estate
from brokerui.analysis.imports.sources import Kind, Mode, Source, addresses_from
from brokerui.analysis.imports.variables import variables_from
from brokerui.analysis.lint.selectors import findings_of_live
from brokerui.analysis.servers.sums import ServerSums
from brokerui.analysis.servers.sums_json import sums_as_json, sums_from_json
from brokerui.core.instance_limit import InstanceForbiddenError, limited_to
from brokerui.core.jobs.errors import JobCancelledError, JobFailedError, JobStateError
from brokerui.core.jobs.models import Job, JobFailure, JobState
from brokerui.core.jobs.requests import request
from brokerui.core.jobs.running import run_now
from brokerui.core.jobs.work import JobWork
from brokerui.core.sentence_json import sentence_as_json
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.models import Route, Version
from brokerui.estate.packing import unpack_estate
from brokerui.estate.selectors import LiveEstate, estate_current
from brokerui.messaging.broker_cache import hosted_names
from routing.common.errors import InputError
from routing.common.sentence import Sentence, say
from routing.model.estate import Estate

IMPORT = "import"
"""The kind of background jobs that read and apply imports; the key is the number of the import."""
NAMED = 5
"""Files that a note names."""
OnProgress = Callable[..., None]
"""Told of the phase, and of how many units of how many are done."""
SMALL_BYTES = 128 * 1024
"""Largest import, in bytes of its files, that a request waits for; the live estate may have this many routes then:"""
SMALL_ROUTES = 2_000


def is_small(size: int) -> bool:
    """Whether an import of `size` bytes is small enough for its request to wait for it."""
    return size < SMALL_BYTES and Route.objects.count() <= SMALL_ROUTES


def request_import(run: ImportRun, author: str) -> Job:
    """Request the step that the state of the import asks for. The caller wakes a worker, or does it by `run_do`."""
    return request(IMPORT, str(run.pk), {"import": run.pk}, author=author, wakes=False)


def run_do(run_id: int) -> bool:
    """Run the due step of one import in this process. False if no step is due, or a worker runs it."""
    job = Job.objects.filter(kind=IMPORT, key=str(run_id), state=JobState.WAITING).first()
    return job is not None and run_now(job)


def run_job(work: JobWork) -> None:
    """Do the step of the import that is due; nothing if it was done or discarded meanwhile."""
    run = ImportRun.objects.filter(pk=work.job.payload["import"], state__in=DUE).first()
    if run is None:
        return
    try:
        _step(run)(run, work)
    except InputError as error:
        _fail(run, error.problem, error.where, error.path)
        raise JobFailedError(str(error)) from error
    except InstanceForbiddenError as error:
        _fail(run, error.sentence)
        raise JobFailedError(str(error)) from error
    except EstateStaleError:
        _stale(run, work)


def import_follows(job: Job) -> None:
    """Bring the import in line with its job, which failed or was cancelled."""
    run = ImportRun.objects.filter(pk=job.payload["import"], state__in=DUE).first()
    if run is None:
        return
    if job.state == JobState.CANCELLED:
        _cancelled(run)
    elif job.failure == JobFailure.WORKER_LOST:
        _fail(run, say("It was started {count} times, and no worker finished it.", count=job.attempts))
    elif job.state == JobState.FAILED:
        # A fault of ours must not leave the import as if somebody still worked on it.
        _fail(run, say("This is a fault of BrokerUI, not yours. Its log has the details."), code="server_error")


def _cancelled(run: ImportRun) -> None:
    if run.state == ImportState.APPLYING:
        _mine(run).update(state=ImportState.PREVIEWED)
    else:
        _fail(run, say("Its background job was cancelled. Nothing of this was written."), code="conflict")


def import_retried(job: Job) -> None:
    """Have the files of a failed import read again. Raises `JobStateError` if it has not failed."""
    failed = ImportRun.objects.filter(pk=job.payload["import"], state=ImportState.FAILED)
    no_error = {"error": "", "error_where": "", "error_path": "", "error_code": ""}
    if not failed.update(state=ImportState.READING, job=job, **no_error):
        raise JobStateError(job.state)


def _step(run: ImportRun) -> Callable[[ImportRun, JobWork], None]:
    if run.state == ImportState.APPLYING:
        return _apply
    return _take if run.unattended else _read


def _stale(run: ImportRun, work: JobWork) -> None:
    if run.unattended:
        _fail(run, say("The estate changed meanwhile. Nothing of this was written; send it again."), code="conflict")
    else:
        # The page says so: it compares the versions whenever it is shown.
        _end(run, work, state=ImportState.PREVIEWED)


def _mine(run: ImportRun) -> QuerySet[ImportRun]:
    """The row, as long as it is in the state in which the step began."""
    return ImportRun.objects.filter(pk=run.pk, state=run.state)


def _end(run: ImportRun, work: JobWork, **values: Any) -> None:
    """Write the result of the step, in its transaction. Raises what `JobWork.check` raises if it must not."""
    work.check()
    if not _mine(run).update(**values):
        raise JobCancelledError


def _fail(run: ImportRun, problem: Sentence, where: str = "", path: str = "", code: str = "") -> None:
    place = {"error_where": _text(where), "error_path": _text(path), "error_code": code}
    _mine(run).update(state=ImportState.FAILED, error=_packed(problem), **place)


def _packed(sentence: Sentence) -> str:
    """Plain ASCII: the text of a hostile file may hold characters that no database takes."""
    return json.dumps(json.loads(sentence_as_json(sentence)))


def _text(text: str) -> str:
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


# -- Reading -----------------------------------------------------------------------------------------------


def _read(run: ImportRun, work: JobWork) -> None:
    on_progress, live, at = work.progress, estate_current(), timezone.now().replace(microsecond=0)
    made = _made(run, live.estate, at, on_progress)
    preview = preview_of(live, made, at, on_progress, lambda: findings_of_live(live, at))
    on_progress(Phase.KEEPING)
    _keep(run, work, live.version, made, preview)


def _made(run: ImportRun, live: Estate, at: datetime, on_progress: OnProgress) -> BuiltEstate:
    rows = list(run.files.defer("content"))
    total, done = sum(row.size for row in rows), 0

    def reading(source: Source) -> None:
        nonlocal done
        on_progress(Phase.READING, done, total)
        done += source.size

    return build_estate(
        [source_of(row) for row in rows],
        Mode(run.mode) if run.mode else None,
        live,
        ScriptSettings(at, variables_from(run.variables.splitlines()), frozenset(hosted_names())),
        reading,
    )


def _take(run: ImportRun, work: JobWork) -> None:
    """Read and apply in one go, for an import without a preview."""
    on_progress, live = work.progress, estate_current()
    if run.is_based and live.version != run.base_version:
        raise EstateStaleError(base_version=run.base_version, current_version=live.version)
    made = _made(run, live.estate, run.at or timezone.now(), on_progress)
    on_progress(Phase.COMPARING)
    differs = difference_made(live.estate, made)
    if run.dry_run:
        answer = json.dumps(answer_of(made, differs, live.version, dry_run=True))
        with transaction.atomic():
            _end(run, work, state=ImportState.DISCARDED, answer=answer, ended_at=timezone.now())
            run.files.update(content=None)
        return
    on_progress(Phase.APPLYING)
    with limited_to(limit_of_name(run.applied_by)), transaction.atomic():
        written = _written(run, made.estate, made.imported, live.version, made.shown)
        _end_applied(run, work, written, live.version, answer_of(made, differs, written.version, dry_run=False))


def source_of(row: ImportFile) -> Source:
    addresses = addresses_from(row.address)
    return Source(
        row.name,
        Kind(row.kind),
        partial(_content, row.pk),
        row.size,
        row.instance,
        row.database or None,
        next(iter(addresses), None),
        addresses[1:],
        encoding=row.encoding or None,
    )


def _content(file_id: int) -> bytes:
    content = ImportFile.objects.values_list("content", flat=True).filter(pk=file_id).first()
    if content is None:
        raise JobCancelledError
    return unpacked(content)


def _keep(run: ImportRun, work: JobWork, version: int, made: BuiltEstate, preview: Preview) -> None:
    result = ImportResult(
        run=run,
        document=preview.document,
        imported=json.dumps(dict(made.imported)),
        changes=packed_rows(preview.changes),
        findings=packed_rows(preview.findings),
        groups=packed_rows(preview.groups),
        collected=packed_rows(map(sums_as_json, made.shown)) if made.shown else None,
    )
    summary = json.dumps(preview.summary)
    with transaction.atomic():
        _end(run, work, state=ImportState.PREVIEWED, base_version=version, summary=summary)
        ImportResult.objects.filter(run=run).delete()
        result.save()


# -- Applying ----------------------------------------------------------------------------------------------


def _apply(run: ImportRun, work: JobWork) -> None:
    """The estate, the audit and the state of the import are one transaction: none is there without the others."""
    work.progress(Phase.APPLYING)
    result = ImportResult.objects.get(run=run)
    assert result.document is not None  # the preview stores one, which stays until the import is applied
    estate = unpack_estate(result.document)
    imported, shown = json.loads(result.imported), map(sums_from_json, unpacked_rows(result.collected))
    with limited_to(limit_of_name(run.applied_by)), transaction.atomic():
        before = estate_current().version
        written = _written(run, estate, imported, run.base_version, shown)
        _end_applied(run, work, written, before)
        ImportResult.objects.filter(run=run).update(document=None, collected=None)


def _written(
    run: ImportRun, estate: Estate, imported: Mapping[str, str], base_version: int, shown: Iterable[ServerSums]
) -> LiveEstate:
    return apply_build(
        estate=estate,
        imported=imported,
        author=run.applied_by,
        note=run.note or _note(run),
        base_version=base_version,
        shown=shown,
    )


def _end_applied(run: ImportRun, work: JobWork, written: LiveEstate, before: int, answer: Json | None = None) -> None:
    version = _version(written.version) if written.version != before else None
    packed = json.dumps(answer) if answer else ""
    _end(run, work, state=ImportState.APPLIED, version=version, ended_at=timezone.now(), answer=packed)
    run.files.update(content=None)


def _version(number: int) -> Version:
    return Version.objects.only("id").get(number=number)


def _note(run: ImportRun) -> str:
    """Return the note of an import without one: the names of its files."""
    names = list(run.files.values_list("name", flat=True)[: NAMED + 1])
    return ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
