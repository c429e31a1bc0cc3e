"""The live estate that hundreds of tests begin with: the service's rows, repeated.

The first test of a process asks the service for them; the others write the rows that the service has written then, in a
quarter of the time. `test_hosted_estates.py` holds both to the same rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

from django.apps import apps
from django.db import models, transaction
from django.db.models import Max
from django.utils import timezone

from brokerui.estate.cache import estates
from brokerui.estate.models import AuditEntry, Instance, Version
from brokerui.estate.services import estate_import
from brokerui.estate.signals import version_written
from routing.documents.estate_document import read_estate
from routing.model.estate import Estate
from tests.brokerui.users import copied, inserted


class Written(NamedTuple):
    """What the service wrote where the estate had no version yet."""

    rows: list[tuple[type[models.Model], list[Any]]]
    entries: list[AuditEntry]
    """Of the audit, which may have others; nothing refers to them."""
    digest: str
    estate: Estate


_written: Final[dict[str, Written]] = {}
"""By a name that stands for the content."""


def host_all(document: str) -> None:
    """Make this the live estate of a database that has none yet, with all instances hosted here."""
    estate = read_estate(document)

    def make() -> None:
        estate_import(estate=estate, author="test")
        Instance.objects.update(hosted=True)

    once(f"hosted: {document}", estate, make)


def once(name: str, estate: Estate, make: Callable[[], object]) -> None:
    """Have the rows of the live estate written: made where they were not made before in this process, else repeated."""
    if name in _written:
        repeat(_written[name])
        return
    before = AuditEntry.objects.aggregate(last=Max("pk"))["last"] or 0
    make()
    tables = [model for model in apps.get_app_config("estate").get_models() if model is not AuditEntry]
    found = [(model, list(model._base_manager.order_by("pk"))) for model in tables]
    entries = list(AuditEntry.objects.filter(pk__gt=before).order_by("pk"))
    version = Version.objects.first()
    if version is not None:  # an estate without anything has none
        _written[name] = Written([one for one in found if one[1]], entries, version.digest, estate)


def repeat(written: Written) -> None:
    """Write the rows again, as written now, and tell of the version when they are committed."""
    with transaction.atomic():
        for model, rows in written.rows:
            model._base_manager.bulk_create(map(of_now, rows))
        for entry in written.entries:
            inserted(of_now(entry))
        estates.put(written.digest, written.estate)
        transaction.on_commit(partial(version_written.send_robust, sender=Version))


def of_now(row: Any) -> Any:
    """Copy a row; its moments are now."""
    again, now = copied(row), timezone.now()
    for field in row._meta.concrete_fields:
        if isinstance(field, models.DateTimeField) and getattr(row, field.attname) is not None:
            setattr(again, field.attname, now)
    return again
