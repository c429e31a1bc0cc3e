"""Kill any process: it is started again by itself, and messages that are sent afterwards arrive."""

from __future__ import annotations

import subprocess
import time

import pytest
from redis import Redis, RedisError

from brokerui.messaging.exchange.lists import connections, run, take_arrived, take_notices
from brokerui.messaging.exchange.messages import Failed, Notice, Online
from tests.brokerui.messaging.endpoint.apart import Apart
from tests.brokerui.messaging.endpoint.scene import address, fragment, send
from tests.brokerui.messaging.endpoint.valkey import Valkey
from tests.brokerui.product import eventually


@pytest.fixture
def there(valkey: Valkey) -> Valkey:
    """The lists of the other deployment."""
    other = Valkey(valkey.home)
    other.url = f"{valkey.url}?db=1"
    return other


def gets_through(sender: Redis, receiver: Redis, to: str, number: int) -> None:
    """Sent again and again, as the dialog layer does."""
    raw, until = fragment(number), time.monotonic() + 20

    def has_come() -> bool:
        try:
            send(sender, "A", to, [raw])
            time.sleep(0.1)  # the way of one fragment; then it is sent again
            return any(raw in run(receiver, take_arrived("B", shard, 1 << 30)) for shard in range(4))
        except RedisError:
            return False

    while not has_come():
        assert time.monotonic() < until


def test_a_valkey_that_is_killed_and_comes_back(
    valkey: Valkey, client: Redis, children: list[subprocess.Popen[str]]
) -> None:
    b = address()
    endpoint = Apart(valkey.url, {"A": [], "B": [b]}, children)
    for number in range(2):
        gets_through(client, client, b, number)
        valkey.kill()
        time.sleep(0.5)  # time in which the endpoint tries without Redis
        valkey.start()
    gets_through(client, client, b, 9)
    eventually(lambda: len(connections(client)) == 2)
    assert endpoint.process.poll() is None
    assert endpoint.stop() == 0


def test_an_endpoint_that_is_killed_and_comes_back_is_reached_again_by_itself(
    valkey: Valkey, there: Valkey, client: Redis, children: list[subprocess.Popen[str]]
) -> None:
    b = address()
    Apart(valkey.url, {"A": []}, children)
    other = Apart(there.url, {"B": [b]}, children)
    notices: list[Notice] = []

    def all_notices() -> list[Notice]:
        notices.extend(run(client, take_notices(100)))
        return notices

    with there.client() as receiver:
        gets_through(client, receiver, b, 0)
        other.kill()
        eventually(lambda: any(isinstance(one, Failed) for one in all_notices()))
        assert notices[0] == Online("A", b)
        other.start()
        eventually(lambda: all_notices()[-1] == Online("A", b), 10)
        gets_through(client, receiver, b, 1)


def test_an_endpoint_that_was_killed_begins_anew_with_what_waits(
    valkey: Valkey, there: Valkey, client: Redis, children: list[subprocess.Popen[str]]
) -> None:
    b = address()
    endpoint = Apart(valkey.url, {"A": []}, children)
    Apart(there.url, {"B": [b]}, children)
    with there.client() as receiver:
        gets_through(client, receiver, b, 0)
        endpoint.kill()
        assert send(client, "A", b, [fragment(1)]) == []
        endpoint.start()
        eventually(lambda: any(run(receiver, take_arrived("B", shard, 1 << 30)) for shard in range(4)))
        eventually(lambda: len(connections(client)) == 1, 5)
    assert endpoint.stop() == 0
    assert connections(client) == []
