"""The store on the database, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from brokerui.messaging.models import HostedInstance
from brokerui.messaging.store import DatabaseStore
from brokerui.messaging.store.postgres import pool_of
from routing.store import Store
from tests.routing.store.conformance import StoreConformance

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def store(transactional_db: Any) -> Iterator[Store]:
    made = DatabaseStore(HostedInstance.objects.create(name="host1").id)
    yield made
    made.forget_claims()
    pool_of("default").close()


class TestDatabaseStore(StoreConformance):
    pass
