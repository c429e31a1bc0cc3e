"""Time of importing, editing and reading the live estate on one database; see `estate_database.py`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from django.core.management import call_command
from django.db import connection

from benchmarks.claims import claim, large_document
from brokerui.estate import models
from brokerui.estate.cache import estates
from brokerui.estate.columns import route_columns
from brokerui.estate.selectors import estate_as_of, estate_current
from brokerui.estate.services import estate_edit, estate_import
from routing.documents.estate_document import read_estate
from routing.model.address import parse_address
from routing.model.edits import PutRoute
from routing.model.estate import Estate
from routing.model.route import Route

EDITS, READS = 50, 1000


def measure() -> bool:
    """On the database of the environment, which is empty; whether every claim is kept."""
    call_command("migrate", interactive=False, verbosity=0)
    document = large_document().read_bytes()
    reading, estate = seconds(lambda: read_estate(document))
    print(f"{connection.vendor}: {len(estate.instances):,} instances, {len(routes_of(estate)):,} routes")
    return all([_import(estate), _import_again(document, reading), _edit(estate), _current(), _cold(reading)])


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """By the clock: a server works in other processes."""
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def median(times: int, work: Callable[[], Any]) -> float:
    return statistics.median(seconds(work)[0] for _ in range(times))


def routes_of(estate: Estate) -> list[Route]:
    databases = (database for instance in estate.instances.values() for database in instance.databases.values())
    return [route for database in databases for route in database.table.routes.values()]


def _import(estate: Estate) -> bool:
    took, _ = seconds(lambda: estate_import(estate=estate, author="benchmark"))
    peer, _ = seconds(lambda: _bulk_create(routes_of(estate)))
    models.Route.objects.filter(name__startswith="peer ").delete()
    return claim("import from nothing", took, 60, "s", f"{took / peer:.2f} times Django's bulk_create of its routes")


def _bulk_create(routes: list[Route]) -> None:
    database = models.Database.objects.order_by("id").first()
    models.Route.objects.bulk_create(
        models.Route(database=database, name=f"peer {number}", position=number, **route_columns(route))
        for number, route in enumerate(routes)
    )


def _import_again(document: bytes, reading: float) -> bool:
    again = read_estate(document)
    took, _ = seconds(lambda: estate_import(estate=again, author="benchmark"))
    return claim("import of the same", took, 10, "s", f"{took / reading:.2f} times reading the document")


def _edit(estate: Estate) -> bool:
    instance = next(iter(estate.instances.values()))
    database = next(iter(instance.databases))

    def edit() -> None:
        number = estate_current().version
        route = Route("Edited", f"Service{number}", None, None, parse_address("LOCAL"))
        estate_edit(edits=[PutRoute(instance.name, database, route)], base_version=number, author="benchmark")

    took = median(EDITS, edit)
    return claim("edit of one route, median", took * 1e3, 100, "ms", f"{took / _row():.1f} times reading one row")


def _current() -> bool:
    took = median(READS, estate_current)
    return claim("current estate, median", took * 1e3, 1, "ms", f"{took / _row():.2f} times reading one row")


def _row() -> float:
    return median(READS, lambda: models.Live.objects.values_list("version_id", flat=True).get(id=1))


def _cold(reading: float) -> bool:
    """With nothing in memory: the newest version has the most edits since its document."""
    estates.clear()
    newest, _ = seconds(estate_current)
    estates.clear()
    oldest, _ = seconds(lambda: estate_as_of(version=1))
    took = max(newest, oldest)
    return claim("any version, nothing in memory", took, 10, "s", f"{took / reading:.2f} times reading the document")
