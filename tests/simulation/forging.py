"""Frames with a digest that fits and fields that do not: each broker of a world takes in whatever anybody could write.

    python -m tests.simulation.forging [--seconds 300] [--seed 1]

A forged frame is a real one of the world with some fields replaced, by edge values or by those of earlier frames. A
forger can break every promise to applications in a dialog that is not sealed; but no broker may crash, loop, or accept
an unreadable frame. The seed of the first world in which one does is printed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Final
from unittest.mock import patch

from routing.adjacent.errors import LocalProtocolError, RemoteProtocolError
from routing.adjacent.fragment import AckRange, Header, read_fragment, write_fragment
from routing.adjacent.limits import MAX_FRAGMENTS, MAX_HOPS, MAX_SEQUENCE, MAX_TIME_MS
from routing.adjacent.roles import ROLES, RoleAnswer, is_role, read_role, write_role
from routing.simulation import network
from routing.simulation.chance import Chance
from routing.simulation.network import FrameInFlight
from routing.simulation.records import BrokerBroke, FrameArrived
from routing.simulation.world import draw_world
from routing.simulation.world_run import run_world

SHARE: Final = 300
"""Thousandths of all copies of frames."""
REMEMBERED: Final = 50
"""Frames whose fields are used for others."""
SMALL = (0, 1, 2, 3, 7)

Field = Callable[[Chance, Header], object]
_FIELDS: Final[dict[str, Field]] = {
    "conversation_id": lambda chance, other: chance.pick((other.conversation_id, chance.randbytes(16))),
    "message_id": lambda chance, other: chance.pick((other.message_id, chance.randbytes(16))),
    "names": lambda chance, other: other.names,
    "flags": lambda chance, other: chance.pick((other.flags, chance.below(32))),
    "sequence": lambda chance, other: chance.pick((*SMALL, other.sequence, MAX_SEQUENCE)),
    "time_to_live": lambda chance, other: chance.pick((1, 1000, MAX_TIME_MS)),
    "hops_remaining": lambda chance, other: chance.pick((0, 1, MAX_HOPS)),
    "fragment": lambda chance, other: chance.pick((*SMALL, other.fragment, MAX_FRAGMENTS - 1)),
    "fragments": lambda chance, other: chance.pick((*SMALL, other.fragments, MAX_FRAGMENTS)),
    "acknowledged": lambda chance, other: chance.pick((other.acknowledged, (), (_range(chance),))),
    "time_consumed": lambda chance, other: chance.pick((0, 1, MAX_TIME_MS)),
}


def _range(chance: Chance) -> AckRange:
    first, last = sorted(chance.pick((*SMALL, MAX_SEQUENCE)) for _ in range(2))
    return AckRange(first, 0, last, chance.pick((0, 1, MAX_FRAGMENTS - 1)))


class Forger:
    """Forges frames of one world."""

    def __init__(self) -> None:
        self.forged = 0
        self._seen: deque[tuple[Header, bytes]] = deque(maxlen=REMEMBERED)
        self._questions: deque[str] = deque(maxlen=REMEMBERED)

    def change(self, chance: Chance, one: FrameInFlight) -> FrameInFlight:
        """The same frame with other fields; unchanged if it cannot be written so."""
        raw = self._role(chance, one.raw) if is_role(one.raw) else self._fragment(chance, one.raw)
        self.forged += raw != one.raw
        return FrameInFlight(one.number, raw, "forged", frozenset(range(len(raw))))

    def _role(self, chance: Chance, raw: bytes) -> bytes:
        message = read_role(raw)
        self._questions.append(message.question_id)
        question = chance.pick(tuple(self._questions))
        if isinstance(message, RoleAnswer) or chance.happens(500):
            return write_role(RoleAnswer(question, chance.pick(ROLES)))
        return write_role(message._replace(question_id=question, broker_instance=chance.pick((None, question))))

    def _fragment(self, chance: Chance, raw: bytes) -> bytes:
        try:
            fragment = read_fragment(raw)
        except RemoteProtocolError:
            return raw  # it was sent on as it came
        body = raw[fragment.body_at : fragment.body_at + fragment.body_size]
        self._seen.append((fragment.header, body))
        header = fragment.header
        for name in {chance.pick(tuple(_FIELDS)): None for _ in range(chance.between(1, 4))}:
            other, its_body = chance.pick(tuple(self._seen))
            header = header._replace(**{name: _FIELDS[name](chance, other)})  # type: ignore[arg-type] - a field is forged to a value of its type
            body = its_body if chance.happens(100) else body
        try:
            return write_fragment(header, body)
        except LocalProtocolError:
            return raw


def forge(seed: int) -> tuple[int, list[str]]:
    """How many forged frames came to a broker in the world of a seed, and how brokers broke."""
    world = draw_world(seed)
    links = {link: replace(one, damage=SHARE) for link, one in world.links.items()}
    forger = Forger()
    with patch.object(network, "damage_frame", forger.change):
        history = run_world(replace(world, links=links))
    came = sum(isinstance(one, FrameArrived) and one.damage == "forged" for one in history.records)
    return min(came, forger.forged), [one.error for one in history.records if isinstance(one, BrokerBroke)]


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=300.0)
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    end, seed, total = time.monotonic() + given.seconds, given.seed, 0
    while time.monotonic() < end:
        forged, broke = forge(seed)
        if broke:
            sys.stdout.write(f"seed {seed}: {broke[0]}\n")
            return 1
        total, seed = total + forged, seed + 1
    sys.stdout.write(f"{total} forged frames in {seed - given.seed} worlds from {given.seed}; no broker broke\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
