"""Writing scenarios."""

import hashlib
import json
import zlib
from dataclasses import asdict
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from brokerui.core.deferred import defer
from brokerui.core.sentence_json import sentence_as_json, sentence_from_json
from brokerui.estate.audit import audit
from brokerui.estate.audit_changes import changes_of, values_of
from brokerui.estate.scenarios.errors import (
    DocumentTooLargeError,
    ScenarioNotFoundError,
    ScenarioNotReadableError,
)
from brokerui.estate.scenarios.examples import example_find
from brokerui.estate.scenarios.models import Scenario
from brokerui.estate.scenarios.selectors import LONG, ScenarioCounts, count, estate_keep, estates
from routing.common.errors import InputError
from routing.common.gc_control import gc_freeze_if_large
from routing.documents.estate_document import read_estate

TITLE_MAX = 200
NAME_MAX = 60
LEVEL = 1
"""Compression level for uploads: quick rather than small."""
UNREAD_KEPT = timedelta(days=1)
"""Age after which an upload that is no estate, or was never read, is deleted."""


def scenario_create(*, title: str, text: bytes | str, author: str = "") -> tuple[Scenario, list[str]]:
    """Check a document and keep it; gives back the scenario, and the titles of those that made room for it.

    Raises `DocumentTooLargeError`, or the reader's `InputError` naming `title`, file or not, as the place.
    """
    document = text.encode() if isinstance(text, str) else text
    _check_size(document)
    estate = read_estate(document, where=title)
    scenario, gone = _kept(title, document, author, count(estate), is_read=True)
    estates.put(scenario.sha256, estate)
    return scenario, gone


def scenario_take(*, title: str, text: bytes, author: str = "") -> tuple[Scenario, list[str]]:
    """Create a scenario within a request. A large document is stored unread, and `scenario_ready` reads it."""
    if len(text) <= LONG:
        return scenario_create(title=title, text=text, author=author)
    _check_size(text)
    return _kept(title, text, author, ScenarioCounts(0, 0, 0, 0), is_read=False)


def scenario_ready(*, name: str) -> None:
    """Read a scenario unless it is in memory: in the background, within a request.

    Raises `ScenarioNotFoundError`, and `ScenarioNotReadableError` for a document that is no estate.
    """
    if example_find(name):
        return
    row = Scenario.objects.defer("document").filter(name=name).first()
    if row is not None and not row.is_read and not row.problem:
        defer(("scenario", row.pk), partial(_read, row))
        _read(row)
    if row is None:
        raise ScenarioNotFoundError(name)
    if row.problem:
        raise ScenarioNotReadableError(row.title, row.problem_path, sentence_from_json(row.problem))


def _read(row: Scenario) -> None:
    """Read a stored document, and write its result or error into its row."""
    document = zlib.decompress(row.document)
    try:
        estate = read_estate(document, where=row.title)
    except InputError as error:
        # Plain ASCII: the text of a hostile document may hold characters that no database takes.
        row.problem = json.dumps(json.loads(sentence_as_json(error.problem)))
        row.problem_path = error.path.replace("\0", " ").encode("utf-8", "replace").decode()
        row.save(update_fields=["problem", "problem_path"])
        return
    gc_freeze_if_large(len(document))
    estate_keep(row.sha256, estate)
    counts = asdict(count(estate))
    row.is_read = True
    Scenario.objects.filter(pk=row.pk).update(is_read=True, **counts)


def _check_size(document: bytes) -> None:
    if len(document) > settings.SCENARIO_MAX_BYTES:
        raise DocumentTooLargeError(size=len(document), limit=settings.SCENARIO_MAX_BYTES)


def _kept(
    title: str, document: bytes, author: str, counts: ScenarioCounts, *, is_read: bool
) -> tuple[Scenario, list[str]]:
    # Packing takes its time on a large document; the write lock is for what follows only.
    packed, title = zlib.compress(document, LEVEL), _title(title)
    with transaction.atomic():
        scenario = Scenario.objects.create(
            name=_free_name(title),
            title=title,
            document=packed,
            size=len(document),
            sha256=hashlib.sha256(document).hexdigest(),
            is_read=is_read,
            **asdict(counts),
        )
        audit(
            author=author,
            action="scenario.create",
            note=title,
            changes=changes_of(None, values_of(scenario, "name", "title", "size", "sha256")),
        )
        return scenario, _make_room(author)


@transaction.atomic
def scenario_delete(*, name: str, author: str = "") -> str:
    """Delete what a user gave; gives back its title. The examples cannot be deleted."""
    row = Scenario.objects.filter(name=name, is_read=True).defer("document").first()
    if row is None:
        raise ScenarioNotFoundError(name)
    gone = changes_of(values_of(row, "name", "title", "size", "sha256"), None)
    row.delete()
    audit(author=author, action="scenario.delete", note=row.title, changes=gone)
    return row.title


def _title(given: str) -> str:
    """A file's name without its ending, on one line."""
    line = " ".join(given.removesuffix(".json").split())
    return line[:TITLE_MAX] or "scenario"


def _free_name(title: str) -> str:
    """A name for addresses that no scenario has."""
    base = slugify(title)[:NAME_MAX].strip("-") or "scenario"
    taken = set(Scenario.objects.filter(name__startswith=base).values_list("name", flat=True))
    name, number = base, 2
    while name in taken or example_find(name):
        name, number = f"{base}-{number}", number + 1
    return name


def _make_room(author: str) -> list[str]:
    """Delete the oldest scenarios beyond the limit, and documents that are no estate."""
    Scenario.objects.filter(is_read=False, created__lt=timezone.now() - UNREAD_KEPT).delete()
    surplus = list(Scenario.objects.values_list("id", "title")[settings.SCENARIO_KEEP :])
    Scenario.objects.filter(id__in=[row_id for row_id, _ in surplus]).delete()
    titles = [title for _, title in surplus]
    for title in titles:
        audit(author=author, action="scenario.delete", note=title, changes=changes_of({"title": title}, None))
    return titles
