"""The process of `brokerui endpoint`, here in the process of the test."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from brokerui.core.async_redis import AsyncRedis
from brokerui.messaging.endpoint import command, receive_waker
from brokerui.messaging.endpoint.task_cancellation import cancel_all
from brokerui.messaging.exchange.lists import run, take_events
from brokerui.messaging.tasks import receive
from routing.common.event_subclasses import LoginSubclass
from tests.brokerui.messaging.endpoint.played import played
from tests.brokerui.messaging.endpoint.scene import address, fragment
from tests.brokerui.messaging.endpoint.test_hostile import Peer
from tests.brokerui.messaging.endpoint.valkey import Valkey
from tests.brokerui.product import eventually


@pytest.fixture
def own_signals() -> Iterator[None]:
    """Give the process of the test its handlers back: a command keeps those that it sets."""
    theirs = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in theirs.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("no_loop", "own_signals")
def test_it_serves_what_is_hosted_wakes_workers_and_ends_when_it_is_told(
    valkey: Valkey, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = valkey.url
    a, woken, problems = address(), [], []
    monkeypatch.setattr(command, "hosted", lambda: {"A": (a,)})
    monkeypatch.setattr(command, "close_old_connections", lambda: None)
    monkeypatch.setattr(receive_waker, "wake", woken.append)

    def play() -> None:
        try:
            peer = eventually(lambda: _peer(a))
            peer.come_online().send([fragment(0)])
            eventually(lambda: woken)
            peer.close()
        except BaseException as error:  # noqa: BLE001 - told in the thread of the test
            problems.append(error)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=play)
    thread.start()
    command.serve()
    thread.join()
    assert problems == []
    assert woken == [receive]
    with valkey.client() as client:
        events = [notice.event for notice in run(client, take_events(100))]
    assert any(event.subclass is LoginSubclass.LOGIN_SUCCESS for event in events)


def _peer(at: str) -> Peer | None:
    try:
        return Peer(at)
    except ConnectionRefusedError:
        return None  # it does not listen yet


def test_a_wake_up_that_fails_is_not_the_last(
    valkey: Valkey, settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings.REDIS_URL = valkey.url
    tried: list[object] = []

    def fails(task: object) -> None:
        tried.append(task)
        raise ZeroDivisionError

    async def scenario() -> None:
        client = AsyncRedis(valkey.url, connect_s=2.0, answer_s=2.0)
        waker = receive_waker.ReceiveWaker(client)
        task = asyncio.create_task(waker.run())
        for number in range(1, 3):
            await client.call("FLUSHALL")  # else one that is on its way serves for both
            waker()
            while len(tried) < number:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)  # time in which one call too many would show
        await cancel_all({task})
        await client.aclose()

    monkeypatch.setattr(receive_waker, "wake", fails)
    played(scenario())
    assert tried == [receive, receive]
    assert "workers were not woken" in caplog.text
