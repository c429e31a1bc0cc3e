"""Time of the store on one database; see `store.py`."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from operator import add
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import psycopg
from django.core.management import call_command
from django.db import connection, transaction

from benchmarks.claims import claim, settle
from brokerui.eventlog.recording import recorder
from brokerui.messaging.models import HostedInstance
from brokerui.messaging.store import DatabaseStore
from routing.common.choices import Choices
from routing.dialog.batch import MAX_OUTGOING_PER_CLAIM, ChangeSet, ClaimRequest, ReceiveRequest
from routing.dialog.begin_dialog import begin_dialog
from routing.dialog.endpoint import ConversationGroupState, Endpoint
from routing.dialog.messages import BufferedFragment, OutboundMessage, QueuedMessage
from routing.dialog.receive import receive
from routing.dialog.send import send
from routing.runtime.broker import Broker
from tests.routing.dialog.joined import joined_estate

NOW = 1_900_000_000_000
QUEUE = ("db", "dbo.Queue")
BODY = random.Random(1).randbytes(1024)
TYPE = "//example.org/Order/Request"
SECONDS = 2.0
CONVERSATIONS = 20
ENDLESS = 10**9
"""More than there are turns: a conversation that was settled last is due last."""
MOST = {200: 5, 1: 10}
"""Times a bare COPY of the rows, by rows a commit. With them an endpoint of 36 columns changes, after a claim."""


def measure() -> bool:
    """On the database of the environment, which is empty; whether every claim is kept."""
    call_command("migrate", interactive=False, verbosity=0)
    print(f"{connection.vendor}, 1 KB bodies, {CONVERSATIONS} conversations; rows a second of the wall clock")
    kept = [_rows(at_once) for at_once in (200, 1)]
    return all([*kept, _engine()])


def hosted() -> int:
    """A new instance."""
    return HostedInstance.objects.create(name=str(uuid4())).id


class Rate(NamedTuple):
    """Of a row, in microseconds."""

    clock: float
    ours: float
    servers: float

    def __str__(self) -> str:
        return f"{1e6 / self.clock:,.0f}/s; of one core {self.ours:.1f} us here, {self.servers:.1f} us in the server"


def rate(work: Callable[[], int]) -> Rate:
    """Return the microseconds per row of `work`, called until it has no more rows or the time is over."""
    work()
    before, done = spent(), 0
    while (now := work()) and time.perf_counter() - before.clock < SECONDS:
        done += now
    took = spent() - before
    return Rate(*(seconds / max(1, done) * 1e6 for seconds in took))


class Spent(NamedTuple):
    """Seconds, since some moment."""

    clock: float
    ours: float
    """Of one core, by this process."""
    servers: float
    """Of one core, by the processes of the server that work for clients."""

    def __sub__(self, other: Spent) -> Spent:
        return Spent(*(mine - its for mine, its in zip(self, other, strict=True)))


def spent() -> Spent:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'")
        pids = [pid for (pid,) in cursor.fetchall()]
    stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    ticks = sum(int(stat[11]) + int(stat[12]) for stat in stats)
    return Spent(time.perf_counter(), time.process_time(), ticks / os.sysconf("SC_CLK_TCK"))


class Bench:
    """A store with some conversations."""

    def __init__(self) -> None:
        self.store = DatabaseStore(hosted())
        self.handles = [str(uuid4()) for _ in range(CONVERSATIONS)]
        self.numbers = dict.fromkeys(self.handles, 0)
        self.turns, self.places = count(), count()
        token = self.store.claim(ClaimRequest(), NOW).token
        changes = ChangeSet(token, NOW)
        for handle in self.handles:
            changes.endpoints[handle] = self.endpoint(handle)
            changes.groups[handle] = ConversationGroupState(handle, "db", "S", QUEUE[1], 1)
        self.store.commit(changes)

    def endpoint(self, handle: str) -> Endpoint:
        number = self.numbers[handle]
        return Endpoint(
            handle,
            handle,
            True,
            "db",
            "S",
            QUEUE[1],
            "T",
            None,
            "DEFAULT",
            handle,
            NOW * 2,
            "CO",
            5,
            send_sequence=number,
            outgoing=number,
            due=NOW - ENDLESS,
            next_attempt=NOW,
        )

    def next(self, at_once: int) -> list[tuple[str, int]]:
        """Return handles and numbers of `count` messages."""
        found = []
        for _ in range(at_once):
            handle = self.handles[next(self.places) % len(self.handles)]
            found.append((handle, self.numbers[handle]))
            self.numbers[handle] += 1
        return found

    def outgoing(self, at_once: int) -> int:
        """A SEND: claim, rows, endpoints."""
        rows = self.next(at_once)
        handles = tuple(dict.fromkeys(handle for handle, _ in rows))
        token = self.store.claim(ClaimRequest(handles), NOW).token
        changes = ChangeSet(token, NOW, endpoints={handle: self.endpoint(handle) for handle in handles})
        changes.outgoing = [OutboundMessage(handle, number, TYPE, BODY, NOW) for handle, number in rows]
        self.store.commit(changes)
        return at_once

    def enqueued(self, at_once: int) -> int:
        """Messages arrive: claim, rows, endpoints, counter."""
        rows = self.next(at_once)
        keys = tuple(dict.fromkeys((handle, True) for handle, _ in rows))
        token = self.store.claim(ClaimRequest(conversations=keys), NOW).token
        changes = ChangeSet(token, NOW, endpoints={handle: self.endpoint(handle) for handle, _ in keys})
        changes.enqueued = [
            QueuedMessage(*QUEUE, 5, handle, handle, number, "S", "DEFAULT", TYPE, "N", BODY, NOW)
            for handle, number in rows
        ]
        self.store.commit(changes)
        return at_once

    def held(self, at_once: int) -> int:
        """Fragments before their turn."""
        token = self.store.claim(ClaimRequest(), NOW).token
        rows = [BufferedFragment(handle, number, 0, 2, TYPE, BODY, NOW) for handle, number in self.next(at_once)]
        self.store.commit(ChangeSet(token, NOW, buffered=rows))
        return at_once

    def settled(self, at_once: int) -> int:
        """Claim due conversations with their messages and release them; return the number of messages."""
        batch = self.store.claim(ClaimRequest(due=max(1, at_once // MAX_OUTGOING_PER_CLAIM)), NOW)
        changes = ChangeSet(batch.token, NOW)
        gone = 0
        for handle in batch.due:
            if rows := batch.outgoing[handle][: at_once - gone]:
                gone += len(rows)
                below = rows[-1].message_sequence_number + 1
                changes.acknowledged_below[handle] = below
                endpoint = self.endpoint(handle)
                endpoint.due = NOW - ENDLESS + next(self.turns)
                endpoint.acknowledged_sequence = endpoint.sending_sequence = endpoint.transmitted = below
                changes.endpoints[handle] = endpoint
        self.store.commit(changes)
        return gone

    def received(self, at_once: int) -> int:
        """RECEIVE."""
        batch = self.store.claim(ClaimRequest(receive=ReceiveRequest(QUEUE, at_once)), NOW)
        self.store.commit(ChangeSet(batch.token, NOW, received=list(batch.received)))
        return len(batch.received)


def _rows(at_once: int) -> bool:
    peer = by_hand(at_once)
    bench, other = Bench(), Bench()
    works = {
        "outgoing": bench.outgoing,
        "settled": bench.settled,
        "enqueued": other.enqueued,
        "received": other.received,
        "held": other.held,
    }
    kept = []
    for what, work in works.items():
        found = rate(partial(work, at_once))
        times = (found.ours + found.servers) / (peer.ours + peer.servers)
        kept.append(claim(f"{what}, {at_once} a commit", times, MOST[at_once], "times COPY by hand", str(found)))
    return all(kept)


def by_hand(at_once: int) -> Rate:
    """The same rows into a table of the same form with COPY, committed: what the server takes at least."""
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}) as raw:
        raw.execute("CREATE TABLE by_hand (h text, n int8, t text, b bytea, e int8, PRIMARY KEY (h, n))")
        raw.execute("ALTER TABLE by_hand ALTER b SET STORAGE EXTERNAL")
        raw.commit()
        handle, numbers = str(uuid4()), count()

        def work() -> int:
            with raw.cursor().copy("COPY by_hand FROM STDIN (FORMAT BINARY)") as copy:
                copy.set_types(["text", "int8", "text", "bytea", "int8"])
                for _ in range(at_once):
                    copy.write_row((handle, next(numbers), TYPE, BODY, NOW))
            raw.commit()
            return at_once

        found = rate(work)
        raw.execute("DROP TABLE by_hand")
    print(f"       COPY by hand, {at_once} a commit: {found}")
    return found


# ---------------------------------------------------------------- the engine over it


class World:
    """Two instances, each over a store of its own."""

    def __init__(self, conversations: int) -> None:
        estate = joined_estate()
        choices = Choices(random.Random(1).getrandbits)
        self.now = NOW
        a, b = hosted(), hosted()
        self.a, self.b = Broker(estate, "a", DatabaseStore(a), choices), Broker(estate, "b", DatabaseStore(b), choices)
        self.reader = Broker(estate, "b", DatabaseStore(b, in_transaction=True), choices)
        work = self.a.work(ClaimRequest(), NOW)
        self.handles = [begin_dialog(work, "one", "From", "To", encryption=False) for _ in range(conversations)]
        self.a.commit(work)

    def send(self, at_once: int) -> int:
        handles = [self.handles[place % len(self.handles)] for place in range(at_once)]
        work = self.a.work(ClaimRequest(handles=tuple(dict.fromkeys(handles))), self.now)
        for handle in handles:
            send(work, (handle,), "DEFAULT", BODY)
        self.a.commit(work)
        return at_once

    def carry(self) -> int:
        self.a.handle_timer(self.now)
        while frames := [one.frame for one in self.a.frames_to_send(self.now)]:
            self.b.receive(frames, self.now)
            self.a.receive([one.frame for one in self.b.frames_to_send(self.now)], self.now)
            self.a.handle_timer(self.now)
        raised = self.a.events(), self.b.events()
        for name, events in zip("ab", raised, strict=True):
            recorder.note(name, events)
        return sum(map(len, raised))

    def take(self) -> int:
        """RECEIVE group by group, in one transaction of the application."""
        request, taken = ReceiveRequest(("two", "ToQ"), 1000), 0
        with transaction.atomic():
            while True:
                work = self.reader.work(ClaimRequest(receive=request), self.now)
                messages = receive(work, request)
                self.reader.commit(work)
                taken += len(messages)
                if not messages:
                    return taken


def _engine() -> bool:
    """100 messages a SEND, in 20 conversations."""
    world, parts, done = World(20), dict.fromkeys(("send", "carry", "take"), Spent(0, 0, 0)), 0
    settle()

    def timed(part: str, work: Callable[[], int]) -> int:
        before, result = spent(), work()
        parts[part] = Spent(*map(add, parts[part], spent() - before))
        return result

    began = time.perf_counter()
    while time.perf_counter() - began < 4 * SECONDS:
        sent = timed("send", lambda: world.send(100) + world.send(100))
        timed("carry", world.carry)
        assert timed("take", world.take) == sent
        world.now += 1
        done += sent
    for part, took in parts.items():
        print(f"       {part}: {Rate(*(seconds / done * 1e6 for seconds in took))}")
    total = [sum(seconds) for seconds in zip(*parts.values(), strict=True)]
    what = "sent, received, acknowledged, taken"
    beside = f"{done / total[0]:,.0f}/s by the clock, {done / total[2]:,.0f}/s of a core of the server"
    return claim(what, done / total[1], 6_500, "messages/s of a core of ours", beside, at_least=True)
