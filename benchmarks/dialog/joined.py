"""Two brokers joined in memory, on one core: 1 KB messages sent, acknowledged and received, every event made.

    .venv/bin/python benchmarks/dialog/joined.py [--messages 20000] [--runs 3]

The claims: at least 10,000 messages a second; the cost of one does not grow with the conversations that are open; open
idle conversations take under 2 KB each on each side. Beside it, in the same run, what remains of the work when nothing
is kept, sent again, routed or told: HTTP/2 frames of the same bodies over as many streams between two connections of
`h2` (pure Python too; where it is installed), and pickled tuples in a queue.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

try:
    from h2.config import H2Configuration
    from h2.connection import H2Connection
    from h2.events import DataReceived
except ImportError:  # it is measured where it is installed
    H2Connection = None

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import child, claim, machine, megabytes, settle
from brokerui.messaging.keys.cipher import OpenSsl
from routing.common.choices import Choices
from routing.dialog.batch import ClaimRequest, ReceiveRequest
from routing.dialog.begin_dialog import begin_dialog
from routing.dialog.receive import receive
from routing.dialog.send import send
from routing.documents.estate_document import read_estate
from routing.model.estate import Estate
from routing.runtime.broker import Broker
from routing.security.instance_security import DatabaseKeys, InstanceSecurity
from routing.security.keys import KeyPair
from routing.simulation.memory_store import MemoryStore

NOW = 1_900_000_000_000
IDENTIFIERS = {name: f"6f3f0d5e-0000-4000-8000-00000000000{digit}" for digit, name in enumerate(("one", "two"))}
KILOBYTE = bytes(range(256)) * 4
IN_A_COMMIT = 100
"""Messages that the application sends in a transaction, ten of each conversation; fragments that arrive together are
twice as many."""
LEAST = 10_000
MOST_GROWTH = 1.3
MOST_MEGABYTES = 200
LOCAL = {"name": "AutoCreatedLocal", "address": "LOCAL"}


def estate() -> Estate:
    def host(name: str, database: str, service: dict[str, Any], far: str, address: str) -> dict[str, Any]:
        routes = [LOCAL, {"name": far, "remote_service_name": far, "address": address}]
        given = {"name": database, "broker_instance": IDENTIFIERS[database], "services": [service], "routes": routes}
        return {"name": name, "addresses": [f"tcp://{name}"], "databases": [given, {"name": "msdb", "routes": [LOCAL]}]}

    a = host("a", "one", {"name": "//example.org/Shop", "queue": "ShopQueue"}, "//example.org/Parts", "tcp://b")
    parts = {"name": "//example.org/Parts", "queue": "PartsQueue", "contracts": ["DEFAULT"]}
    b = host("b", "two", parts, "//example.org/Shop", "tcp://a")
    return read_estate(json.dumps({"format": "brokerui.estate/1", "instances": [a, b]}))


def keys() -> dict[str, InstanceSecurity]:
    pairs = []
    for _ in range(2):
        private = X25519PrivateKey.generate()
        pairs.append(KeyPair(private.private_bytes_raw(), private.public_key().public_bytes_raw()))
    one = DatabaseKeys(pairs[0], {"//example.org/Parts": pairs[1].public})
    two = DatabaseKeys(pairs[1], {"//example.org/Shop": pairs[0].public})
    return {"a": InstanceSecurity(OpenSsl(), {"one": one}), "b": InstanceSecurity(OpenSsl(), {"two": two})}


class Joined:
    """The two brokers; time stands still, and the network loses nothing."""

    def __init__(self, *, encryption: bool = False) -> None:
        self.encryption = encryption
        choices = Choices(random.Random(1).getrandbits)
        securities = keys() if encryption else {}
        made = estate()
        self.brokers = {
            name: Broker(made, name, MemoryStore(), choices, security=securities.get(name)) for name in ("a", "b")
        }
        self.of = {f"tcp://{name}:4022": broker for name, broker in self.brokers.items()}
        self.handles: list[str] = []

    def open(self, conversations: int) -> None:
        """Conversations whose first message was received and acknowledged."""
        broker = self.brokers["a"]
        for _ in range(0, conversations, IN_A_COMMIT):
            work = broker.work(ClaimRequest(), NOW)
            for _ in range(IN_A_COMMIT):
                names = ("one", "//example.org/Shop", "//example.org/Parts")
                handle = begin_dialog(work, *names, encryption=self.encryption)
                send(work, (handle,), "DEFAULT", b"first")
                self.handles.append(handle)
            broker.commit(work)
            self.carry()
            self.receive()

    def send(self, handles: list[str], bodies: int, body: bytes) -> None:
        broker = self.brokers["a"]
        work = broker.work(ClaimRequest(handles=tuple(handles)), NOW)
        for handle in handles:
            for _ in range(bodies):
                send(work, (handle,), "DEFAULT", body)
        broker.commit(work)

    def carry(self) -> None:
        """Until nobody has anything to say."""
        idle = False
        while not idle:
            idle = True
            for broker in self.brokers.values():
                due = broker.next_timer()
                if due is not None and due <= NOW:
                    broker.handle_timer(NOW)
                out = broker.frames_to_send(NOW)
                broker.events()
                for at in range(0, len(out), 2 * IN_A_COMMIT):
                    idle = False
                    some = out[at : at + 2 * IN_A_COMMIT]
                    self.of[some[0].address].receive([one.frame for one in some], NOW)

    def receive(self) -> int:
        """All that is there, a conversation group a transaction."""
        broker = self.brokers["b"]
        request = ReceiveRequest(("two", "PartsQueue"))
        received = 0
        while True:
            work = broker.work(ClaimRequest(receive=request), NOW)
            messages = receive(work, request)
            broker.commit(work)
            received += len(messages)
            if not messages:
                return received

    def run(self, messages: int, body: bytes = KILOBYTE) -> float:
        """Seconds of the processor."""
        each = 10
        began = time.process_time()
        received = 0
        for at in range(0, messages // each, IN_A_COMMIT // each):
            some = [self.handles[(at + step) % len(self.handles)] for step in range(IN_A_COMMIT // each)]
            self.send(some, each, body)
            self.carry()
            received += self.receive()
        took = time.process_time() - began
        assert received == messages, (received, messages)
        return took


def per_second(conversations: int, messages: int, runs: int, encryption: str = "") -> float:
    """The quickest of some runs; garbage of the whole process is collected before each."""
    joined = Joined(encryption=bool(encryption))
    joined.open(conversations)
    joined.run(1000)
    seconds = []
    for _ in range(runs):
        settle()
        seconds.append(joined.run(messages))
    return messages / min(seconds)


def growth(messages: str, runs: str) -> list[float]:
    """Microseconds of a message with 1,000 and with 100,000 open conversations, measured in turn."""
    few, many = Joined(), Joined()
    few.open(1000)
    many.open(100_000)
    settle()
    took: list[list[float]] = [[], []]
    for joined in (few, many):
        joined.run(1000)
    for _ in range(int(runs)):
        for joined, seconds in zip((few, many), took, strict=True):
            seconds.append(joined.run(int(messages)))
    return [min(seconds) / int(messages) * 1e6 for seconds in took]


def memory(conversations: str) -> float:
    """Megabytes that open idle conversations take, on one side."""
    joined = Joined()
    joined.open(1000)
    settle()
    before = megabytes()
    joined.open(int(conversations))
    settle()
    return (megabytes() - before) / 2


def large(size: int, count: int) -> float:
    """Return MB a second for messages of a length."""
    joined = Joined()
    joined.open(IN_A_COMMIT)
    body = bytes(size)
    settle()
    began = time.process_time()
    for number in range(count):
        joined.send([joined.handles[number]], 1, body)
        joined.carry()
        assert joined.receive() == 1
    return size * count / (time.process_time() - began) / 1e6


# ---------------------------------------------------------------- peers


def through_h2(messages: int, streams: int = 100) -> float | None:
    """Messages a second through two connections of h2, ten of a stream at once, acknowledged by its window."""
    if H2Connection is None:
        return None
    client = H2Connection(H2Configuration(client_side=True, header_encoding=None))
    server = H2Connection(H2Configuration(client_side=False, header_encoding=None))
    client.initiate_connection()
    server.initiate_connection()
    numbers = [2 * number + 1 for number in range(streams)]
    for number in numbers:
        client.send_headers(number, [(":method", "POST"), (":path", "/"), (":scheme", "x"), (":authority", "b")])
    server.receive_data(client.data_to_send())
    client.receive_data(server.data_to_send())
    began = time.process_time()
    received = 0
    for at in range(0, messages, 40):
        some = [numbers[(at // 10 + step) % streams] for step in range(4)]
        for number in some:
            for _ in range(10):
                client.send_data(number, KILOBYTE)
        events = server.receive_data(client.data_to_send())
        received += sum(len(event.data) for event in events if isinstance(event, DataReceived)) // len(KILOBYTE)
        server.increment_flow_control_window(40 * len(KILOBYTE))
        for number in some:
            server.increment_flow_control_window(10 * len(KILOBYTE), number)
        client.receive_data(server.data_to_send())
    took = time.process_time() - began
    assert received == messages
    return messages / took


def through_pickle(messages: int) -> float:
    """Pickled once, put into a queue, taken out, read, and a pickled answer back."""
    there: deque[bytes] = deque()
    back: deque[bytes] = deque()
    began = time.process_time()
    for number in range(messages):
        there.append(pickle.dumps(("conversation", number, "To", "From", "DEFAULT", KILOBYTE), protocol=5))
        came = pickle.loads(there.popleft())
        back.append(pickle.dumps((came[0], came[1]), protocol=5))
        assert pickle.loads(back.popleft())[1] == number
    return messages / (time.process_time() - began)


def best_of(runs: int, measure: Callable[[int], float | None], messages: int) -> float | None:
    figures = [figure for _ in range(runs) if (figure := measure(messages)) is not None]
    return max(figures, default=None)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--messages", type=int, default=20_000)
    arguments.add_argument("--runs", type=int, default=3)
    given = arguments.parse_args()
    messages, runs = given.messages, given.runs
    print(machine())
    http = best_of(runs, through_h2, messages)
    pickled = best_of(runs, through_pickle, messages) or 0.0
    plain = per_second(200, messages, runs)
    sealed = per_second(200, messages, runs, "on")
    few, many = child("benchmarks.dialog.joined:growth", messages, runs)
    idle = child("benchmarks.dialog.joined:memory", 100_000)
    peer = f"pickled tuples {pickled:,.0f} /s"
    if http is not None:
        peer = f"h2 {http:,.0f} /s, {http / plain:.2f} times as fast; {peer}"
    kept = [
        claim("1 KB sent, acknowledged, received", plain, LEAST, "/s", peer, at_least=True),
        claim("the same with encryption", sealed, LEAST, "/s", f"{plain / sealed:.2f} times the cost", at_least=True),
        claim(
            "100,000 open conversations to 1,000", many / few, MOST_GROWTH, "times", f"{many:.1f} µs and {few:.1f} µs"
        ),
        claim("100,000 open idle conversations, one side", idle, MOST_MEGABYTES, "MB"),
        claim("messages of 8 MB", large(8 << 20, 12), 50, "MB/s", at_least=True),
    ]
    print(machine())
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
