"""Doing what is due: reading the files of an import and comparing, and applying what was previewed.

Whoever does it holds a claim, and says now and then that it is still there. Where that stops, the next one takes the
import and begins anew: nothing is written before the end, and the end is one transaction.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from brokerui.analysis.imports.answer import Json, answer_of, difference_made
from brokerui.analysis.imports.applying import made_apply
from brokerui.analysis.imports.models import DUE, ImportFile, ImportResult, ImportRun, Phase, State
from brokerui.analysis.imports.packing import packed_rows, unpacked
from brokerui.analysis.imports.preview import Preview, preview_of
from brokerui.analysis.imports.reading import Made, estate_made
from brokerui.analysis.imports.sources import Kind, Mode, Source
from brokerui.core.sentence_json import sentence_as_json
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.models import Route, Version
from brokerui.estate.packing import pack_estate, unpack_estate
from brokerui.estate.selectors import LiveEstate, estate_current
from routing.common.errors import InputError
from routing.common.sentence import Sentence, say
from routing.model.address import parse_network_address
from routing.model.estate import Estate

LAPSE = timedelta(minutes=3)
"""A worker that was not heard of for so long is no more."""
ATTEMPTS = 3
"""Workers that one import may take along."""
HEARD_SECONDS = 0.5
"""So often progress is written."""
NAMED = 5
"""Files that a note names."""
SMALL_BYTES = 128 * 1024
"""Of an import that a request can wait for; and the routes that the live estate may have then:"""
SMALL_ROUTES = 2_000


class _GoneError(Exception):
    """Somebody discarded the import, or took it over."""


def is_small(size: int) -> bool:
    """Whether a request can wait for an import of so many bytes."""
    return size < SMALL_BYTES and Route.objects.count() <= SMALL_ROUTES


def next_do() -> bool:
    """Do what is due longest; False where nothing is."""
    free = Q(claim="") | Q(claimed_at__lt=timezone.now() - LAPSE)
    due = ImportRun.objects.filter(free, state__in=DUE).order_by("id").values_list("id", flat=True)
    return any(run_do(run_id) for run_id in due[:10])


def run_do(run_id: int) -> bool:
    """Do what is due of one import; False where nothing is, or somebody else does it."""
    run = _claimed(run_id)
    if run is None:
        return False
    try:
        _step(run)(run)
    except _GoneError:
        pass
    except InputError as error:
        _fail(run, error.problem, error.where, error.path)
    except EstateStaleError:
        _stale(run)
    except Exception:
        # A fault of ours must not leave the import as if somebody still worked on it.
        _fail(run, say("This is a fault of BrokerUI, not yours. Its log has the details."), code="server_error")
        raise
    return True


def _step(run: ImportRun) -> Callable[[ImportRun], None]:
    if run.state == State.APPLYING:
        return _apply
    return _take if run.unattended else _read


def _stale(run: ImportRun) -> None:
    if run.unattended:
        _fail(run, say("The estate changed meanwhile. Nothing of this was written; send it again."), code="conflict")
    else:
        # The page says so: it compares the versions whenever it is shown.
        _end(run, state=State.PREVIEWED)


def _claimed(run_id: int) -> ImportRun | None:
    """The import, which nobody else works on now."""
    with transaction.atomic():
        free = Q(claim="") | Q(claimed_at__lt=timezone.now() - LAPSE)
        rows = ImportRun.objects.select_for_update(skip_locked=True)
        run = rows.filter(free, pk=run_id, state__in=DUE).first()
        if run is None:
            return None
        if run.attempts >= ATTEMPTS:
            _fail(run, say("It was begun {count} times, and no worker came to its end.", count=run.attempts))
            return None
        run.claim, run.claimed_at, run.attempts = uuid4().hex, timezone.now(), run.attempts + 1
        run.save()
        return run


def _mine(run: ImportRun) -> Any:
    """The row, as long as we hold the claim."""
    return ImportRun.objects.filter(pk=run.pk, claim=run.claim, state=run.state)


def _end(run: ImportRun, **values: Any) -> None:
    if not _mine(run).update(claim="", claimed_at=None, phase=Phase.WAITING, **values):
        raise _GoneError


def _fail(run: ImportRun, problem: Sentence, where: str = "", path: str = "", code: str = "") -> None:
    told = {"error_where": _text(where), "error_path": _text(path), "error_code": code}
    values = {"error": _packed(problem), **told}
    _mine(run).update(state=State.FAILED, claim="", claimed_at=None, phase=Phase.WAITING, **values)


def _packed(sentence: Sentence) -> str:
    """Plain ASCII: what a hostile file says may hold what no database takes."""
    return json.dumps(json.loads(sentence_as_json(sentence)))


def _text(text: str) -> str:
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


@dataclass
class _Progress:
    """Says how far it is, not too often, and stops the work when it is not ours any more."""

    run: ImportRun
    phase: str = ""
    told_at: float = field(default=0.0)

    def __call__(self, phase: Phase, done: int = 0, total: int = 0) -> None:
        now = time.monotonic()
        if phase == self.phase and now - self.told_at < HEARD_SECONDS:
            return
        self.phase, self.told_at = phase, now
        if not _mine(self.run).update(phase=phase, done=done, total=total, claimed_at=timezone.now()):
            raise _GoneError


# -- Reading -----------------------------------------------------------------------------------------------


def _read(run: ImportRun) -> None:
    heed, live, at = _Progress(run), estate_current(), timezone.now().replace(microsecond=0)
    made = _made(run, live.estate, at, heed)
    preview = preview_of(live.estate, made, at, heed)
    heed(Phase.KEEPING)
    _keep(run, live.version, made, preview)


def _made(run: ImportRun, live: Estate, at: datetime, heed: _Progress) -> Made:
    rows = list(run.files.defer("content"))
    total, done = sum(row.size for row in rows), 0

    def reading(source: Source) -> None:
        nonlocal done
        heed(Phase.READING, done, total)
        done += source.size

    return estate_made([source_of(row) for row in rows], Mode(run.mode), live, at, reading)


def _take(run: ImportRun) -> None:
    """What nobody wants to look at first: read and applied in one go."""
    heed, live = _Progress(run), estate_current()
    if run.is_based and live.version != run.base_version:
        raise EstateStaleError(base_version=run.base_version, current_version=live.version)
    made = _made(run, live.estate, run.at or timezone.now(), heed)
    heed(Phase.COMPARING)
    differs = difference_made(live.estate, made)
    if run.dry_run:
        answer = json.dumps(answer_of(made, differs, live.version, dry_run=True))
        with transaction.atomic():
            _end(run, state=State.DISCARDED, answer=answer, ended_at=timezone.now())
            run.files.update(content=None)
        return
    heed(Phase.APPLYING)
    with transaction.atomic():
        written = _written(run, made.estate, made.imported, live.version)
        _end_applied(run, written, live.version, answer_of(made, differs, written.version, dry_run=False))


def source_of(row: ImportFile) -> Source:
    return Source(
        row.name,
        Kind(row.kind),
        partial(_content, row.pk),
        row.size,
        row.instance,
        row.database or None,
        parse_network_address(row.address) if row.address else None,
    )


def _content(file_id: int) -> bytes:
    content = ImportFile.objects.values_list("content", flat=True).filter(pk=file_id).first()
    if content is None:
        raise _GoneError
    return unpacked(content)


def _keep(run: ImportRun, version: int, made: Made, preview: Preview) -> None:
    result = ImportResult(
        run=run,
        document=pack_estate(made.estate),
        imported=json.dumps(dict(made.imported)),
        changes=packed_rows(preview.changes),
        findings=packed_rows(preview.findings),
        groups=packed_rows(preview.groups),
    )
    summary = json.dumps(preview.summary)
    with transaction.atomic():
        _end(run, state=State.PREVIEWED, base_version=version, summary=summary)
        ImportResult.objects.filter(run=run).delete()
        result.save()


# -- Applying ----------------------------------------------------------------------------------------------


def _apply(run: ImportRun) -> None:
    """The estate, the audit and the state of the import are one transaction: none is there without the others."""
    _Progress(run)(Phase.APPLYING)
    result = ImportResult.objects.get(run=run)
    assert result.document is not None  # what was previewed has one until it is applied
    estate = unpack_estate(result.document)
    imported = json.loads(result.imported)
    with transaction.atomic():
        before = estate_current().version
        written = _written(run, estate, imported, run.base_version)
        _end_applied(run, written, before)
        ImportResult.objects.filter(run=run).update(document=None)


def _written(run: ImportRun, estate: Estate, imported: Mapping[str, str], base_version: int) -> LiveEstate:
    note = run.note or _note(run)
    return made_apply(estate=estate, imported=imported, author=run.applied_by, note=note, base_version=base_version)


def _end_applied(run: ImportRun, written: LiveEstate, before: int, answer: Json | None = None) -> None:
    version = _version(written.version) if written.version != before else None
    told = json.dumps(answer) if answer else ""
    _end(run, state=State.APPLIED, version=version, ended_at=timezone.now(), answer=told)
    run.files.update(content=None)


def _version(number: int) -> Version:
    return Version.objects.only("id").get(number=number)


def _note(run: ImportRun) -> str:
    """Of an import that nobody wrote a note about: its files."""
    names = list(run.files.values_list("name", flat=True)[: NAMED + 1])
    return ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
