"""Reading imports, and how fresh each instance is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Prefetch

from brokerui.analysis.imports.models import ImportFile, ImportResult, ImportRun, ImportState, Origin
from brokerui.analysis.imports.packing import unpacked, unpacked_rows
from brokerui.core.paging import Page
from brokerui.estate.models import Instance
from brokerui.estate.selectors import import_is_stale

LISTED = 20
"""Imports that the page lists."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """When an instance of the live estate was read last, and from what."""

    instance: str
    at: datetime | None
    """None: never."""
    origin: Origin | None
    """None: not from a file that this page took in."""

    @property
    def is_stale(self) -> bool:
        return import_is_stale(self.at)


def freshness_page(number: int) -> Page[Freshness]:
    """Every instance, oldest first; those that were never read before all others."""
    rows = Instance.objects.order_by(F("imported_at").asc(nulls_first=True), "name")
    moments = list(rows.values_list("name", "imported_at"))
    page = Page.of(moments, number)
    names = [name for name, _ in page.shown]
    origins = {origin.instance: origin for origin in Origin.objects.filter(instance__in=names)}
    return Page.of([_fresh(name, at, origins.get(name)) for name, at in moments], number)


def _fresh(name: str, at: datetime | None, origin: Origin | None) -> Freshness:
    return Freshness(name, at, origin if origin is not None and origin.at == at else None)


def stale_count(page: Page[Freshness]) -> int:
    return sum(one.is_stale for one in page.rows)


def run_list() -> list[ImportRun]:
    """The newest imports with their files, without what their previews hold."""
    rows = ImportRun.objects.select_related("version").defer("summary", "version__document", "version__edits")
    files = Prefetch("files", queryset=ImportFile.objects.defer("content"))
    return list(rows.exclude(state=ImportState.DISCARDED).prefetch_related(files)[:LISTED])


def run_get(run_id: int) -> ImportRun | None:
    """The import of that number."""
    rows = ImportRun.objects.select_related("version", "job").defer("version__document", "version__edits")
    return rows.filter(pk=run_id).first()


def run_by_token(token: str) -> ImportRun | None:
    """The import that came with this token."""
    return ImportRun.objects.select_related("job").filter(token=token).first()


def result_rows(run: ImportRun, column: str) -> Iterator[Any]:
    """All rows of a preview: `changes`, `findings` or `groups`; none where nothing is kept any more."""
    content = ImportResult.objects.filter(run=run).values_list(column, flat=True).first()
    return unpacked_rows(content)


def result_document(run: ImportRun) -> bytes | None:
    """The estate that the files would make; None where it is not kept."""
    content = ImportResult.objects.filter(run=run).values_list("document", flat=True).first()
    return None if content is None else unpacked(content)
