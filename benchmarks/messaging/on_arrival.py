"""Time of one message that arrives, in the engine and the store of its receiver on one database; see `store.py`."""

from __future__ import annotations

from unittest.mock import patch

from django.core.management import call_command

from benchmarks.claims import claim, settle
from benchmarks.messaging.on_receive import Cost, cost, median, server_ns
from benchmarks.messaging.on_store import World
from brokerui.messaging.store import DatabaseStore

CONVERSATIONS = 20
MESSAGES = 200
ROUNDS = 9
WARM = 3
"""Rounds in which all conversations are learned and all statements prepared."""


def measure() -> bool:
    """On the database of the environment, which is empty; whether the claim is kept."""
    call_command("migrate", interactive=False, verbosity=0)
    world = World(CONVERSATIONS)
    settle()
    found: dict[str, list[Cost]] = {"a claim and its commit": [], "recalled": []}
    for number in range(WARM + ROUNDS):
        for name in list(found)[:: -1 if number % 2 else 1]:
            spent = arrived(world, is_recalled=name == "recalled")
            found[name] += [spent] if number >= WARM else []
    claimed, recalled = (median(name, "", costs) for name, costs in found.items())
    times = (recalled.client + recalled.server) / (claimed.client + claimed.server)
    return claim("recalled, to a claim and its commit", times, 0.95, "times")


def arrived(world: World, *, is_recalled: bool) -> Cost:
    """Return the cost of a message in a batch of its own, by its receiver; each batch is another conversation's."""
    world.send(MESSAGES)
    world.a.handle_timer(world.now)
    frames = iter([one.frame for one in world.a.frames_to_send(world.now)])

    def arrive() -> int:
        world.b.receive([next(frames)], world.now, is_async_commit=True)
        return 1

    recall = DatabaseStore.recall if is_recalled else lambda *_: None
    with patch.object(DatabaseStore, "recall", recall):
        spent = cost(arrive, server_ns, MESSAGES)
    world.a.receive([one.frame for one in world.b.frames_to_send(world.now)], world.now)
    world.now += 1
    world.carry()
    assert world.take() == MESSAGES
    return spent
