"""Celery over a Redis that holds foreign data in its keys: tasks are sent, taken and finished all the same."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest
from redis import Redis

from brokerui.core import redis_aside
from brokerui.core.celery_transport import RepairingTransport
from brokerui.core.redis_client import redis_client
from brokerui.core.redis_keys import ASIDE
from brokerui.core.redis_url import broker_url
from tests.brokerui.messaging.conftest import one_valkey, valkey
from tests.brokerui.messaging.endpoint.valkey import Valkey
from tests.brokerui.messaging.test_foreign_data import GARBAGE, WRITERS, write_list, write_string

__all__ = ["one_valkey", "valkey"]

kombu: Any = import_module("kombu")  # most of its functions have no types
DELIVERY = {"exchange": "", "routing_key": "transmit"}
KEYS = ["transmit", "transmit\x06\x163", "unacked", "unacked_index", "_kombu.binding.transmit"]
BROKEN = [
    {"body": "e30=", "properties": {}},
    {"body": "e30=", "properties": {"delivery_tag": "1"}},
    {"body": "e30=", "properties": {"delivery_tag": "1", "delivery_info": DELIVERY}, "headers": [1]},
    {"body": "!", "properties": {"delivery_tag": "1", "delivery_info": DELIVERY, "body_encoding": "base64"}},
    {"body": None, "properties": {"delivery_tag": "1", "delivery_info": DELIVERY}},
]


@pytest.fixture(autouse=True)
def nothing_told(monkeypatch: pytest.MonkeyPatch, settings: Any, valkey: Valkey) -> None:
    settings.REDIS_URL = valkey.url
    monkeypatch.setattr(redis_aside, "_reported_at", {})


@pytest.fixture
def client() -> Redis:
    return redis_client(connect_s=2, answer_s=2)


@pytest.fixture
def broker(settings: Any) -> Iterator[Any]:
    with kombu.Connection(broker_url(settings.REDIS_URL)) as connection:
        yield connection


def send_and_take(broker: Any) -> list[Any]:
    """Send a task, and take messages until it has arrived."""
    came: list[Any] = []

    def take(body: Any, message: Any) -> None:
        came.append(body)
        message.ack()

    with broker.channel() as channel:
        kombu.Producer(channel).publish({"this": "task"}, routing_key="transmit", serializer="json")
        with kombu.Consumer(channel, [kombu.Queue("transmit")], callbacks=[take]):
            for _ in range(100):
                if came:
                    break
                try:
                    broker.drain_events(timeout=0.05)
                except TimeoutError:
                    continue
    return came


def test_every_address_of_a_redis_has_the_repairing_transport() -> None:
    for url in ("redis://host/1", "rediss://host/1", "redis+socket:///some/where"):
        assert kombu.Connection(url).get_transport_cls() is RepairingTransport


@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.__name__)
@pytest.mark.parametrize(
    "key", ["transmit", "transmit\x06\x163", "unacked", "unacked_index", "_kombu.binding.transmit"]
)
def test_a_task_comes_whatever_is_in_the_keys(
    broker: Any, client: Redis, key: str, writer: Callable[[Redis, str, bytes], None]
) -> None:
    for value in GARBAGE:
        client.flushall()
        writer(client, key, value)
        assert send_and_take(broker) == [{"this": "task"}]


@pytest.mark.parametrize("payload", BROKEN)
def test_a_value_that_is_no_task_is_put_aside(
    broker: Any, client: Redis, payload: Any, caplog: pytest.LogCaptureFixture
) -> None:
    text = json.dumps(payload)
    client.lpush("transmit", text)
    with caplog.at_level(logging.WARNING):
        assert send_and_take(broker) == [{"this": "task"}]
    assert client.lrange(f"{ASIDE}transmit", 0, -1) == [text.encode()]
    (record,) = caplog.records
    problem = "the key transmit held 1 value(s) that the product has not written"
    assert record.getMessage() == f"Redis: {problem}; it is kept for 7 days as {ASIDE}transmit"


def test_what_was_taken_and_is_no_task_is_not_given_back(broker: Any, client: Redis) -> None:
    client.hset("unacked", "tag", "garbage")
    client.zadd("unacked_index", {"tag": 1})
    write_string(client, "unacked_mutex", b"for ever")
    with broker.channel() as channel:
        channel.qos.restore_visible(interval=1)
    assert (client.hlen("unacked"), client.zcard("unacked_index")) == (0, 0)
    assert client.lrange(f"{ASIDE}unacked", 0, -1) == [b"garbage"]
    assert client.get(f"{ASIDE}unacked_mutex") == b"for ever"


def test_bindings_that_are_none_are_taken_out(broker: Any, client: Redis) -> None:
    client.sadd("_kombu.binding.some", "garbage", b"\xff", "key\x06\x16\x06\x16queue")
    with broker.channel() as channel:
        assert channel.get_table("some") == [("key", "", "queue")]
    assert client.smembers("_kombu.binding.some") == {b"key\x06\x16\x06\x16queue"}
    assert len(client.lrange(f"{ASIDE}_kombu.binding.some", 0, -1)) == 2


def test_another_type_is_put_aside_as_it_is(broker: Any, client: Redis) -> None:
    write_list(client, "unacked", b"theirs")
    assert send_and_take(broker) == [{"this": "task"}]
    assert client.lrange(f"{ASIDE}unacked", 0, -1) == [b"theirs"] * 2
