"""Throw bytes at whatever reads the wire, for as long as you like.

    python scripts/fuzz_wire.py [--seconds 600] [--seed 1]

Each input is noise, or valid fragments and frames that were cut, mixed, and changed at places that matter. It must be
read or refused: no other exception, nothing slow, no more memory than the input takes. A fragment that was read must be
written to the same bytes again. The first input that fails is printed, with the seed.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from routing.adjacent import frames
from routing.adjacent.connection import PeerConnection
from routing.adjacent.connection_events import ConnectionOver, FragmentsArrived
from routing.adjacent.errors import Corrupted, RemoteProtocolError
from routing.adjacent.fragment import (
    END,
    INITIATOR,
    UNSEQUENCED,
    AckRange,
    Header,
    read_fragment,
    rewrite_hop,
    write_fragment,
)
from routing.adjacent.fragment_names import FragmentNames
from routing.adjacent.frames import FrameReader, Hello, read_close, read_hello, write_close, write_frame, write_hello
from routing.adjacent.guard import DIGEST, NO_KEY, TAG_BYTES, WIRE_LABEL
from routing.adjacent.limits import MAX_FRAME_BYTES
from routing.adjacent.online_connections import OnlineConnections
from routing.adjacent.roles import RoleAnswer, RoleQuestion, is_role, read_role, write_role
from scripts.wire_mutations import changed, cut, drawn

SLOW = 1.0
"""Seconds for one input: thousands of times what it takes."""
GROWTH = 64 << 20
"""Bytes that the process may grow after its first inputs: twice what the names that are kept may take."""

_NAMES = FragmentNames(
    "//x/Target", "//x/Initiator", "//x/Contract", "//x/Request", "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"
)
_HEADER = Header(b"c" * 16, b"m" * 16, _NAMES, INITIATOR, 3, 60_000, 10)
FRAGMENTS = [
    write_fragment(_HEADER, b"hello"),
    write_fragment(
        _HEADER._replace(names=FragmentNames("é𝄞", "b"), fragment=1, fragments=3, sequence=1 << 40), b"part"
    ),
    write_fragment(
        _HEADER._replace(flags=UNSEQUENCED, sequence=0, acknowledged=(AckRange(0, 0, 3, 0), AckRange(5, 0, 5, 2))), b""
    ),
    write_fragment(_HEADER._replace(flags=END), b""),
    write_fragment(_HEADER, bytes(3000)),
]
HELLO = Hello("z", b"z" * 16, b"1" * 16, MAX_FRAME_BYTES)
ROLES = [
    write_role(RoleQuestion("5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d", "//x/Target")),
    write_role(
        RoleQuestion("5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d", "é𝄞", "0" * 8 + "-0000" * 3 + "-" + "0" * 12, "tcp://b:1")
    ),
    *(write_role(RoleAnswer("5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d", role)) for role in (None, "PRINCIPAL", "MIRROR")),
]
FRAMES = [
    write_hello(HELLO),
    write_hello(HELLO._replace(name="a")),
    write_frame(frames.CLAIM, frames.NO_CONNECTION),
    write_frame(frames.ACCEPT, bytes(frames.DECISION_BYTES)),
    *(write_frame(frames.FRAGMENTS, raw) for raw in FRAGMENTS),
    write_frame(frames.FRAGMENTS, b"".join(FRAGMENTS)),
    write_frame(frames.PING),
    write_frame(frames.PONG),
    write_close(2, "idle"),
    *ROLES,
]
BEGINNINGS: list[tuple[int, ...]] = [(), (0,), (0, 2), (0, 2), (1,), (1, 3)]
"""Frames sent before the input, as indexes of `FRAMES`: none, a HELLO, and all until the side is online."""


# ------------------------------------------------------------------------------------------------ what must hold
def try_fragment(chance: random.Random) -> tuple[bytes, Callable[[], str]]:
    raw = drawn(FRAGMENTS, chance)
    if chance.randrange(2) and len(raw) >= 4:
        raw = (len(raw) - 4).to_bytes(4, "big") + raw[4:]

    def work() -> str:
        try:
            fragment = read_fragment(raw)
        except Corrupted:
            return "refused"
        assert read_fragment(rewrite_hop(raw, 0, 0)).header == fragment.header._replace(
            hops_remaining=0, time_consumed=0
        )
        header, body_at = fragment.header, fragment.body_at
        body = raw[body_at : body_at + fragment.body_size]
        again = write_fragment(header, body)
        if fragment.integrity == DIGEST and fragment.key_id == NO_KEY:
            assert again[:-TAG_BYTES] == raw[:-TAG_BYTES], "it is written in another way than it was read"
        try:
            assert fragment.open() == body
        except Corrupted:
            return "not opened"
        assert again == raw
        return "opened"

    return raw, work


def try_frames(chance: random.Random) -> tuple[bytes, Callable[[], str]]:
    raw = drawn(FRAMES, chance)
    pieces = cut(raw, chance)
    most = chance.choice([1024, 8192, MAX_FRAME_BYTES])

    def read_all(given: Sequence[bytes]) -> tuple[list[frames.WireFrame], str]:
        reader = FrameReader(most)
        found: list[frames.WireFrame] = []
        for piece in given:
            reader.feed(piece)
            try:
                while (frame := reader.next()) is not None:
                    found.append(frame)
            except RemoteProtocolError as error:
                return found, str(error)
            assert reader.held <= most + frames.FRAME_HEAD.size, "more is held than a frame"
        return found, ""

    def work() -> str:
        whole = read_all([b"".join(pieces)])
        assert whole == read_all(pieces), "the cut matters"
        for frame in whole[0]:
            if frame.kind == frames.CLOSE:
                read_close(frame.content)
            elif frame.kind == frames.HELLO:
                try:
                    hello = read_hello(frame.content)
                except RemoteProtocolError:
                    continue
                again = write_hello(hello._replace(max_frame_bytes=MAX_FRAME_BYTES))
                assert read_hello(again[frames.FRAME_HEAD.size :])[:3] == hello[:3]
        return "refused" if whole[1] else "read"

    return raw, work


def try_role(chance: random.Random) -> tuple[bytes, Callable[[], str]]:
    raw = changed(chance.choice([*ROLES, *FRAGMENTS]), chance) if chance.randrange(4) else drawn(ROLES, chance)
    if chance.randrange(2) and len(raw) >= 4:
        raw = (len(raw) - 4).to_bytes(4, "big") + raw[4:]
    if chance.randrange(4):  # a tag that fits, so that what it protects is read
        raw = raw[:-TAG_BYTES] + blake2b(raw[:-TAG_BYTES], digest_size=TAG_BYTES, person=WIRE_LABEL).digest()

    def work() -> str:
        try:
            message = read_role(raw)
        except RemoteProtocolError:
            return "refused"
        assert is_role(raw)
        assert write_role(message) == raw, "it is written in another way than it was read"
        try:
            read_fragment(raw)
        except Corrupted:
            return "question" if isinstance(message, RoleQuestion) else "answer"
        raise AssertionError("it is a fragment too")

    return raw, work


def try_connection(chance: random.Random) -> tuple[bytes, Callable[[], str]]:
    raw = b"".join(FRAMES[at] for at in chance.choice(BEGINNINGS)) + drawn(chance.choice([FRAMES, FRAMES[4:]]), chance)
    pieces = cut(raw, chance)
    clock = [chance.choice([0, 0, 1000, 20_000]) for _ in pieces]

    def work() -> str:
        made = PeerConnection(Hello("m", b"m" * 16, b"1" * 16), OnlineConnections())
        made.accept(0)
        now_ms = 0
        events = []
        answered = 0
        for piece, later in zip(pieces, clock, strict=True):
            now_ms += later
            made.handle_timer(now_ms)
            made.receive(piece, now_ms)
            events += made.events()
            while data := made.data_to_send():
                answered += len(data)
        assert answered <= 4096, "a stranger makes us talk"
        overs = [event for event in events if isinstance(event, ConnectionOver)]
        assert len(overs) == made.is_over
        assert not overs or overs == events[-1:], "something happens after the end"
        arrived = sum(len(one) for event in events if isinstance(event, FragmentsArrived) for one in event.fragments)
        assert arrived <= len(raw)
        return made.phase.lower()

    return raw, work


TARGETS = (try_fragment, try_frames, try_role, try_connection)


def fuzz(seconds: float, seed: int, least: int = 0) -> tuple[Counter[tuple[str, str]], int]:
    """Return the results of the inputs, and the growth of the process in bytes; raises the first exception."""
    chance = random.Random(seed)  # noqa: S311 - a run must be repeatable
    outcomes: Counter[tuple[str, str]] = Counter()
    end = time.monotonic() + seconds
    before = 0
    number = 0
    while number < least or time.monotonic() < end:
        target = TARGETS[number % len(TARGETS)]
        raw, work = target(chance)
        began = time.process_time()
        try:
            outcome = work()
            assert time.process_time() - began < SLOW, "it is slow"
        except Exception:
            print(f"{target.__name__}, seed {seed}, input {number}: {raw.hex()}", file=sys.stderr)
            raise
        outcomes[target.__name__, outcome] += 1
        number += 1
        if number == 20_000:
            before = _most_memory()
    grown = _most_memory() - before if before else 0
    assert grown < GROWTH, f"the process has grown by {grown:,} bytes"
    return outcomes, grown


def _most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=600.0)
    arguments.add_argument("--seed", type=int, default=None)
    given = arguments.parse_args()
    seed = time.time_ns() % (1 << 32) if given.seed is None else given.seed
    outcomes, grown = fuzz(given.seconds, seed)
    for (target, outcome), times in sorted(outcomes.items()):
        print(f"{target:<16} {outcome:<12} {times:>12,}")
    print(f"{outcomes.total():,} inputs with seed {seed}; the process has grown by {grown / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
