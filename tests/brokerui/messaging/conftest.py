"""Hosted instances for these tests, and a Valkey that carries their frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from brokerui.messaging.exchange import outbox
from brokerui.messaging.store.postgres_pool import pool_of
from tests.brokerui.messaging.endpoint.conftest import client, one_valkey, valkey
from tests.brokerui.messaging.endpoint.valkey import Valkey
from tests.brokerui.messaging.hosted import Wire, host_both

__all__ = ["client", "one_valkey", "valkey"]


@pytest.fixture
def wire(lists: None) -> Wire:
    """Instances A (database one, service From) and B (database two, service To), hosted here."""
    host_both()
    return Wire()


@pytest.fixture
def lists(transactional_db: Any, valkey: Valkey, settings: Any) -> Iterator[None]:
    """A Valkey for the frames of whatever is hosted here."""
    settings.REDIS_URL = valkey.url
    settings.CELERY_BROKER_URL = ""
    yield
    outbox.redis().close()
    pool_of("default").close()
