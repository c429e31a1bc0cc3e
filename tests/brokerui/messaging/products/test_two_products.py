"""Two deployments on one machine, each with all its processes, exchange messages: once, in order, whatever dies."""

from __future__ import annotations

import base64
import json
import os
import signal
from typing import Any

import pytest

from tests.brokerui.product import Product, done, eventually
from tests.extent import IS_ALL

pytestmark = pytest.mark.slow

AT_ONCE = 20
"""Messages of one command."""
KILLED = ("worker", "endpoint", "valkey", *(("beat", "web") if IS_ALL else ()))
"""No message depends on the last two: `make test` kills them in running/test_up.py, where nothing is sent."""
SECONDS = 400
"""Two retry periods, on a machine that does other things too."""


def send(product: Product, *words: str) -> str:
    """Some messages; the handle of their conversation."""
    result = done(product.home, ["send", "--from", "A/one", *words, "--count", str(AT_ONCE), "--size", "1K"])
    return str(json.loads(result)["conversation_handle"])


def received(product: Product, *words: str) -> list[dict[str, Any]]:
    lines = done(product.home, ["receive", "B/two/dbo.ToQ", *words]).splitlines()
    return [json.loads(line) for line in lines]


def test_messages_arrive_once_and_in_order_though_every_process_is_killed(products: tuple[Product, Product]) -> None:
    first, second = products
    handle = send(first, "--service", "From", "--to", "To")
    for name in KILLED:
        for product in products:
            os.kill(product.pids()[name], signal.SIGKILL)
        send(first, "--conversation", handle)
    numbers: list[int] = []
    count = (1 + len(KILLED)) * AT_ONCE

    def has_all() -> bool:
        for message in received(second, "--wait", "5000"):
            assert len(base64.b64decode(message["message_body"])) == 1024
            numbers.append(message["message_sequence_number"])
        return len(numbers) >= count

    eventually(has_all, SECONDS)
    assert numbers == list(range(count))
    assert received(second) == []
