"""Reading scenarios. Other apps ask `scenario_get` for the estate, `scenario_find` for what it is called."""

import hashlib
import logging
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial

from django.utils.functional import Promise

from brokerui.core.cache import LruCache
from brokerui.core.deferred import defer
from brokerui.estate.scenarios.errors import ScenarioNotFoundError
from brokerui.estate.scenarios.examples import Example, example_find, examples
from brokerui.estate.scenarios.models import Scenario
from brokerui.estate.signals import estate_read
from routing.common.errors import InputError
from routing.common.gc_control import gc_freeze_if_large
from routing.documents.estate_document import read_estate
from routing.model.estate import Estate

logger = logging.getLogger(__name__)

# An estate of a large document takes some hundred megabytes; a few are enough to go back and forth between.
KEPT_ESTATES = 8
LONG = 512 * 1024
"""Bytes of a document that take longer to read than a request may."""

estates: LruCache[Estate] = LruCache(KEPT_ESTATES)
"""Estates of uploaded documents, by SHA-256."""


@dataclass(frozen=True, slots=True)
class ScenarioCounts:
    """How much an estate holds."""

    instances: int
    databases: int
    services: int
    routes: int


@dataclass(frozen=True, slots=True)
class ScenarioInfo:
    """A scenario without its estate."""

    name: str
    title: str | Promise
    description: str | Promise
    is_example: bool
    counts: ScenarioCounts
    size: int
    created: datetime | None


def scenario_list() -> list[ScenarioInfo]:
    """The examples in their order, then what users gave, newest first."""
    found: list[ScenarioInfo] = []
    for example in examples():
        # One file that somebody broke must not hide the others.
        with suppress(ScenarioNotFoundError):
            found.append(_of_example(example))
    return found + [_of_row(row) for row in _rows()]


def scenario_find(name: str) -> ScenarioInfo:
    """Return name, title and contents of a scenario; `ScenarioNotFoundError` if there is none of that name."""
    if example := example_find(name):
        return _of_example(example)
    return _of_row(_row(name))


def scenario_get(name: str) -> Estate:
    """The estate of the scenario of that name, parsed once; `ScenarioNotFoundError` if there is none."""
    if example := example_find(name):
        return _example_estate(example)
    return _row_estate(_row(name))


def scenario_digest(name: str) -> str:
    """The SHA-256 of the document, which stands for the estate; `ScenarioNotFoundError` if there is none."""
    if example := example_find(name):
        return hashlib.sha256(example.path.read_bytes()).hexdigest()
    return _row(name).sha256


def scenario_document(name: str) -> bytes:
    """The document as it was given; `ScenarioNotFoundError` if there is none."""
    if example := example_find(name):
        return example.path.read_bytes()
    row = Scenario.objects.filter(name=name, is_read=True).only("document").first()
    if row is None:
        raise ScenarioNotFoundError(name)
    return zlib.decompress(row.document)


def count(estate: Estate) -> ScenarioCounts:
    """How much an estate holds."""
    databases = [database for instance in estate.instances.values() for database in instance.databases.values()]
    return ScenarioCounts(
        instances=len(estate.instances),
        databases=len(databases),
        services=sum(len(database.user_services) for database in databases),
        routes=sum(len(database.table) for database in databases),
    )


def _rows() -> Iterable[Scenario]:
    return Scenario.objects.filter(is_read=True).defer("document")


def _row(name: str) -> Scenario:
    row = Scenario.objects.filter(name=name, is_read=True).defer("document").first()
    if row is None:
        raise ScenarioNotFoundError(name)
    return row


def _of_row(row: Scenario) -> ScenarioInfo:
    return ScenarioInfo(
        name=row.name,
        title=row.title,
        description="",
        is_example=False,
        counts=ScenarioCounts(row.instances, row.databases, row.services, row.routes),
        size=row.size,
        created=row.created,
    )


def _of_example(example: Example) -> ScenarioInfo:
    return ScenarioInfo(
        name=example.name,
        title=example.title,
        description=example.description,
        is_example=True,
        counts=count(_example_estate(example)),
        size=example.path.stat().st_size,
        created=None,
    )


def _example_estate(example: Example) -> Estate:
    document = example.path.read_bytes()
    return _read_example(example.name, hashlib.sha256(document).hexdigest())


@lru_cache(maxsize=2 * KEPT_ESTATES)
def _read_example(name: str, sha256: str) -> Estate:
    """Cached by content, so that an example edited on disk is read again."""
    return _read(name)


def _row_estate(row: Scenario) -> Estate:
    if row.size > LONG and not estates.has(row.sha256):
        defer(row.sha256, partial(_prepare, row))
    return estates.get_or_make(row.sha256, partial(_read, row.name))


def _prepare(row: Scenario) -> None:
    estate_keep(row.sha256, _read(row.name))


def estate_keep(sha256: str, estate: Estate) -> None:
    """Cache an estate, after its listeners have made everything that pages derive from it."""
    estate_read.send_robust(sender=Estate, key=sha256, estate=estate)
    estates.put(sha256, estate)


def _read(name: str) -> Estate:
    """Parse a document that was good when it was kept; one that is not any more is as good as gone."""
    try:
        document = scenario_document(name)
        estate = read_estate(document, where=name)
    except InputError as error:
        logger.warning("scenario not readable: %s", error)
        raise ScenarioNotFoundError(name) from error
    gc_freeze_if_large(len(document))
    return estate
