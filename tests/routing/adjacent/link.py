"""Two instances in one helper: their connections, and pipes between them that a test opens, cuts and breaks."""

from __future__ import annotations

from collections import deque

from routing.adjacent.connection import PeerConnection
from routing.adjacent.connection_events import ConnectionEvent, ConnectionOnline, FragmentsArrived
from routing.adjacent.connection_settings import ConnectionSettings
from routing.adjacent.frames import Hello
from routing.adjacent.online_connections import OnlineConnections


class Side:
    """One instance, and all its connections."""

    def __init__(self, name: str, number: int, settings: ConnectionSettings | None = None) -> None:
        self.name = name
        self.id = number.to_bytes(16, "big")
        self.settings = settings
        self.neighbours = OnlineConnections()

    def connection(self, number: int, now: int = 0) -> PeerConnection:
        hello = Hello(self.name, self.id, (1000 + number).to_bytes(16, "big"))
        return PeerConnection(hello, self.neighbours, self.settings, now)


class Link:
    """A connection as both sides have it, and the bytes on their way."""

    def __init__(self, dialler: Side, acceptor: Side, number: int, now: int = 0) -> None:
        self.ends = (dialler.connection(number, now), acceptor.connection(number + 500, now))
        self.pipes: tuple[deque[bytes], deque[bytes]] = (deque(), deque())
        self.broken = [False, False]
        """Which end knows that the transport has ended."""
        self.events: tuple[list[ConnectionEvent], list[ConnectionEvent]] = ([], [])
        self.arrived: tuple[list[bytes], list[bytes]] = ([], [])

    def establish(self, now: int = 0) -> Link:
        dialled, accepted = self.ends
        dialled.dial(now)
        dialled.connected()
        accepted.accept(now)
        return self

    def write(self, end: int) -> bool:
        """What one end has to send goes on its way."""
        moved = False
        while data := self.ends[end].data_to_send():
            moved = True
            if not any(self.broken):
                self.pipes[end].append(data)
        return moved

    def read(self, end: int, now: int, most: int = 1 << 30) -> bool:
        """Let one end read some of the bytes on their way to it."""
        pipe = self.pipes[1 - end]
        if not pipe or self.broken[end]:
            return False
        data = pipe.popleft()
        if len(data) > most:
            pipe.appendleft(data[most:])
        self.ends[end].receive(data[:most], now)
        return True

    def take(self, end: int) -> list[ConnectionEvent]:
        events = self.ends[end].events()
        self.events[end].extend(events)
        for event in events:
            if isinstance(event, FragmentsArrived):
                self.arrived[end].extend(event.fragments)
        return events

    def shut(self, end: int, now: int) -> bool:
        """An end that is over closes its socket when all is sent; the other one learns it after the last byte."""
        if not self.ends[end].is_over or self.broken[end]:
            return False
        self.write(end)
        self.broken[end] = True
        return True

    def learn(self, end: int, now: int) -> bool:
        if self.broken[1 - end] and not self.broken[end] and not self.pipes[1 - end]:
            self.broken[end] = True
            self.ends[end].lost(now)
            return True
        return False

    def pump(self, now: int) -> Link:
        """Until nothing moves any more."""
        for _ in range(10_000):
            moved = False
            for end in (0, 1):
                moved |= self.write(end) | self.read(end, now) | self.shut(end, now) | self.learn(end, now)
                self.take(end)
            if not moved:
                return self
        raise AssertionError("it never rests")

    def was_online(self, end: int) -> bool:
        return any(isinstance(event, ConnectionOnline) for event in self.events[end])
