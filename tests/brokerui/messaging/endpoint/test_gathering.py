"""Frames that come closely after each other are sent together; one that comes alone is sent at once."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest
from redis import RedisError

from brokerui.messaging.endpoint import link as links
from brokerui.messaging.endpoint.link import ENOUGH, GATHER_MOST_S, GATHER_S, NextHopLink, Problem, gathering_s
from tests.brokerui.messaging.endpoint.played import played

wait_for = asyncio.wait_for
SOON = 5
"""Times that frames come while the link gathers."""


class Scene:
    """A link over a connection that is online. Frames come in its first pauses, and not in later ones."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, soon: int, frames: int = 1) -> None:
        self.left = soon
        self.frames = frames
        """That come in each pause."""
        self.steps: list[str | float] = []
        host = SimpleNamespace(name="A", client=None, now=lambda: 0.0, options=SimpleNamespace(outgoing_bytes=1 << 20))
        self.link = NextHopLink(host, "tcp://b:1")  # type: ignore[arg-type]  # a host of what the link needs
        self.wire: Any = SimpleNamespace(
            connection=SimpleNamespace(is_online=True), roomy=asyncio.Event(), send=lambda _: self.steps.append("sends")
        )
        self.wire.roomy.set()
        monkeypatch.setattr(links, "run_async", self.take)
        monkeypatch.setattr(links, "asyncio", SimpleNamespace(sleep=self.pause))

    async def take(self, *_words: object) -> list[bytes]:
        return [b"a frame"] * self.frames

    async def pause(self, seconds: float) -> None:
        self.steps.append(seconds)
        if self.left:
            self.left -= 1
            self.link.want()

    def carry(self) -> list[str | float]:
        """Run the link until no more frames come; gives what it did."""
        self.link.want()
        return self.run()

    def run(self) -> list[str | float]:
        """The same for what the link knows already."""
        played(self.link._carry(self.wire))
        done, self.steps = self.steps, []
        return done


def test_a_frame_that_comes_alone_is_sent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, soon=0)
    assert scene.carry() == ["sends", GATHER_S]
    assert scene.carry() == ["sends", GATHER_S]


@pytest.mark.parametrize("frames", [7, ENOUGH - 1])
def test_the_more_closely_frames_come_the_longer_they_gather_up_to_a_bound(
    monkeypatch: pytest.MonkeyPatch, frames: int
) -> None:
    scene = Scene(monkeypatch, SOON, frames)
    pauses = scene.carry()[1::2]
    assert pauses == [GATHER_S, 2 * GATHER_S, 4 * GATHER_S, *[GATHER_MOST_S] * (SOON - 2)]
    assert scene.carry() == ["sends", GATHER_S], "after a pause without any it begins anew"


@pytest.mark.parametrize("frames", [1, ENOUGH])
def test_frames_that_come_one_by_one_or_many_together_gather_no_longer(
    monkeypatch: pytest.MonkeyPatch, frames: int
) -> None:
    """A conversation whose window is full goes on as soon as its acknowledgement is there."""
    scene = Scene(monkeypatch, SOON, frames)
    assert scene.carry()[1::2] == [GATHER_S] * (SOON + 1)


@pytest.mark.parametrize(("a_second", "pause"), [(60, GATHER_S), (100, GATHER_S), (200, GATHER_S), (800, 0.016)])
def test_after_a_burst_frames_are_sent_as_if_there_had_been_none(a_second: int, pause: float) -> None:
    """Frames come by the thousand a second, as a sender catches up with a stall; those behind them come evenly."""
    at, sent, gather_s = 0.0, 0, 0.0
    for _ in range(200):
        came = int(min(at, 0.1) * 1_500 + max(at - 0.1, 0) * a_second) + 1 - sent
        sent += came
        gather_s = gathering_s(came, gather_s) if came else GATHER_S
        at += gather_s
    assert gather_s == pause


@pytest.mark.parametrize("is_told", [False, True], ids=["it has heard of no others", "others wait in Redis"])
def test_frames_that_came_with_the_news_go_first_and_others_are_asked_for_where_the_link_has_heard_of_them(
    is_told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing tells the link again of frames in Redis: their list is not empty any more."""
    scene = Scene(monkeypatch, soon=0)
    sent: list[bytes] = []
    scene.wire.send = sent.extend
    scene.carry()
    scene.link.offer([b"came"])
    if is_told:
        scene.link.want()
    scene.run()
    assert sent == [b"a frame", b"came", *[b"a frame"] * is_told]
    scene.carry()
    assert sent[-1] == b"a frame"


def test_frames_that_came_with_the_news_are_sent_where_redis_has_gone_since(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, soon=0)
    sent: list[bytes] = []
    scene.wire.send = sent.extend
    monkeypatch.setattr(links, "run_async", AsyncMock(side_effect=RedisError))
    scene.link.offer([b"came"])
    scene.carry()
    assert sent == [b"came"]
    with pytest.raises(RedisError):
        scene.carry()


def test_frames_that_came_are_given_up_with_the_next_hop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later they would come behind those that are sent again."""
    scene = Scene(monkeypatch, soon=0)
    sent: list[bytes] = []
    scene.wire.send = sent.extend
    scene.link.offer([b"came"])
    scene.link.host.teller = SimpleNamespace(notice=lambda _notice: None)
    scene.link.host.options.reconnects = SimpleNamespace(pause_s=lambda _failures: 0.0)
    scene.link.hurry()
    monkeypatch.setattr(links.asyncio, "wait_for", wait_for, raising=False)
    played(scene.link._failed(Problem(9754, "refused")))
    scene.carry()
    assert sent == [b"a frame"]
