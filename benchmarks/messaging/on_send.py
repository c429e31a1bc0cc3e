"""Time of a SEND in a conversation that its process remembers, on one database; see `store.py`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import count

from django.core.management import call_command
from django.db import connection

from benchmarks.claims import claim
from benchmarks.messaging.on_receive import Cost, cost, median, server_ns
from benchmarks.messaging.on_store import BODY, NOW, TYPE, Bench
from routing.dialog.appended_messages import AppendedMessages
from routing.dialog.batch import ClaimRequest
from routing.dialog.messages import OutboundMessage

SENDS = 200
ROUNDS = 9
WARM = 40
"""Sends of a round before those that count: a session prepares a function that was replaced."""
MIGRATION = "brokerui.messaging.migrations.0007_append_messages_at_once"


def measure() -> bool:
    """On the database of the environment, which is empty; whether the claims are kept."""
    call_command("migrate", interactive=False, verbosity=0)
    claiming, sender, functions = Bench(), Sender(), import_module(MIGRATION)
    ways: dict[str, tuple[Callable[..., None], Callable[[], int]]] = {
        "a claim and its commit": (functions.replace, lambda: claiming.outgoing(1)),
        "appended, by the function before": (functions.restore, sender.append),
        "appended": (functions.replace, sender.append),
    }
    found: dict[str, list[Cost]] = {name: [] for name in ways}
    for number in range(ROUNDS):
        for name in list(ways)[:: -1 if number % 2 else 1]:
            found[name].append(spent(*ways[name]))
    claimed, former, appended = (median(name, "", costs) for name, costs in found.items())
    times = (appended.client + appended.server) / (claimed.client + claimed.server)
    return all(
        [
            claim("appended, to a claim and its commit", times, 0.6, "times"),
            claim("server, to the function before", appended.server / former.server, 1.05, "times"),
        ]
    )


def spent(make: Callable[..., None], send: Callable[[], int]) -> Cost:
    """Return the cost of a SEND while the database has one of the functions."""
    with connection.schema_editor() as editor:
        make(None, editor)
    cost(send, server_ns, WARM)
    return cost(send, server_ns, SENDS)


class Sender:
    """Sends messages that leave at once, by what it remembers of its conversations."""

    def __init__(self) -> None:
        self.bench = Bench()
        self.turns = count()
        self.known = self.bench.store.claim(ClaimRequest(), NOW)
        self.bench.store.release(self.known.token)

    def append(self) -> int:
        """Add a message to the next conversation."""
        handle = self.bench.handles[next(self.turns) % len(self.bench.handles)]
        before = self.bench.endpoint(handle)
        self.bench.numbers[handle] += 1
        message = OutboundMessage(handle, before.send_sequence, TYPE, BODY, NOW)
        appended = AppendedMessages(before, self.known.requests, (message,), NOW, 10**6, NOW, next_attempt=NOW)
        outcome = self.bench.store.append(appended)
        return int(outcome is not None and outcome.have_left)
