"""Peers that do not keep to the protocol, or too well: they are left, with an event, and others are served."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import struct
import subprocess
import threading
import time
from contextlib import ExitStack
from typing import Any

import pytest
from redis import Redis

from brokerui.messaging.endpoint import instance_server as host
from brokerui.messaging.exchange.frame_bundles import unbundled
from brokerui.messaging.exchange.lists import FrameList, connections, run, take_arrived, take_events
from routing.adjacent.connection import PeerConnection
from routing.adjacent.connection_events import FragmentsArrived
from routing.adjacent.connection_settings import ConnectionSettings
from routing.adjacent.frames import FRAME_HEAD, HELLO, Hello, write_fragments, write_frame, write_hello
from routing.adjacent.online_connections import OnlineConnections
from routing.common.event_subclasses import ConnectionSubclass, LoginSubclass
from tests.brokerui.messaging.endpoint.apart import Apart
from tests.brokerui.messaging.endpoint.played import played
from tests.brokerui.messaging.endpoint.scene import Scene, address, dialled, fragment, port_of, running, send
from tests.brokerui.messaging.endpoint.valkey import Valkey
from tests.brokerui.product import eventually

CONNECTIONS = int(os.environ.get("ENDPOINT_FLOOD", "1500"))
"""By hand: ENDPOINT_FLOOD=10000."""
HELD = 1 << 19
PATIENT = ConnectionSettings(max_outgoing_bytes=1 << 20)
"""A login has 15 seconds: also on a machine that does other work."""
AT_ONCE = 50
"""Frames that a test puts in one call."""
HELLO_OF_P = Hello("P", b"p" * 16, b"c" * 16)
LIMITS = ConnectionSettings(
    max_outgoing_bytes=1 << 20, login_timeout_ms=500, closing_timeout_ms=500, idle_timeout_ms=500
)


class Peer:
    """Speaks the protocol well, at the speed of the test."""

    def __init__(self, at: str, name: str = "P", instance_id: bytes = b"p" * 16, number: int = 1) -> None:
        self.socket = dialled(at)
        self.connection = PeerConnection(Hello(name, instance_id, number.to_bytes(16, "big")), OnlineConnections())
        self.connection.dial(0.0)
        self.connection.connected()
        self.push()

    def push(self) -> None:
        while data := self.connection.data_to_send():
            self.socket.sendall(data)

    def pull(self) -> bool:
        """False: the other side has closed."""
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionError:
            return False
        self.connection.receive(data, 0.0)
        self.push()
        return bool(data)

    def come_online(self) -> Peer:
        while not self.connection.is_online:
            assert self.pull(), "it is not let in"
        return self

    def send(self, frames: list[bytes]) -> None:
        assert self.connection.send(frames, 0.0) == len(frames)
        self.push()

    def close(self) -> None:
        self.socket.close()


def is_served(client: Redis, endpoint: str, number: int) -> None:
    """Another peer, which does as it should, gets its fragment through."""
    peer = Peer(endpoint, "Q", number.to_bytes(16, "big"), number).come_online()
    try:
        raw = fragment(number)
        peer.send([raw])
        assert eventually(lambda: raw in arrived(client, "A"), 10)
    finally:
        peer.close()


def arrived(client: Redis, instance: str) -> list[bytes]:
    return [raw for shard in range(4) for raw in run(client, take_arrived(instance, shard, 1 << 30))]


def events(client: Redis) -> list[Any]:
    return [notice.event for notice in run(client, take_events(10_000))]


@pytest.mark.parametrize(
    ("sent", "login"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", LoginSubclass.MESSAGE_FORMAT_ERROR),
        (os.urandom(1 << 16), LoginSubclass.MESSAGE_FORMAT_ERROR),
        (FRAME_HEAD.pack((1 << 32) - 1, HELLO), LoginSubclass.MESSAGE_FORMAT_ERROR),
        (write_frame(4, bytes(200)), LoginSubclass.MESSAGE_FORMAT_ERROR),
        (write_hello(HELLO_OF_P)[:-1], LoginSubclass.LOGIN_PROTOCOL_ERROR),
        (b"", LoginSubclass.LOGIN_PROTOCOL_ERROR),
        (write_hello(HELLO_OF_P) * 2, LoginSubclass.LOGIN_PROTOCOL_ERROR),
        (
            write_hello(HELLO_OF_P) + write_fragments([fragment(0)], len(fragment(0))),
            LoginSubclass.LOGIN_PROTOCOL_ERROR,
        ),
        (write_hello(HELLO_OF_P), LoginSubclass.LOGIN_PROTOCOL_ERROR),
    ],
    ids=["http", "noise", "4 GB", "no HELLO", "half a HELLO", "nothing", "two HELLO", "too early", "no answer"],
)
def test_who_does_not_log_in_is_left_with_an_event(
    valkey: Valkey, client: Redis, sent: bytes, login: LoginSubclass
) -> None:
    async def scenario() -> None:
        a = address()
        async with running(valkey, {"A": [a]}, connection=LIMITS) as scene:
            peer = dialled(a)
            peer.sendall(sent)
            await scene.until(lambda: scene.seen(ConnectionSubclass.CLOSED), "A")
            assert [event.subclass for event in scene.events if isinstance(event.subclass, LoginSubclass)] == [login]
            assert scene.seen(login)[0].text
            await scene.until(lambda: not scene.endpoint.hosts["A"].wires)
            assert scene.came == []
            assert len(scene.endpoint.guests) == 0
            peer.close()

    played(scenario())


@pytest.mark.parametrize(
    "sent",
    [
        os.urandom(5000),
        FRAME_HEAD.pack(1 << 31, 4),
        write_fragments([fragment(0)], 10_000),
        write_frame(4, struct.pack(">I", 1 << 30) + bytes(200)),
        write_frame(8, bytes(100)),
    ],
    ids=["noise", "2 GB", "fragments that are not there", "a fragment of 1 GB", "no role"],
)
def test_who_breaks_the_protocol_later_is_left_and_what_came_before_stays(
    valkey: Valkey, client: Redis, sent: bytes
) -> None:
    async def scenario() -> None:
        a = address()
        async with running(valkey, {"A": [a]}, connection=LIMITS) as scene:
            peer = await asyncio.to_thread(lambda: Peer(a).come_online())
            peer.send([fragment(1)])
            peer.socket.sendall(sent)
            await scene.until(lambda: scene.seen(ConnectionSubclass.CLOSED) and scene.came, "A")
            assert scene.came == [fragment(1)]
            peer.close()

    played(scenario())


def test_a_peer_that_sends_a_byte_now_and_then_is_left(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        a = address()
        async with running(valkey, {"A": [a]}, connection=LIMITS) as scene:
            peer = await asyncio.to_thread(lambda: Peer(a).come_online())
            raw = write_fragments([fragment(0)], len(fragment(0)))
            began = time.monotonic()
            for byte in raw[:40]:
                try:
                    peer.socket.sendall(bytes([byte]))
                except OSError:
                    break
                await asyncio.sleep(0.05)  # a peer that is slow, byte by byte
            await scene.until(lambda: scene.seen(ConnectionSubclass.CLOSED), "A")
            assert time.monotonic() - began < 5
            peer.close()

    played(scenario())


def test_nobody_has_the_name_of_an_instance_that_is_hosted_here(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        a = address()
        async with running(valkey, {"A": [a], "B": []}) as scene:
            peer = Peer(a, name="b")
            await scene.until(lambda: scene.seen(LoginSubclass.AUTHORIZATION_FAILURE))
            (event,) = scene.seen(LoginSubclass.AUTHORIZATION_FAILURE)
            assert (event.peer, "b, which is hosted here" in event.text) == ("b", True)
            while await asyncio.to_thread(peer.pull):
                pass
            assert not peer.connection.is_online
            peer.close()

    played(scenario())


def test_connections_are_bounded_by_address_and_together(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        a = address()
        async with running(valkey, {"A": [a]}, connections=5, connections_of_peer=3) as scene:
            peers = [_from(f"127.0.0.{last}", a) for last in (2, 2, 2, 2, 3, 3, 3)]
            await scene.until(lambda: len(scene.endpoint.guests) == 5)
            await scene.until(lambda: len(_refused(scene)) == 2)
            assert _refused(scene) == {"127.0.0.2": 1, "127.0.0.3": 1}
            for peer in peers:
                peer.close()
            await scene.until(lambda: len(scene.endpoint.guests) == 0)

    played(scenario())


def _refused(scene: Scene) -> dict[str, int]:
    """How many connections, by where they came from."""
    closed = scene.seen(ConnectionSubclass.CLOSED)
    return {event.address: event.times_closed for event in closed if event.text == "too many connections"}


def _from(host: str, at: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port_of(at)), 5, (host, 0))


def test_a_flood_of_connections_costs_little_and_others_are_served(
    valkey: Valkey, client: Redis, children: list[subprocess.Popen[str]]
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # The process of the tests has many files open already: browsers, databases, sites.
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, CONNECTIONS + 4_000)), hard))
    a = address()
    endpoint = Apart(valkey.url, {"A": [a]}, children)
    is_served(client, a, 1)
    before, quiet = endpoint.megabytes, endpoint.sockets
    try:
        with ExitStack() as stack:
            for number in range(CONNECTIONS):
                peer = stack.enter_context(_from("127.0.0.2", a))
                try:
                    peer.sendall(os.urandom(50) if number % 2 else write_hello(HELLO_OF_P)[:20])
                except OSError:
                    continue  # refused already
                if number % (CONNECTIONS // 3) == 1:
                    is_served(client, a, number + 10)
            is_served(client, a, CONNECTIONS + 10)
            assert endpoint.megabytes - before < 30
            assert endpoint.sockets < quiet + 110
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert endpoint.settles(quiet + 10), "connections to Redis that were opened under load stay open"
    closed = 0

    def all_are_told() -> bool:
        nonlocal closed
        closed += sum(one.times_closed for one in events(client) if one.subclass is ConnectionSubclass.CLOSED)
        return closed >= CONNECTIONS

    assert eventually(all_are_told, 20)
    assert endpoint.stop() == 0


# -- Back-pressure -----------------------------------------------------------------------------------------


def test_a_peer_that_sends_more_than_workers_take_is_slowed_down_in_bounded_memory(
    valkey: Valkey, client: Redis, children: list[subprocess.Popen[str]]
) -> None:
    a = address()
    endpoint = Apart(valkey.url, {"A": [a]}, children)
    is_served(client, a, 1)
    before = endpoint.megabytes
    peer = Peer(a).come_online()
    peer.socket.settimeout(0.5)
    frames = [fragment(number, 1000) for number in range(100)]
    data, sent = write_fragments(frames, sum(map(len, frames))), 0
    while _goes(peer.socket, data):
        sent += len(data)
        assert sent < 40 << 20, "half of a list of 2 MB, half of the 4 MB before it, and what the system keeps"
    assert endpoint.megabytes - before < 40
    peer.close()
    took = 0
    until = time.monotonic() + 20
    while took < 4 << 20:
        assert time.monotonic() < until
        took += sum(map(len, arrived(client, "A")))
        time.sleep(0.01)
    is_served(client, a, 5)
    assert endpoint.stop() == 0


def test_a_peer_that_floods_keeps_no_room_from_another(
    valkey: Valkey, client: Redis, children: list[subprocess.Popen[str]]
) -> None:
    a = address()
    endpoint = Apart(valkey.url, {"A": [a]}, children)
    flooding, usual = Peer(a).come_online(), Peer(a, "Q", b"q" * 16, 2).come_online()
    stuck = threading.Event()
    flood = threading.Thread(target=_flood, args=(flooding.socket, stuck))
    flood.start()
    try:
        assert stuck.wait(30)
        assert _is_slowed(client) == {"P"}
        mine = [fragment(number, 1000, number + OTHERS) for number in range(400)]
        for raw in mine:
            usual.send([raw])
        theirs = set(mine)
        assert eventually(lambda: theirs <= set(_standing(client, "A")), 10), "though workers take nothing"
        assert _is_slowed(client) == {"P"}
        served = [_seconds(client, usual, fragment(number, 1000, number + OTHERS)) for number in range(1000, 1040)]
        assert sorted(served)[-2] < 0.5, "while workers take what they can, and the flood goes on"
    finally:
        flooding.close()
        flood.join()
    usual.close()
    assert endpoint.stop() == 0


OTHERS = 1000
"""The conversations of the flood have lower numbers."""


def _flood(to: socket.socket, stuck: threading.Event) -> None:
    """As much as goes, until the socket is closed; tells when nothing went for a while."""
    to.settimeout(0.5)
    frames = [fragment(number, 1000, number + 1) for number in range(100)]
    data = memoryview(write_fragments(frames, sum(map(len, frames))))
    at = 0
    while True:
        try:
            at = (at + to.send(data[at:])) % len(data)
        except TimeoutError:
            stuck.set()
        except OSError:
            return


def _is_slowed(client: Redis) -> set[str]:
    """Return the peers that are not read now; waits until the shown rows are up to date."""
    time.sleep(1.2)
    return {row.peer for row in connections(client) if row.is_receive_flow_controlled}


def _standing(client: Redis, instance: str) -> list[bytes]:
    """Return the frames that wait for workers, without taking them."""
    values = [value for shard in range(4) for value in client.lrange(FrameList(instance, shard).key, 0, -1)]
    return unbundled([value.partition(b"\0")[2] for value in values])


def _seconds(client: Redis, peer: Peer, raw: bytes) -> float:
    """Until workers have it that take 256 KB at a time, from all shards in turn."""
    began = time.monotonic()
    peer.send([raw])
    while True:
        for shard in range(4):
            if raw in run(client, take_arrived("A", shard, 1 << 18)):
                return time.monotonic() - began
            time.sleep(0.005)
        assert time.monotonic() < began + 20


def _goes(to: socket.socket, data: bytes) -> bool:
    try:
        to.sendall(data)
    except TimeoutError:
        return False
    return True


def test_a_peer_that_does_not_read_makes_us_hold_little(
    valkey: Valkey, client: Redis, children: list[subprocess.Popen[str]]
) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    there = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
    endpoint = Apart(valkey.url, {"A": []}, children)
    frames = [fragment(number, 1000) for number in range(1000)]
    send(client, "A", there, frames[:1])
    peer = Answering(listening)
    before, taken = endpoint.megabytes, 0
    for _ in range(300):
        taken += len(frames) - len(send(client, "A", there, frames))
        time.sleep(0.005)  # the endpoint sends what it can meanwhile
    assert taken < 40_000, "what does not go is refused"
    assert endpoint.megabytes - before < 20
    peer.socket.close()
    listening.close()


def test_a_peer_that_reads_slowly_gets_everything(valkey: Valkey, client: Redis) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    there = f"tcp://127.0.0.1:{listening.getsockname()[1]}"

    async def scenario() -> None:
        async with running(valkey, {"A": []}, connection=PATIENT) as scene:
            frames = [fragment(number, 60_000) for number in range(400)]
            assert not send(client, "A", there, frames[:1])
            peer = await asyncio.to_thread(Answering, listening)
            sending = asyncio.create_task(_send_all(client, there, frames[1:]))
            (wire,) = scene.endpoint.hosts["A"].wires.values()
            await scene.until(lambda: wire.is_full)
            assert wire.connection.waiting < 1 << 20
            came: list[bytes] = []
            while len(came) < len(frames):
                piece = await asyncio.to_thread(peer.socket.recv, 1 << 18)
                assert piece, f"the endpoint closed the connection after {len(came)} fragments: {wire.why}"
                came += peer.fragments(piece)
            assert came == frames
            await sending
            assert wire.connection.fragments_sent == len(frames)
            peer.socket.close()
            await scene.until(lambda: scene.seen(ConnectionSubclass.CLOSED))

    played(scenario())
    listening.close()


def test_a_peer_that_resets_the_connection_is_an_error_of_the_system(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        a = address()
        async with running(valkey, {"A": [a]}) as scene:
            peer = await asyncio.to_thread(lambda: Peer(a).come_online())
            peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.close()
            await scene.until(lambda: scene.seen(ConnectionSubclass.CLOSED))
            (error,) = scene.seen(ConnectionSubclass.RECEIVE_IO_ERROR)
            assert "reset" in error.text.lower()

    played(scenario())


class Answering:
    """A peer that accepts, comes online, and reads no more until a test does."""

    def __init__(self, listening: socket.socket) -> None:
        self.socket, _ = listening.accept()
        self.connection = PeerConnection(HELLO_OF_P, OnlineConnections())
        self.connection.accept(0.0)
        while not self.connection.is_online:
            self.connection.receive(self.socket.recv(1 << 10), 0.0)
            while data := self.connection.data_to_send():
                self.socket.sendall(data)

    def fragments(self, data: bytes) -> list[bytes]:
        """Take bytes that came; gives the fragments that are whole by now, those that came with the login as well."""
        self.connection.receive(data, 0.0)
        return [
            raw for event in self.connection.events() if isinstance(event, FragmentsArrived) for raw in event.fragments
        ]


def test_readers_go_on_once_workers_have_taken_something(valkey: Valkey, client: Redis, settings: Any) -> None:
    settings.ENDPOINT_LIST_BYTES = 1 << 16

    async def scenario() -> None:
        b = address()
        async with running(valkey, {"A": [], "B": [b]}, arriving_bytes=HELD) as scene:
            frames = [fragment(number, 1000) for number in range(3000)]
            sending = asyncio.create_task(_send_all(client, b, frames))
            await scene.until(lambda: _is_slow(scene))
            await scene.until(lambda: len(scene.came) == len(frames), "B", seconds=30)
            assert scene.came == frames
            assert scene.endpoint.hosts["B"].arrivals.lost == 0
            await sending

    played(scenario())


async def _send_all(client: Redis, to: str, frames: list[bytes]) -> None:
    """Put frames as there is room, a few at a time: a call with all of them holds up the loop of the endpoint."""
    while frames:
        refused = send(client, "A", to, frames[:AT_ONCE])
        frames = refused + frames[AT_ONCE:]
        await asyncio.sleep(0.005)


def _is_slow(scene: Scene) -> bool:
    """The reader waits, and no more is held than may be."""
    host = scene.endpoint.hosts["B"]
    assert host.arrivals.held <= 2 * HELD
    return any(wire.is_paused for wire in host.wires.values())


def test_a_peer_that_has_lost_its_connection_comes_back_before_we_know(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        a = address()
        async with running(valkey, {"A": [a]}) as scene:
            first = await asyncio.to_thread(lambda: Peer(a, number=1).come_online())
            second = await asyncio.to_thread(lambda: Peer(a, number=2).come_online())
            second.send([fragment(0)])
            await scene.until(lambda: scene.came, "A")
            (closing,) = scene.seen(ConnectionSubclass.CLOSING)
            assert closing.text == "another connection to the same peer is used"
            assert len(scene.endpoint.hosts["A"].neighbours) == 1
            first.close()
            second.close()

    played(scenario())


def test_an_endpoint_that_ends_does_not_wait_for_who_does_not_close(
    valkey: Valkey, client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "STOP_SECONDS", 0.2)

    async def scenario() -> None:
        a = address()
        async with running(valkey, {"A": [a]}, connection=ConnectionSettings(max_outgoing_bytes=1 << 20)):
            peer = await asyncio.to_thread(lambda: Peer(a).come_online())
        peer.close()

    began = time.monotonic()
    played(scenario())
    assert time.monotonic() - began < 5
