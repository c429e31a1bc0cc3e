"""An estate whose rows are repeated is the one that the service writes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.apps import apps
from django.db import models, transaction

from brokerui.estate.cache import estates
from brokerui.estate.models import AuditEntry
from brokerui.estate.selectors import estate_current
from tests.brokerui import hosted_estates
from tests.brokerui.hosted_estates import host_all
from tests.brokerui.messaging.hosted import DOCUMENT

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def everything() -> dict[str, list[Any]]:
    """All rows of all tables; of a moment, whether there is one."""
    tables = [model for model in apps.get_models() if model._meta.managed]
    return {model._meta.label: [values_of(row) for row in model._base_manager.order_by("pk")] for model in tables}


def values_of(row: Any) -> dict[str, Any]:
    fields = [field for field in row._meta.concrete_fields if not (field.primary_key and isinstance(row, AuditEntry))]
    values = {field.attname: getattr(row, field.attname) for field in fields}
    moments = {field.attname for field in row._meta.concrete_fields if isinstance(field, models.DateTimeField)}
    plain = {name: bytes(value) if isinstance(value, memoryview) else value for name, value in values.items()}
    return {name: value is not None if name in moments else value for name, value in plain.items()}


def test_its_rows_are_those_of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted_estates, "_written", {})
    document = json.dumps(DOCUMENT)
    with transaction.atomic():
        host_all(document)
        written, estate = everything(), estate_current()
        transaction.set_rollback(True)
    estates.clear()
    host_all(document)
    assert everything() == written
    assert estate_current().estate == estate.estate
    assert len(written["estate.Instance"]) == len(DOCUMENT["instances"])
