"""An import keeps what its catalogs show of a server's conversations, when it is applied and not before."""

from __future__ import annotations

import json

import pytest

from brokerui.analysis.imports.import_job import run_do
from brokerui.analysis.imports.services import run_apply
from brokerui.analysis.servers.models import CollectedDatabase, Collection, CollectionSource
from brokerui.analysis.servers.selectors import left_conversations, sums_of
from routing.model.estate import Database, Instance
from tests.brokerui.analysis.imports.helpers import previewed
from tests.routing.catalog.server import COLLECTED, catalog

GROUP = {"database_id": 2, "service_name": "Ship", "far_service": "Mine", "is_initiator": 0, "state": "DI"}


@pytest.mark.django_db(transaction=True)
def test_a_catalog_is_kept_once_it_is_applied() -> None:
    instance = Instance("shop", {name: Database(name) for name in ("master", "Orders")})
    document = catalog(instance)
    number = next(row["database_id"] for row in document["databases"] if row["name"] == "Orders")
    rows = [{**GROUP, "database_id": number, "age_days": age, "endpoints": 300} for age in (0, 7)]
    run = previewed({"shop.json": json.dumps({**document, "conversation_endpoints": rows})})
    assert not Collection.objects.exists()
    run_apply(run=run, author="editor")
    assert run_do(run.pk)
    kept = Collection.objects.get()
    assert (kept.server, kept.source, kept.author) == ("shop", CollectionSource.IMPORTED, "editor")
    assert (kept.collected_at, kept.product_version) == (COLLECTED, "11.0.7001.0")
    groups = sums_of(CollectedDatabase.objects.get(name="Orders")).endpoints or ()
    assert [(one.age_days, one.is_initiator, one.endpoints) for one in groups] == [(0, False, 300), (7, False, 300)]
    assert [(one.server, one.database, one.left) for one in left_conversations()] == [("shop", "Orders", 600)]
