"""Two deployments on one machine, each with all its processes, exchange messages: once, in order, whatever dies."""

from __future__ import annotations

import os
import signal

import pytest

from brokerui.client import Client, Received
from tests.brokerui.messaging.products.conftest import Access
from tests.brokerui.product import Product, eventually
from tests.extent import IS_ALL

pytestmark = pytest.mark.slow

AT_ONCE = 20
"""Messages of one request."""
KILLED = ("worker", "endpoint", "valkey", *(("beat", "web") if IS_ALL else ()))
"""No message depends on the last two: `make test` kills them in running/test_up.py, where nothing is sent."""
SECONDS = 400
"""Two retry periods, on a machine that does other things too."""


def bodies() -> list[bytes]:
    return [os.urandom(1024) for _ in range(AT_ONCE)]


def received(client: Client, wait_s: float = 0.0) -> list[Received]:
    with client.receive(instance="B", database="two", queue="dbo.ToQ", wait_s=wait_s) as batch:
        return list(batch)


def test_messages_arrive_once_and_in_order_though_every_process_is_killed(
    products: tuple[Product, Product], accesses: tuple[Access, Access]
) -> None:
    sent, found = bodies(), list[Received]()
    with accesses[0].client() as sender, accesses[1].client() as receiver:
        dialog = sender.begin(instance="A", database="one", from_service="From", to_service="To")
        dialog.send(*sent)
        for name in KILLED:
            for product in products:
                os.kill(product.pids()[name], signal.SIGKILL)
            dialog.send(*(more := bodies()))
            sent += more

        def has_all() -> bool:
            found.extend(received(receiver, 5))
            return len(found) >= len(sent)

        eventually(has_all, SECONDS)
        assert [one.message_sequence_number for one in found] == list(range(len(sent)))
        assert [one.body for one in found] == sent
        assert received(receiver) == []
