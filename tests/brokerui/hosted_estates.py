"""The live estate that hundreds of tests begin with: the service's rows, repeated.

The first test of a process asks the service for them; the others write the rows that the service has written then, in a
quarter of the time. `test_hosted_estates.py` holds both to the same rows.
"""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db import models, transaction
from django.utils import timezone

from brokerui.estate.models import Instance
from brokerui.estate.services import estate_import
from routing.documents.estate_document import read_estate
from tests.brokerui.users import copied

Rows = list[tuple[type[models.Model], list[Any]]]
_written: dict[str, Rows] = {}
"""What the service wrote for a document, with all instances hosted."""


def host_all(document: str) -> None:
    """Make this the live estate of a database that has none yet, with all instances hosted here."""
    if document in _written:
        repeat(_written[document])
        return
    estate_import(estate=read_estate(document), author="test")
    Instance.objects.update(hosted=True)
    _written[document] = rows_of_estate()


def rows_of_estate() -> Rows:
    """All rows of the estate, its versions and its audit."""
    found = ((model, list(model._base_manager.order_by("pk"))) for model in apps.get_app_config("estate").get_models())
    return [(model, rows) for model, rows in found if rows]


def repeat(written: Rows) -> None:
    """Write the rows again, as written now."""
    now = timezone.now()
    with transaction.atomic():
        for model, rows in written:
            moments = [
                field.attname for field in model._meta.concrete_fields if isinstance(field, models.DateTimeField)
            ]
            again = [copied(row) for row in rows]
            for row in again:
                for name in moments:
                    setattr(row, name, getattr(row, name) and now)
            model._base_manager.bulk_create(again)
