"""Notifications: a waiting receive is woken when messages arrive; a lost one costs a later look."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from brokerui.messaging.exchange import outbox, queue_notify
from brokerui.messaging.exchange.queue_notify import MOST, notify_queues, wait_for_notification
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.services import message_receive
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.messaging.test_services import begin, send

pytestmark = pytest.mark.usefixtures("lists")

HERE, THERE = QueueAddress("B", "two", "ToQ"), QueueAddress("B", "two", "Other")


def waited(place: QueueAddress, seconds: float) -> float:
    began = time.monotonic()
    wait_for_notification(place, seconds)
    return time.monotonic() - began


def test_a_ring_is_heard_by_who_waits_and_by_who_comes_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_notify, "LOOK_SECONDS", 60)
    threading.Timer(0.02, notify_queues, [[HERE]]).start()
    assert waited(HERE, 60) < 60
    notify_queues([HERE])
    assert waited(HERE, 60) < 60
    assert waited(HERE, 0.05) >= 0.05, "it is heard once"


def test_each_queue_has_a_bell_of_its_own() -> None:
    notify_queues([THERE])
    assert waited(HERE, 0.05) >= 0.05


def test_rings_that_nobody_hears_do_not_pile_up() -> None:
    for _ in range(5 * MOST):
        notify_queues([HERE])
    assert outbox.redis().llen(queue_notify._bell(HERE)) == MOST
    assert 0 < outbox.redis().pttl(queue_notify._bell(HERE)) <= queue_notify.KEPT_MS


def test_without_redis_nobody_waits_longer_than_for_a_look(settings: Any) -> None:
    settings.REDIS_URL = "unix:///nowhere.sock"
    notify_queues([HERE])
    assert waited(HERE, 0.05) >= 0.05
    assert waited(HERE, 600) < 600


def test_a_receive_that_waits_has_the_message_as_soon_as_it_is_there(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle, heard = begin(), list[float]()

    def pause(place: QueueAddress, seconds: float) -> None:
        assert place == HERE
        heard.append(seconds)
        send(handle, b"1")
        wire.carry()

    monkeypatch.setattr("brokerui.messaging.waiting.wait_for_notification", pause)
    (message,) = message_receive(**HERE._asdict(), wait_s=60)
    assert (message.message_body, len(heard)) == (b"1", 1)
    assert outbox.redis().llen(queue_notify._bell(HERE)) == 1, "it rang when it was committed"


def test_a_receive_that_waits_gives_up_in_time(wire: Wire) -> None:
    began = time.monotonic()
    assert message_receive(**HERE._asdict(), wait_s=0.1) == ()
    assert time.monotonic() - began >= 0.1
