"""A simulated world: everything that a seed determines before the run starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from routing.model.estate import Estate
from routing.simulation import estates, limits, plans
from routing.simulation import fault_schedule as upheavals
from routing.simulation.chance import Chance
from routing.simulation.clock import START, Clock
from routing.simulation.fault_schedule import FaultSchedule, fault_interval
from routing.simulation.faults import LEVELS, WHOLE, FaultLevel, Mask
from routing.simulation.landscape import DynamicRoute, MirroredPair, Repair
from routing.simulation.limits import WorldLimits
from routing.simulation.plans import ConversationPlan
from routing.simulation.trust import NO_TRUST, Trust, draw_trust


@dataclass(frozen=True, slots=True)
class LinkFaults:
    """Faults of one direction between two brokers: latency and jitter in ms, probabilities in permille."""

    latency: int
    jitter: int
    loss: int = 0
    doubling: int = 0
    damage: int = 0
    detour: int = 0


@dataclass(frozen=True, slots=True)
class Partition:
    """A period in which the given links deliver nothing."""

    name: str
    links: frozenset[tuple[str, str]]
    begins: int
    ends: int
    """Begin and end in milliseconds of world time."""


@dataclass(frozen=True, slots=True)
class PlannedCrash:
    """A broker crashes during one of its commits."""

    name: str
    commit: int
    """Number of the commit, counted from the start of the world."""
    is_written: bool
    """True if the commit became durable before the crash."""
    down: int
    """Milliseconds until it restarts."""


@dataclass(frozen=True, slots=True)
class PlannedFailover:
    """The partners of a mirrored database swap their roles."""

    name: str
    pair: MirroredPair
    at: int
    down: int
    """Milliseconds for which the old principal stays down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Estate, conversations and faults of one run."""

    seed: int
    faults: str
    mask: Mask
    estate: Estate
    conversations: tuple[ConversationPlan, ...]
    clocks: Mapping[str, Clock]
    links: Mapping[tuple[str, str], LinkFaults]
    partitions: tuple[Partition, ...]
    crashes: Mapping[str, tuple[PlannedCrash, ...]]
    upheavals: FaultSchedule
    failovers: tuple[PlannedFailover, ...]
    repairs: tuple[Repair, ...]
    configurations: tuple[DynamicRoute, ...]
    heals: int
    """World time in ms after which no fault happens any more."""
    fragment_bytes: int
    trust: Trust
    encrypted: frozenset[int]
    """The conversations that begin WITH ENCRYPTION = ON."""
    limits: WorldLimits

    @property
    def level(self) -> FaultLevel:
        return LEVELS[self.faults]

    def chance(self, *names: int | str) -> Chance:
        """Return the random source of one part of the run."""
        return Chance(self.seed, "run", *names)


def draw_world(seed: int, faults: str = "heavy", mask: Mask = WHOLE) -> World:
    """Draw the world of a seed, without the parts that the mask leaves out."""
    level = LEVELS[faults]
    chance = Chance(seed, "world")
    chaos = chance.between(40_000, 240_000)
    calm = chaos if mask.calm_after is None else min(chaos, mask.calm_after)
    heals = START + calm
    fragment_bytes = chance.pick((1 << 10, 4 << 10, 16 << 10, 32 << 10))
    landscape = estates.draw_landscape(chance.of("estate"), chaos)
    conversations = plans.draw_conversations(chance.of("conversations"), landscape.pairings, chaos, fragment_bytes)
    names = tuple(landscape.estate.instances)
    trust = draw_trust(chance.of("trust"), landscape.estate, landscape.pairings, chaos)
    return World(
        seed=seed,
        faults=faults,
        mask=mask,
        estate=landscape.estate,
        conversations=tuple(plan for plan in conversations if mask.takes(f"conversation {plan.number}")),
        clocks={name: _clock(chance.of("clock", name), level, mask) for name in names},
        links=_links(chance.of("links"), names, level, mask),
        partitions=tuple(_partitions(chance.of("partitions"), names, level, mask, chaos, heals)),
        crashes={name: tuple(_crashes(chance.of("crashes", name), name, level, mask)) for name in names},
        upheavals=upheavals.draw_fault_schedule(
            chance, landscape.estate, level, mask, chaos, heals, keys=trust != NO_TRUST
        ),
        failovers=tuple(_failovers(chance.of("failovers"), landscape.mirrored, level, mask, chaos, heals)),
        repairs=landscape.repairs,
        configurations=landscape.configurations,
        heals=heals,
        fragment_bytes=fragment_bytes,
        trust=trust,
        encrypted=frozenset(
            plan.number
            for plan in conversations
            if chance.of("encryption", plan.number).happens(20 if trust == NO_TRUST else 600)
        ),
        limits=limits.draw_limits(chance.of("limits"), fragment_bytes),
    )


def _clock(chance: Chance, level: FaultLevel, mask: Mask) -> Clock:
    if not (mask.takes("clocks") and chance.happens(500)):
        return Clock()
    return Clock(chance.between(-level.clocks, level.clocks), chance.between(-level.drift, level.drift))


def _links(chance: Chance, names: tuple[str, ...], level: FaultLevel, mask: Mask) -> dict[tuple[str, str], LinkFaults]:
    found: dict[tuple[str, str], LinkFaults] = {}
    for one in names:
        for other in names:
            latency, jitter = chance.between(1, 60), chance.pick((0, 5, 80, 400))
            shares = {
                kind: chance.below(most + 1) if chance.happens(600) else 0
                for kind, most in (
                    ("loss", level.loss),
                    ("doubling", level.doubling),
                    ("damage", level.damage),
                    ("detour", level.detour),
                )
            }
            kept = {kind: share for kind, share in shares.items() if mask.takes(kind)}
            found[one, other] = LinkFaults(latency, jitter if mask.takes("jitter") else 0, **kept)
    return found


def _partitions(
    chance: Chance, names: tuple[str, ...], level: FaultLevel, mask: Mask, chaos: int, heals: int
) -> Iterable[Partition]:
    for number in range(chance.below(level.partitions + 1)):
        one = chance.pick(names)
        others = [name for name in names if name != one]
        other = chance.pick(others)
        alone = chance.happens(300)
        both = chance.happens(500)
        begins, ends = fault_interval(chance, chaos, heals, 90_000)
        cut = {(one, name) for name in others} if alone else {(one, other)}
        if both:
            cut |= {(to, from_) for from_, to in cut}
        name = f"partition {number}"
        if mask.takes(name) and begins < ends:
            yield Partition(name, frozenset(cut), begins, ends)


def _crashes(chance: Chance, name: str, level: FaultLevel, mask: Mask) -> Iterable[PlannedCrash]:
    commit = 0
    for number in range(chance.below(level.crashes + 1)):
        commit += chance.between(1, chance.pick((5, 30, 80)))
        crash = PlannedCrash(
            f"crash {number} of {name}", commit, chance.happens(500), chance.pick((1, 500, 5_000, 30_000))
        )
        if mask.takes(crash.name):
            yield crash


def _failovers(
    chance: Chance, mirrored: tuple[MirroredPair, ...], level: FaultLevel, mask: Mask, chaos: int, heals: int
) -> Iterable[PlannedFailover]:
    for number in range(chance.below(level.failovers + 1) if mirrored else 0):
        at = START + chance.below(chaos)
        failover = PlannedFailover(f"failover {number}", chance.pick(mirrored), at, chance.pick((100, 5_000, 40_000)))
        if mask.takes(failover.name) and at < heals:
            yield failover


def maskable_parts(world: World) -> tuple[str, ...]:
    """Return the names of the parts that a mask can leave out, large ones first."""
    found = ["loss", "doubling", "damage", "detour", "jitter", "clocks", "slow", "rollbacks"]
    found += [crash.name for crashes in world.crashes.values() for crash in crashes]
    found += [partition.name for partition in world.partitions]
    whole = world.upheavals
    found += [
        one.name
        for group in (
            whole.switches,
            whole.poisons,
            whole.outages,
            whole.renewals,
            whole.errings,
            whole.retentions,
        )
        for one in group
    ]
    found += [failover.name for failover in world.failovers]
    found += [f"conversation {plan.number}" for plan in world.conversations]
    return tuple(found)


__all__ = ["LinkFaults", "Partition", "PlannedCrash", "PlannedFailover", "World", "draw_world", "maskable_parts"]
