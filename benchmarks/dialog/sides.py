"""Microseconds of processor of a message of 1 KB on each side of two brokers joined in memory, on one core.

    .venv/bin/python benchmarks/dialog/sides.py [--messages 20000] [--runs 5] [--profile initiator|target]
    make compiled && .venv/bin/python benchmarks/dialog/sides.py --compiled build/compiled

The initiator's side is SEND, the frame, and its acknowledgement that arrives; the target's is the frame that arrives,
its acknowledgement, and RECEIVE. Once with 100 messages in a transaction, ten of each of ten conversations, and once
with one message in each transaction, on the way that the applications of the product take: SEND on a remembered
conversation, whose message leaves with the commit. The store is in memory, every event is made. Beside it, in the same
run, pickle of the same messages and their acknowledgements; with `--compiled` the engine of that folder, in turn with
the one of the checkout. Figures with another speed of the machine compare by its
5,000,000 additions, which are given before and after.

The claim: at most 25 µs on each side with 100 in a transaction.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import ROOT, claim, machine, settle
from benchmarks.dialog.joined import IN_A_COMMIT, KILOBYTE, NOW, Joined, through_pickle
from routing.dialog.batch import ClaimRequest, ReceiveRequest
from routing.dialog.receive import receive
from routing.dialog.send import send
from routing.runtime.broker import Broker

INITIATOR, TARGET = "initiator", "target"
SIDES = (INITIATOR, TARGET)
CONVERSATIONS = 200
OF_EACH = 10
"""Messages of one conversation in a transaction of `IN_A_COMMIT`."""
WARM_UP = 10
"""Rounds of `IN_A_COMMIT` messages before the ones that are measured."""
MOST = 25.0
REQUEST = ReceiveRequest(("two", "PartsQueue"))


class Sides:
    """Two brokers joined, with the processor time of each."""

    def __init__(self, profiled: str = "") -> None:
        self.joined = Joined()
        self.joined.open(CONVERSATIONS)
        self.brokers = dict(zip(SIDES, self.joined.brokers.values(), strict=True))
        self.seconds = dict.fromkeys(SIDES, 0.0)
        self.profile = cProfile.Profile()
        self._profiled = profiled

    @contextmanager
    def _timed(self, side: str) -> Iterator[Broker]:
        is_profiled = side == self._profiled
        if is_profiled:
            self.profile.enable()
        began = time.process_time()
        yield self.brokers[side]
        self.seconds[side] += time.process_time() - began
        if is_profiled:
            self.profile.disable()

    def together(self, number: int) -> int:
        """A transaction of 100 messages; all that is due together travels together. Returns how many were received."""
        handles = self.joined.handles
        some = tuple(handles[(number * OF_EACH + step) % CONVERSATIONS] for step in range(IN_A_COMMIT // OF_EACH))
        with self._timed(INITIATOR) as broker:
            work = broker.work(ClaimRequest(handles=some), NOW)
            for handle in some:
                for _ in range(OF_EACH):
                    send(work, (handle,), "DEFAULT", KILOBYTE)
            broker.commit(work)
            broker.handle_timer(NOW)
            out = _frames(broker)
        with self._timed(TARGET) as broker:
            broker.receive(out, NOW)
            back = _frames(broker)
        with self._timed(INITIATOR) as broker:
            broker.receive(back, NOW)
            assert not _frames(broker)
        with self._timed(TARGET) as broker:
            return sum(_received(broker) for _ in some)

    def alone(self, number: int) -> int:
        """As many transactions of one message, each frame and each acknowledgement for itself."""
        handles = self.joined.handles
        some = [handles[(number * IN_A_COMMIT + step) % CONVERSATIONS] for step in range(IN_A_COMMIT)]
        with self._timed(INITIATOR) as broker:
            out = [_sent(broker, handle) for handle in some]
        back = []
        with self._timed(TARGET) as broker:
            for frames in out:
                broker.receive(frames, NOW)
                back.append(_frames(broker))
        with self._timed(INITIATOR) as broker:
            for frames in back:
                broker.receive(frames, NOW)
                assert not _frames(broker)
        with self._timed(TARGET) as broker:
            return sum(_received(broker) for _ in some)


def _frames(broker: Broker) -> list[bytes]:
    """Return the frames that leave now; the events are taken, as a worker does."""
    broker.events()
    broker.filled()
    return [one.frame for one in broker.frames_to_send(NOW)]


def _sent(broker: Broker, handle: str) -> list[bytes]:
    """SEND in a transaction of its own, without a claim where the conversation is as it is remembered."""
    work = broker.remembered_work(handle, NOW)
    if work is not None:
        send(work, (handle,), "DEFAULT", KILOBYTE)
        if broker.append(work, at_once=True) is not None:
            return _frames(broker)
    work = broker.work(ClaimRequest(handles=(handle,)), NOW)
    send(work, (handle,), "DEFAULT", KILOBYTE)
    broker.send_at_once(work)
    broker.commit(work)
    return _frames(broker)


def _received(broker: Broker) -> int:
    """RECEIVE in a transaction of its own: the messages of one conversation group."""
    work = broker.work(ClaimRequest(receive=REQUEST), NOW)
    messages = receive(work, REQUEST)
    broker.commit(work)
    broker.events()
    return len(messages)


def run_once(way: str, messages: int) -> dict[str, float]:
    """Return the microseconds of one message on each side."""
    sides = Sides()
    carry: Callable[[int], int] = getattr(sides, way)
    received = 0
    for rounds in (WARM_UP, messages // IN_A_COMMIT):
        settle()
        sides.seconds = dict.fromkeys(SIDES, 0.0)
        received = sum(carry(number) for number in range(rounds))
        assert received == rounds * IN_A_COMMIT, received
    return {side: seconds / received * 1e6 for side, seconds in sides.seconds.items()}


def in_a_process(folder: Path, way: str, messages: int) -> dict[str, float]:
    """Return what `run_once` gives in a process of its own, with the engine that lies in a folder."""
    imports = "import json, sys; sys.path.insert(0, sys.argv[1]); import routing; sys.path.append(sys.argv[2])"
    program = f"{imports}; from benchmarks.dialog.sides import run_once as f; print(json.dumps(f({way!r}, {messages})))"
    command = [sys.executable, "-c", program, str(folder), str(ROOT)]
    return dict(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=folder).stdout))


def microseconds(folders: list[Path], way: str, messages: int, runs: int) -> list[dict[str, float]]:
    """Return the figures of each engine in the quickest of some runs, which take turns."""
    found: list[list[dict[str, float]]] = [[] for _ in folders]
    for _ in range(runs):
        for folder, figures in zip(folders, found, strict=True):
            figures.append(in_a_process(folder, way, messages))
    return [{side: min(one[side] for one in figures) for side in SIDES} for figures in found]


def profile(side: str, messages: int) -> None:
    """Print where the time of one side goes, both ways."""
    for way in ("together", "alone"):
        sides = Sides(side)
        carry: Callable[[int], int] = getattr(sides, way)
        for number in range(messages // IN_A_COMMIT):
            carry(number)
        print(f"== {side}, {way}, {messages} messages")
        pstats.Stats(sides.profile).strip_dirs().sort_stats("tottime").print_stats(45)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--messages", type=int, default=20_000)
    arguments.add_argument("--runs", type=int, default=5)
    arguments.add_argument("--profile", choices=SIDES)
    arguments.add_argument("--compiled", type=Path, metavar="FOLDER", help="where `make compiled` has built the engine")
    given = arguments.parse_args()
    if given.profile:
        profile(given.profile, given.messages)
        return 0
    print(machine())
    peer = f"pickled tuples {1e6 / max(through_pickle(given.messages) for _ in range(given.runs)):.1f} µs for both"
    folders = [ROOT] if given.compiled is None else [ROOT, given.compiled.resolve()]
    together, *compiled_together = microseconds(folders, "together", given.messages, given.runs)
    alone, *compiled_alone = microseconds(folders, "alone", given.messages, given.runs)
    kept = [claim(f"100 in a transaction, {side}", together[side], MOST, "µs", peer) for side in SIDES]
    for side in SIDES:
        print(f"       one in a transaction, {side}: {alone[side]:.4g} µs")
    ways = (("100 in a transaction", together, compiled_together), ("one in a transaction", alone, compiled_alone))
    for way, pure, compiled in ways:
        for side, figure in (pair for figures in compiled for pair in figures.items()):
            print(f"       {way}, {side}, compiled: {figure:.4g} µs, {pure[side] / figure:.2f} times as fast")
    print(machine())
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
