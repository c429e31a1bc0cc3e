"""Fragments of 1 KB written, read and opened on one core, beside pickle and json of the same content in the same run.

    .venv/bin/python benchmarks/dialog/wire.py [--messages 20000] [--runs 7]

The claim: under 15 microseconds for a message with its names, an acknowledgement and its digest, written and opened
again; a forwarder that passes it on reads the header in a part of that, whatever the size of the body; and a connection
carries a fragment from one side to the other in less than reading it takes.
"""

from __future__ import annotations

import argparse
import base64
import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import best, claim
from routing.adjacent.connection import PeerConnection
from routing.adjacent.connection_events import FragmentsArrived
from routing.adjacent.fragment import (
    INITIATOR,
    AckRange,
    Header,
    read_fragment,
    rewrite_hop,
    write_fragment,
)
from routing.adjacent.fragment_names import FragmentNames
from routing.adjacent.frames import Hello
from routing.adjacent.limits import MAX_BODY_BYTES
from routing.adjacent.online_connections import OnlineConnections

NAMES = FragmentNames(
    "//example.org/Parts/Order",
    "//example.org/Shop/Order",
    "//example.org/Order/Contract",
    "//example.org/Order/Request",
    "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d",
)
HEADER = Header(bytes(range(16)), bytes(range(1, 17)), NAMES, INITIATOR, 0, 60_000, 10, 0, 1, (AckRange(0, 0, 7, 0),))
KILOBYTE = bytes(range(256)) * 4
LIMIT = 15.0
LIMIT_FORWARD = 8.0
LIMIT_CARRY = 4.0
AT_ONCE = 100
"""Fragments that are given to a connection together."""


def microseconds(work: Callable[[int], object], messages: int, runs: int) -> float:
    """Of one message, in the quickest of some runs; each message has a number of its own."""

    def all_of_them() -> None:
        for number in range(messages):
            work(number)

    return best(runs, all_of_them)[0] / messages * 1e6


def through_wire(number: int) -> bytes:
    return read_fragment(write_fragment(HEADER._replace(sequence=number), KILOBYTE)).open()


def through_pickle(number: int) -> object:
    return pickle.loads(pickle.dumps((HEADER._replace(sequence=number), KILOBYTE), protocol=5))


def through_json(number: int) -> bytes:
    header = HEADER._replace(sequence=number)
    members = [header.conversation_id.hex(), header.message_id.hex(), *header[2:], base64.b64encode(KILOBYTE).decode()]
    return base64.b64decode(json.loads(json.dumps(members))[-1])


def connected() -> tuple[PeerConnection, PeerConnection]:
    """Two sides of a connection that is online."""
    names = ("A", "B")
    sides = [PeerConnection(Hello(name, name.encode() * 16, b"c" * 16), OnlineConnections()) for name in names]
    sides[0].dial(0)
    sides[0].connected()
    sides[1].accept(0)
    for _ in range(3):
        for one, other in (sides, reversed(sides)):
            while data := one.data_to_send():
                other.receive(data, 0)
    return sides[0], sides[1]


def carrying(raw: bytes) -> Callable[[int], int]:
    one, other = connected()
    assert one.is_online
    assert other.is_online
    other.events()

    def carry(_: int) -> int:
        assert one.send([raw] * AT_ONCE, 1000) == AT_ONCE
        while data := one.data_to_send():
            other.receive(data, 1000)
        arrived = sum(len(event.fragments) for event in other.events() if isinstance(event, FragmentsArrived))
        assert arrived == AT_ONCE
        return arrived

    return carry


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--messages", type=int, default=20_000)
    arguments.add_argument("--runs", type=int, default=7)
    given = arguments.parse_args()
    messages, runs = given.messages, given.runs
    peers = {
        "pickle": microseconds(through_pickle, messages, runs),
        "json": microseconds(through_json, messages, runs),
    }
    wire = microseconds(through_wire, messages, runs)
    small = write_fragment(HEADER, KILOBYTE)
    large = write_fragment(HEADER, bytes(MAX_BODY_BYTES))

    def pass_on(raw: bytes) -> bytes:
        return rewrite_hop(raw, read_fragment(raw).header.hops_remaining - 1, 5)

    peer = ", ".join(f"{name} without a digest {took:.1f}" for name, took in peers.items())
    on_the_way = microseconds(lambda _: pass_on(small), messages, runs)
    large_on_the_way = microseconds(lambda _: pass_on(large), max(messages // 10, 1), runs)
    carried = microseconds(carrying(small), max(messages // AT_ONCE, 1), runs) / AT_ONCE
    kept = [
        claim("1 KB written, read and opened", wire, LIMIT, "µs", peer),
        claim("1 KB passed on", on_the_way, LIMIT_FORWARD, "µs", f"64 KB {large_on_the_way:.1f}"),
        claim(f"1 KB carried over a connection, {AT_ONCE} at once", carried, LIMIT_CARRY, "µs"),
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
