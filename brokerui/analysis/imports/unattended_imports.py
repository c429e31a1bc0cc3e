"""Imports that a program sends: read and applied by a worker, without anybody looking at a preview."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from brokerui.analysis.imports.import_job import request_import
from brokerui.analysis.imports.models import NAME, ImportFile, ImportRun, ImportState
from brokerui.analysis.imports.packing import packed
from brokerui.analysis.imports.services import names_of, one_line, run_values
from brokerui.analysis.imports.sources import Mode, Source
from brokerui.estate.audit import audit
from brokerui.estate.audit_changes import changes_of
from brokerui.estate.models.base import SERVICE_NAME
from routing.common.names import check_name


@dataclass(frozen=True, slots=True)
class Sent:
    """The files of a REST import, with its mode and options."""

    sources: Sequence[Source]
    mode: Mode | None
    """None: as the scripts ask for it."""
    dry_run: bool = False
    at: datetime | None = None
    """From when LIFETIME counts; None: from when it is read."""
    note: str = ""
    variables: str = ""
    """The sqlcmd variables of the scripts, `NAME=VALUE` in each line."""

    @property
    def size(self) -> int:
        return sum(source.size for source in self.sources)


def run_token(author: str, key: str) -> str:
    """Return the token of an import with an Idempotency-Key: the same author and key make the same import."""
    return hashlib.sha256(f"{author}\0{key}".encode()).hexdigest()


def run_send(*, sent: Sent, author: str, token: str, base_version: int | None = None) -> ImportRun:
    """Keep it, due to be read. With a token that is known it is the import that is there already.

    `base_version`: nothing is written over another version. Raises `Invalid` for an instance that cannot be.
    """
    rows = [_file(position, source) for position, source in enumerate(sent.sources)]
    try:
        with transaction.atomic():
            return _created(sent, rows, author, token, base_version)
    except IntegrityError:
        return ImportRun.objects.get(token=token)


def is_same(run: ImportRun, sent: Sent) -> bool:
    """Return whether the request equals the earlier one with the same Idempotency-Key."""
    options = (run.mode, run.dry_run, run.at, run.note, run.variables) == (
        sent.mode or "",
        sent.dry_run,
        sent.at,
        sent.note,
        sent.variables,
    )
    columns = "name", "kind", "instance", "database", "address", "encoding", "sha256"
    kept = list(run.files.values_list(*columns))
    rows = [_file(position, source) for position, source in enumerate(sent.sources)]
    return options and kept == [tuple(getattr(row, column) for column in columns) for row in rows]


def _created(sent: Sent, rows: list[ImportFile], author: str, token: str, base_version: int | None) -> ImportRun:
    run = ImportRun.objects.create(
        created_at=timezone.now(),
        author=author,
        token=token,
        state=ImportState.READING,
        unattended=True,
        mode=sent.mode or "",
        dry_run=sent.dry_run,
        at=sent.at,
        note=sent.note,
        variables=sent.variables,
        applied_by=author,
        base_version=base_version or 0,
        is_based=base_version is not None,
    )
    for row in rows:
        row.run = run
    ImportFile.objects.bulk_create(rows)
    run.job = request_import(run, author)
    run.save(update_fields=["job"])
    note = f"{run}: {names_of(rows)}"
    audit(author=author, action="import.upload", note=note, changes=changes_of(None, run_values(run)))
    return run


def _file(position: int, source: Source) -> ImportFile:
    if source.instance:
        check_name(source.instance, "instance", SERVICE_NAME)
    content = source.load()
    return ImportFile(
        position=position,
        name=one_line(source.name)[:NAME] or "file",
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        content=packed(content),
        kind=source.kind.value,
        instance=source.instance,
        database=source.database or "",
        address=",".join(one.key for one in (source.address, *source.further) if one is not None),
        encoding=source.encoding or "",
    )
