"""Writing scenarios."""

import hashlib
import zlib
from dataclasses import asdict

from django.conf import settings
from django.db import transaction
from django.utils.text import slugify

from brokerui.estate.audit import audit
from brokerui.scenarios.errors import DocumentTooLargeError, ScenarioNotFoundError
from brokerui.scenarios.examples import example_find
from brokerui.scenarios.models import Scenario
from brokerui.scenarios.selectors import count
from routing.document import read_estate

TITLE_MAX = 200
NAME_MAX = 60


def scenario_create(*, title: str, text: bytes | str, author: str = "") -> tuple[Scenario, list[str]]:
    """Check a document and keep it; gives back the scenario, and the titles of those that made room for it.

    Raises `DocumentTooLargeError`, or the reader's `InputError` naming `title`, file or not, as the place.
    """
    document = text.encode() if isinstance(text, str) else text
    if len(document) > settings.SCENARIO_MAX_BYTES:
        raise DocumentTooLargeError(size=len(document), limit=settings.SCENARIO_MAX_BYTES)
    counts = count(read_estate(document, where=title))
    # Reading and packing take their time on a large document; the write lock is for what follows only.
    packed = zlib.compress(document)
    title = _title(title)
    with transaction.atomic():
        scenario = Scenario.objects.create(
            name=_free_name(title),
            title=title,
            document=packed,
            size=len(document),
            sha256=hashlib.sha256(document).hexdigest(),
            **asdict(counts),
        )
        audit(author=author, action="scenario.create", note=title)
        return scenario, _make_room(author)


@transaction.atomic
def scenario_delete(*, name: str, author: str = "") -> str:
    """Delete what a user gave; gives back its title. The examples cannot be deleted."""
    row = Scenario.objects.defer("document").filter(name=name).first()
    if row is None:
        raise ScenarioNotFoundError(name)
    row.delete()
    audit(author=author, action="scenario.delete", note=row.title)
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
    """Delete the oldest beyond the number that is kept."""
    surplus = list(Scenario.objects.values_list("id", "title")[settings.SCENARIO_KEEP :])
    Scenario.objects.filter(id__in=[row_id for row_id, _ in surplus]).delete()
    titles = [title for _, title in surplus]
    for title in titles:
        audit(author=author, action="scenario.delete", note=title)
    return titles
