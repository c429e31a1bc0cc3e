"""Simulated network: delays, loses, duplicates, reorders and damages frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from routing.adjacent.errors import Corrupted
from routing.adjacent.fragment import Header, read_fragment
from routing.adjacent.guard import SALT_BYTES, SEALED
from routing.security.instance_security import DialogProtection
from routing.simulation.application_records import BodyDigest, body_of
from routing.simulation.chance import Chance
from routing.simulation.clock import Scheduler
from routing.simulation.history import WorldHistory
from routing.simulation.landscape import address
from routing.simulation.records import FaultNoted, FrameLost, FrameSent
from routing.simulation.world import LinkFaults, World

UNHARMED: Final[frozenset[int]] = frozenset()


class FrameInFlight(NamedTuple):
    """A copy of a frame in transit."""

    number: int
    raw: bytes
    damage: str = ""
    harm: frozenset[int] = UNHARMED


class SimulatedNetwork:
    """All links of a world, with their partitions."""

    def __init__(
        self, world: World, agenda: Scheduler, history: WorldHistory, arrive: Callable[[str, FrameInFlight], None]
    ) -> None:
        self._agenda = agenda
        self._history = history
        self._arrive = arrive
        self._links: Mapping[tuple[str, str], LinkFaults] = world.links
        self._chances = {link: world.chance("link", *link) for link in world.links}
        self._at = {address(name): name for name in world.estate.instances}
        self._cut: dict[tuple[str, str], int] = {}
        """By link: number of partitions that block it now."""
        self._number = 0
        self.flying = 0
        self.is_calm = False
        for partition in world.partitions:
            agenda.at(partition.begins, self._cut_through, partition.name, partition.links, 1)
            agenda.at(partition.ends, self._cut_through, partition.name, partition.links, -1)

    def _cut_through(self, name: str, links: frozenset[tuple[str, str]], by: int) -> None:
        for link in sorted(links):
            self._cut[link] = self._cut.get(link, 0) + by
        what = ", ".join(f"{one} to {other}" for one, other in sorted(links))
        self._history.add(FaultNoted(self._agenda.now, f"{name} {'begins' if by > 0 else 'ends'}: {what}"))

    def send(self, broker: str, now: int, to: str, frame: bytes) -> None:
        """Send a frame of a broker to the next hop at address `to`. `now`: the broker's own clock."""
        number = self._number
        self._number += 1
        name = self._at.get(to, "")
        moment = self._agenda.now
        header, raw, protection, body = _visible_parts(frame)
        self._history.add(
            FrameSent(
                at=moment,
                broker=broker,
                now=now,
                number=number,
                address=to,
                to=name,
                size=len(frame),
                header=header,
                raw=raw,
                protection=protection,
                body=body,
            )
        )
        if not name:
            self._history.add(FrameLost(moment, number, "nobody is there"))
            return
        link = self._links[broker, name]
        chance = self._chances[broker, name]
        copies = 1
        if not self.is_calm:
            if self._cut.get((broker, name)):
                self._history.add(FrameLost(moment, number, "partition"))
                return
            if link.loss and chance.happens(link.loss):
                self._history.add(FrameLost(moment, number, "lost"))
                return
            copies += link.doubling > 0 and chance.happens(link.doubling)
        for _ in range(copies):
            self._fly(link, chance, name, FrameInFlight(number, frame))

    def _fly(self, link: LinkFaults, chance: Chance, to: str, one: FrameInFlight) -> None:
        delay = link.latency + (chance.below(link.jitter + 1) if link.jitter else 0)
        if not self.is_calm:
            if link.detour and chance.happens(link.detour):
                delay += chance.below(chance.pick((1_000, 1_000, 10_000, 100_000)))
            if link.damage and chance.happens(link.damage):
                one = damage_frame(chance, one)
        self.flying += 1
        self._agenda.after(delay, self._land, to, one)

    def _land(self, to: str, one: FrameInFlight) -> None:
        self.flying -= 1
        self._arrive(to, one)


def damage_frame(chance: Chance, one: FrameInFlight) -> FrameInFlight:
    """Return the frame truncated, or with some bits flipped."""
    raw = bytearray(one.raw)
    if chance.happens(300):
        size = chance.below(len(raw))
        return FrameInFlight(one.number, bytes(raw[:size]), f"cut to {size}", frozenset(range(size, len(raw))))
    # Half of the flips hit the header, which routing and the dialog layer read.
    reach = min(len(raw), 160) if chance.happens(500) else len(raw)
    harm = {chance.below(reach) for _ in range(chance.between(1, 4))}
    for at in sorted(harm):
        raw[at] ^= 1 << chance.below(8)
    return FrameInFlight(one.number, bytes(raw), "bits flipped", frozenset(harm))


def _visible_parts(frame: bytes) -> tuple[Header | None, bytes, DialogProtection | None, BodyDigest | None]:
    """Return what every hop can read of a frame: header, raw bytes if not a fragment, protection, body as sent."""
    try:
        fragment = read_fragment(frame)
    except Corrupted:
        return None, frame, None, None
    at = fragment.body_at + (SALT_BYTES if fragment.integrity == SEALED else 0)
    body = body_of(frame[at : at + fragment.body_size])
    return fragment.header, b"", DialogProtection(fragment.integrity, fragment.key_id), body
