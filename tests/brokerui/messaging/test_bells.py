"""Bells: who waits for messages hears that some have come; a ring that is lost costs a look later."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from brokerui.messaging import bells, outgoing
from brokerui.messaging.bells import MOST, listen, ring
from brokerui.messaging.places import Place
from brokerui.messaging.services import message_receive
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.messaging.test_services import begin, send

pytestmark = pytest.mark.usefixtures("lists")

HERE, THERE = Place("B", "two", "ToQ"), Place("B", "two", "Other")


def waited(place: Place, seconds: float) -> float:
    began = time.monotonic()
    listen(place, seconds)
    return time.monotonic() - began


def test_a_ring_is_heard_by_who_waits_and_by_who_comes_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bells, "LOOK_SECONDS", 60)
    threading.Timer(0.02, ring, [[HERE]]).start()
    assert waited(HERE, 60) < 60
    ring([HERE])
    assert waited(HERE, 60) < 60
    assert waited(HERE, 0.05) >= 0.05, "it is heard once"


def test_each_queue_has_a_bell_of_its_own() -> None:
    ring([THERE])
    assert waited(HERE, 0.05) >= 0.05


def test_rings_that_nobody_hears_do_not_pile_up() -> None:
    for _ in range(5 * MOST):
        ring([HERE])
    assert outgoing.redis().llen(bells._bell(HERE)) == MOST
    assert 0 < outgoing.redis().pttl(bells._bell(HERE)) <= bells.KEPT_MS


def test_without_redis_nobody_waits_longer_than_for_a_look(settings: Any) -> None:
    settings.REDIS_URL = "unix:///nowhere.sock"
    ring([HERE])
    assert waited(HERE, 0.05) >= 0.05
    assert waited(HERE, 600) < 600


def test_a_receive_that_waits_has_the_message_as_soon_as_it_is_there(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle, heard = begin(), list[float]()

    def pause(place: Place, seconds: float) -> None:
        assert place == HERE
        heard.append(seconds)
        send(handle, b"1")
        wire.carry()

    monkeypatch.setattr("brokerui.messaging.services.listen", pause)
    (message,) = message_receive(**HERE._asdict(), wait_s=60)
    assert (message.message_body, len(heard)) == (b"1", 1)
    assert outgoing.redis().llen(bells._bell(HERE)) == 1, "it rang when it was committed"


def test_a_receive_that_waits_gives_up_in_time(wire: Wire) -> None:
    began = time.monotonic()
    assert message_receive(**HERE._asdict(), wait_s=0.1) == ()
    assert time.monotonic() - began >= 0.1
