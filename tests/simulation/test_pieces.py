"""The pieces of worlds, one by one."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.runtime.broker import Broker
from routing.simulation.chance import Chance
from routing.simulation.cipher import SIMULATED_CIPHER
from routing.simulation.clock import START, Clock, Scheduler
from routing.simulation.estates import draw_landscape
from routing.simulation.faults import WHOLE
from routing.simulation.history import WorldHistory
from routing.simulation.ledger import Ledger
from routing.simulation.network import FrameInFlight, SimulatedNetwork, damage_frame
from routing.simulation.records import (
    BrokerBroke,
    FrameLost,
    FrameSent,
    WorldHealed,
)
from routing.simulation.shrinking import _Shrinker, shrink, simulate
from routing.simulation.simulated_broker import SimulatedBroker
from routing.simulation.violation_trace import MAX_LINES, trace_lines
from routing.simulation.world import draw_world
from routing.simulation.world_context import WorldContext
from routing.simulation.world_run import run_world
from tests.simulation.mutants import recorded
from tests.simulation.mutations import MUTATIONS

MINUTE = 60_000


@given(st.integers(-120_000, 120_000), st.integers(-500, 500), st.integers(0, 10 * MINUTE))
def test_a_clock_shows_a_reading_first_when_it_says_it(offset: int, drift: int, elapsed: int) -> None:
    clock = Clock(offset, drift)
    reading = clock.says(START) + elapsed
    moment = clock.shows(reading)
    assert clock.says(moment - 1) < reading <= clock.says(moment)


def test_what_is_put_down_for_one_moment_is_done_in_its_order_and_nothing_in_the_past() -> None:
    agenda = Scheduler()
    done: list[tuple[str, int]] = []

    def note(what: str) -> None:
        done.append((what, agenda.now - START))
        if what == "first":
            agenda.at(START, note, "late")

    agenda.after(10, note, "first")
    agenda.at(START + 10, note, "second")
    agenda.after(50, note, "never")
    while agenda.step(START + 20):
        pass
    assert done == [("first", 10), ("second", 10), ("late", 10)]
    assert agenda.now == START + 20


def test_draws_are_of_their_path_and_within_their_limits() -> None:
    chance = Chance(7, "x")
    assert [chance.below(3) for _ in range(50)] == [Chance(7, "x").of().below(3), *_draws(Chance(7, "x"), 50)[1:]]
    assert {chance.between(2, 4) for _ in range(100)} == {2, 3, 4}
    assert {chance.weighed((("a", 1), ("b", 0), ("c", 3))) for _ in range(100)} == {"a", "c"}
    assert not any(chance.happens(0) for _ in range(50))
    assert all(chance.happens(1000) for _ in range(50))
    assert chance.identifier()[14] == "4"


def _draws(chance: Chance, count: int) -> list[int]:
    return [chance.below(3) for _ in range(count)]


def test_every_kind_of_route_is_drawn() -> None:
    kinds = {pairing.kind for seed in range(300) for pairing in draw_landscape(Chance(seed), 100_000).pairings}
    named = "direct identified balanced forwarded looping expiring local nowhere transport mirrored asked straying"
    assert kinds == set(named.split())


def test_damage_cuts_or_changes_and_says_where() -> None:
    raw = bytes(range(250))
    for seed in range(100):
        harmed = damage_frame(Chance(seed), FrameInFlight(1, raw))
        kept = harmed.raw.ljust(len(raw), b"\0")
        differ = {at for at in range(len(raw)) if kept[at] != raw[at]}
        assert differ <= harmed.harm
        assert harmed.harm
        assert harmed.damage
        if len(harmed.raw) == len(raw):
            assert 1 <= len(differ) <= 4


def test_a_broker_that_raises_is_a_finding_and_the_world_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seed = _busy()
    monkeypatch.setattr(Broker, "receive", lambda self, frames, now: frames[1000])
    found = simulate(seed, "none")
    assert any(isinstance(record, BrokerBroke) and "IndexError" in record.error for record in found.history.records)
    assert "events-agree" in {violation.promise for violation in found.violations}


def test_a_broker_that_asks_for_one_moment_for_ever_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    seed = _busy()
    monkeypatch.setattr(Broker, "handle_timer", lambda self, now: None)
    monkeypatch.setattr("routing.simulation.simulated_broker.MAX_SPINS", 20)
    monkeypatch.setattr("routing.simulation.world_run.DELIVERY_BOUND_MS", 10_000)
    broke = [record for record in run_world(draw_world(seed, "none")).records if isinstance(record, BrokerBroke)]
    assert any("for ever" in record.error for record in broke)


def test_a_world_without_an_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    seed = _busy()
    monkeypatch.setattr("routing.simulation.world_run.MAX_RECORDS", 50)
    history = run_world(draw_world(seed, "none"))
    assert len(history.records) < 1000
    assert any(isinstance(record, BrokerBroke) and "no end" in record.error for record in history.records)


@cache
def _busy() -> int:
    """A seed with fragments on the network."""
    return next(
        seed
        for seed in range(100)
        if sum(isinstance(record, FrameSent) for record in run_world(draw_world(seed, "none")).records) > 50
    )


def test_a_violation_is_made_smaller_and_stays_one_of_the_same_promise() -> None:
    broken = next(mutation for mutation in MUTATIONS if mutation.name == "forget a duplicate")
    with broken.applied():
        found = next(one for one in map(simulate, range(100)) if one.violations)
        small = shrink(found, 60)
        assert {violation.promise for violation in small.violations} == {found.violations[0].promise}
        assert len(small.history.records) <= len(found.history.records)
        assert small.world.mask.parts > WHOLE.parts
        lines = trace_lines(small.history, small.violations[0])
    assert 0 < len(lines) <= MAX_LINES + 1
    assert any("begins a dialog" in line for line in lines)


def test_a_world_that_cannot_be_made_smaller_stays_as_it_is() -> None:
    broken = next(mutation for mutation in MUTATIONS if mutation.name == "forget a duplicate")
    with broken.applied():
        found = next(one for one in map(simulate, range(100)) if one.violations)
        assert shrink(found, 0) is found


def test_a_frame_for_nobody_is_lost() -> None:
    """A header that was damaged on the way may name any address."""
    world, agenda = draw_world(0, "none"), Scheduler()
    history = WorldHistory(world)
    network = SimulatedNetwork(world, agenda, history, lambda to, one: None)
    network.send(next(iter(world.estate.instances)), START, "tcp://nobody:4022", b"a frame")
    left, lost = history.records
    assert isinstance(left, FrameSent)
    assert (left.to, left.raw) == ("", b"a frame")
    assert isinstance(lost, FrameLost)
    assert (lost.number, lost.why) == (left.number, "nobody is there")
    assert not agenda.step(START + MINUTE)


def test_a_history_lasts_until_its_last_record() -> None:
    history = WorldHistory(draw_world(0))
    assert history.duration == 0
    history.add(WorldHealed(START + MINUTE))
    assert history.duration == MINUTE


def test_what_a_broker_was_to_do_in_another_life_is_not_done() -> None:
    world, agenda, ledger = draw_world(_busy(), "none"), Scheduler(), Ledger()
    history = WorldHistory(world)
    network = SimulatedNetwork(world, agenda, history, lambda to, one: None)
    host = SimulatedBroker(
        "a",
        WorldContext(
            world=world,
            agenda=agenda,
            history=history,
            ledger=ledger,
            network=network,
            woken=lambda broker, queue: None,
            cipher=SIMULATED_CIPHER,
        ),
    )
    host.start()
    life = host._life
    calls: list[str] = []
    host._do = lambda act: bool(calls.append("done"))  # type: ignore[method-assign] - the host only notes that it was called
    host._forward_more(life)
    assert calls == ["done"]
    host.stop("a crash")
    host._forward_more(life)
    host._forward_more(life - 1)
    assert calls == ["done"]


def test_a_violation_that_needs_a_late_fault_keeps_it() -> None:
    """It is calm no sooner than the promise is broken."""
    broken = next(mutation for mutation in MUTATIONS if mutation.name == "never mind rollbacks")
    with broken.applied():
        found = next(one for one in map(simulate, (recorded(broken), *range(100))) if one.violations)
        shrinking = _Shrinker(found, 20)
        shrinking._calm_early()
        small, late = shrinking._best, found.violations[0].at - START
        assert late > 1000
        assert small.world.mask.calm_after is None or small.world.mask.calm_after > late - 1000
        assert small.violations[0].promise == found.violations[0].promise
        assert not simulate(found.world.seed, "heavy", WHOLE.calm(late - 1000)).violations


def test_faults_after_the_violation_are_not_needed() -> None:
    broken = next(mutation for mutation in MUTATIONS if mutation.name == "forget a duplicate")
    with broken.applied():
        found = next(one for one in map(simulate, range(100)) if one.violations and one.violations[0].at - START > 2000)
        shrinking = _Shrinker(found, 20)
        shrinking._calm_early()
    calm = shrinking._best.world.mask.calm_after
    assert calm is not None
    assert calm <= found.violations[0].at - START


def test_a_failover_that_is_left_out_does_not_happen() -> None:
    world = next(one for one in map(draw_world, range(100)) if one.failovers)
    name = world.failovers[0].name
    without = draw_world(world.seed, mask=WHOLE.without(name))
    assert [one.name for one in without.failovers] == [one.name for one in world.failovers if one.name != name]
