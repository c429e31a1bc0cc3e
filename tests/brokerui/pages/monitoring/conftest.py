"""Hosted instances whose messages wait, with a clean cache of counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from brokerui.accounts.levels import Role
from brokerui.analysis.monitoring import history, waiting
from brokerui.eventlog.models import MINUTE, Sampled
from brokerui.eventlog.samples import OfSample
from brokerui.messaging.clock import now
from brokerui.messaging.services import Message, conversation_begin, conversation_send
from brokerui.pages.shell import shared_pieces
from tests.brokerui.messaging.conftest import client as redis_client
from tests.brokerui.messaging.conftest import lists, one_valkey, valkey, wire
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.site import signed_in

__all__ = ["lists", "one_valkey", "redis_client", "valkey", "wire"]

MINUTE_MS = 60_000


class _Test:
    began = 0
    """The time from which a test counts minutes back: they pass while it runs."""


@pytest.fixture(autouse=True)
def nothing_counted() -> Iterator[None]:
    _Test.began = now()
    waiting.forget()
    history.forget()
    shared_pieces.forget()
    yield
    waiting.forget()
    history.forget()
    shared_pieces.forget()


@pytest.fixture
def client(wire: Wire) -> Client:
    return signed_in(Role.ADMINISTRATOR)


@pytest.fixture
def operator(wire: Wire) -> Client:
    return signed_in(Role.OPERATOR)


@pytest.fixture
def viewer(wire: Wire) -> Client:
    return signed_in(Role.VIEWER)


def begun(service: str, *, messages: int = 1, encryption: bool = False) -> str:
    """A conversation of A with a service, and messages in it; its handle."""
    named = {"instance": "A", "database": "one", "from_service": "From", "to_service": service}
    handle = conversation_begin(**named, encryption=encryption).conversation_handle
    conversation_send(instance="A", handles=[handle], messages=[Message(b"x")] * messages)
    return handle


def stuck(wire: Wire, service: str, number: int = 1, *, encryption: bool = False) -> list[str]:
    """Conversations that cannot be delivered, and were tried."""
    handles = [begun(service, encryption=encryption) for _ in range(number)]
    wire.carry()
    return handles


def sampled(kind: OfSample, depths: list[int], *, back: int = 0, **more: Any) -> None:
    """Samples of the last minutes, the newest last and `back` minutes old."""
    last = _Test.began - _Test.began % MINUTE_MS - back * MINUTE_MS
    fields = {"instance": "A", "database": "one", "name": "", "error": 0, "role": "", "oldest_age_ms": None} | more
    for number, depth in enumerate(reversed(depths)):
        at = last - number * MINUTE_MS
        Sampled.objects.create(seconds=MINUTE, at=at, kind=int(kind), depth=depth, **fields)
