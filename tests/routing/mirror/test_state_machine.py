"""Mirrored routes: every phase with every input, and what follows from the phases that were reached."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routing.common.choices import Choices
from routing.common.event_subclasses import MirroredRouteSubclass
from routing.mirror import state_machine as m
from routing.mirror.state_machine import (
    INPUTS,
    PHASES,
    STEPS,
    TABLE,
    Input,
    MirroredRoute,
    MirroredRouteKey,
    Phase,
    answered,
    doubted,
    timed_out,
    unreachable,
    used,
)

A, B = "tcp://a:4022", "tcp://b:4022"
KEY = MirroredRouteKey(A, B, "S", None)
NOW = 1_000
OPERATIONAL, ALONE, NOT = MirroredRouteSubclass


class Zero(Choices):
    """No jitter, and questions one can tell apart."""

    def __init__(self) -> None:
        super().__init__(random.Random(1).getrandbits)

    def below(self, limit: int) -> int:
        return 0


CHOICES = Zero()


def hear(route: MirroredRoute, index: int, claims: bool, now: int = NOW) -> MirroredRoute:
    """The answer to the question that one partner was asked."""
    assert route.questions[index]
    return answered(route, route.questions[index], claims, now, CHOICES)


def asking() -> MirroredRoute:
    return used(MirroredRoute(KEY), NOW, CHOICES)


def sending() -> MirroredRoute:
    """To `a`, the first address."""
    return hear(hear(asking(), 0, claims=True), 1, claims=False)


def doubting() -> MirroredRoute:
    return doubted(sending(), NOW, CHOICES)


def lost() -> MirroredRoute:
    return unreachable(sending(), 0, NOW, CHOICES)


IN: dict[Phase, Callable[[], MirroredRoute]] = {
    m.UNUSED: lambda: MirroredRoute(KEY),
    m.ASKING: asking,
    m.SENDING: sending,
    m.DOUBTING: doubting,
    m.LOST: lost,
}


def both(first: bool, second: bool) -> Callable[[MirroredRoute], MirroredRoute]:
    return lambda route: hear(hear(route, 0, claims=first), 1, claims=second)


def of_principal(claims: bool) -> Callable[[MirroredRoute], MirroredRoute]:
    return lambda route: hear(route, route.principal, claims=claims)


def of_partner(claims: bool) -> Callable[[MirroredRoute], MirroredRoute]:
    return lambda route: hear(route, 1 - route.principal, claims=claims)


GIVE: dict[Input, Callable[[MirroredRoute], MirroredRoute]] = {
    m.USE: lambda route: used(route, NOW, CHOICES),
    m.DOUBT: lambda route: doubted(route, NOW, CHOICES),
    m.UNREACHABLE: lambda route: unreachable(route, route.principal, NOW, CHOICES),
    m.SILENT: lambda route: timed_out(route, NOW, CHOICES, wanted=True),
    m.CONFIRMS: of_principal(claims=True),
    m.GIVES_UP: of_principal(claims=False),
    m.PARTNER_CLAIMS: of_partner(claims=True),
    m.PARTNER_DENIES: of_partner(claims=False),
    m.ONE_CLAIMS: both(False, True),
    m.BOTH_CLAIM: both(True, True),
    m.NOBODY_CLAIMS: both(False, False),
}
# After a failover the old principal may still be asked: so its late answer comes to these phases.
AFTER_FAILOVER: dict[Phase, Callable[[], MirroredRoute]] = {
    m.SENDING: lambda: hear(lost(), 1, claims=True),
    m.DOUBTING: lambda: doubted(hear(lost(), 1, claims=True), NOW, CHOICES),
}
OF_PARTNER = {m.PARTNER_CLAIMS, m.PARTNER_DENIES}


def test_the_table_is_whole() -> None:
    assert set(TABLE) == set(INPUTS) == set(GIVE)
    assert set(PHASES) == set(IN)
    assert len(STEPS) == len(PHASES) * len(INPUTS)
    assert set(STEPS.values()) == {*PHASES, m.NEVER}


@pytest.mark.parametrize("phase", PHASES)
def test_each_phase_is_reached(phase: Phase) -> None:
    route = IN[phase]()
    assert route.phase == phase
    assert route.receiver == (A if phase in {m.SENDING, m.DOUBTING} else None)


@pytest.mark.parametrize(("phase", "given_"), [pair for pair, to in STEPS.items() if to != m.NEVER])
def test_every_phase_with_every_input(phase: Phase, given_: Input) -> None:
    make = AFTER_FAILOVER.get(phase, IN[phase]) if given_ in OF_PARTNER else IN[phase]
    assert GIVE[given_](make()).phase == STEPS[phase, given_]


def test_what_never_comes_is_what_nobody_was_asked() -> None:
    """UNUSED: no partner is asked; SENDING: not the principal; no time is set in either. ASKING and UNUSED have no
    principal."""
    unused, sent = MirroredRoute(KEY), AFTER_FAILOVER[m.SENDING]()
    assert (unused.questions, unused.due, sent.questions[sent.principal], sent.due) == (("", ""), None, "", None)
    never = {phase: {given_ for given_ in INPUTS if STEPS[phase, given_] is m.NEVER} for phase in PHASES}
    of_principal = {m.UNREACHABLE, m.SILENT, m.CONFIRMS, m.GIVES_UP}
    of_two = {m.ONE_CLAIMS, m.BOTH_CLAIM, m.NOBODY_CLAIMS}
    assert never == {
        m.UNUSED: of_principal | OF_PARTNER | of_two,
        m.ASKING: of_principal | OF_PARTNER,
        m.SENDING: {m.SILENT, m.CONFIRMS, m.GIVES_UP} | of_two,
        m.DOUBTING: of_two,
        m.LOST: of_two,
    }


@pytest.mark.parametrize("phase", PHASES)
def test_an_answer_to_nothing_changes_nothing(phase: Phase) -> None:
    route = IN[phase]()
    assert answered(route, "c0c0c0c0-0000-4000-8000-000000000001", True, NOW, CHOICES) is route


# ---------------------------------------------------------------- first use (MIR-2)


def test_first_use_asks_both_and_sends_nothing() -> None:
    route = asking()
    assert all(route.questions)
    assert len(set(route.questions)) == 2
    assert (route.receiver, route.due, route.shown) == (None, NOW + 4_000, None)
    assert used(route, NOW + 1, CHOICES) is route


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("principal", [0, 1])
def test_the_one_that_claims_is_the_principal_once_the_other_has_denied(first: int, principal: int) -> None:
    route = hear(asking(), first, claims=first == principal)
    assert (route.phase, route.receiver) == (m.ASKING, None)
    route = hear(route, 1 - first, claims=first != principal)
    assert (route.receiver, route.shown, route.due) == (KEY.addresses[principal], OPERATIONAL, None)
    assert route.questions == ("", "")


@pytest.mark.parametrize("principal", [0, 1])
def test_who_cannot_be_reached_denies(principal: int) -> None:
    route = unreachable(asking(), 1 - principal, NOW, CHOICES)
    assert route.receiver is None
    route = hear(route, principal, claims=True)
    assert (route.receiver, route.shown) == (KEY.addresses[principal], ALONE)


def test_who_is_silent_denies_when_the_time_is_over() -> None:
    route = hear(asking(), 1, claims=True)
    route = timed_out(route, NOW + 4_000, CHOICES, wanted=True)
    assert (route.receiver, route.shown, route.due) == (B, ALONE, None)


def test_with_two_that_claim_and_no_principal_neither_is_taken() -> None:
    route = both(True, True)(asking())
    assert (route.phase, route.receiver, route.shown, route.due) == (m.ASKING, None, NOT, NOW + 4_000)
    again = timed_out(route, NOW + 4_000, CHOICES, wanted=True)
    assert all(again.questions)
    assert again.due == NOW + 4_000 + 8_000
    assert both(False, True)(again).receiver == B


def test_nobody_claims_and_both_are_asked_again_and_again_as_messages_are() -> None:
    route, now, waits = asking(), NOW, []
    for _ in range(7):
        assert route.due is not None
        waits.append(route.due - now)
        now = route.due
        route = timed_out(route, now, CHOICES, wanted=True)
        assert all(route.questions)
    assert waits == [4_000, 8_000, 16_000, 32_000, 64_000, 64_000, 64_000]
    assert (route.phase, route.shown) == (m.ASKING, NOT)


def test_an_answer_to_an_earlier_question_counts_no_longer() -> None:
    old = asking()
    route = timed_out(old, NOW + 4_000, CHOICES, wanted=True)
    assert answered(route, old.questions[0], True, NOW, CHOICES) is route


def test_an_answer_counts_once() -> None:
    first = asking()
    route = hear(first, 0, claims=True)
    assert answered(route, first.questions[0], False, NOW, CHOICES) is route


def test_one_instance_at_both_addresses_is_one() -> None:
    route = used(MirroredRoute(MirroredRouteKey(A, A, "S", None)), NOW, CHOICES)
    assert both(True, True)(route).receiver == A


# ---------------------------------------------------------------- from then on


def test_while_all_is_well_nobody_is_asked() -> None:
    route = sending()
    assert used(route, NOW, CHOICES) is route
    assert unreachable(route, 1, NOW, CHOICES) is route
    assert (route.questions, route.due) == (("", ""), None)


def test_a_principal_that_is_doubted_is_asked_alone_and_sent_to() -> None:
    route = doubting()
    assert (route.receiver, bool(route.questions[0]), route.questions[1]) == (A, True, "")
    assert (route.due, route.shown) == (NOW + 4_000, OPERATIONAL)
    assert doubted(route, NOW + 1, CHOICES) is route
    confirmed = hear(route, 0, claims=True, now=NOW + 5)
    assert (confirmed.phase, confirmed.due, confirmed.shown) == (m.SENDING, None, OPERATIONAL)
    assert confirmed.claimed_at == NOW + 5


@pytest.mark.parametrize(
    "lose",
    [
        lambda: unreachable(sending(), 0, NOW, CHOICES),
        lambda: unreachable(doubting(), 0, NOW, CHOICES),
        lambda: hear(doubting(), 0, claims=False),
        lambda: timed_out(doubting(), NOW, CHOICES, wanted=True),
    ],
)
def test_a_principal_that_is_lost_is_sent_nothing_and_both_are_asked(lose: Callable[[], MirroredRoute]) -> None:
    route = lose()
    assert (route.phase, route.receiver, route.shown, route.due) == (m.LOST, None, NOT, NOW + 4_000)
    assert all(route.questions)
    assert not set(route.questions) & set(doubting().questions)


# ---------------------------------------------------------------- lost, after MIR-3 and MIR-4


def test_the_partner_that_claims_the_role_is_followed() -> None:
    route = hear(lost(), 1, claims=True)
    assert (route.receiver, route.shown, route.due) == (B, ALONE, None)


def test_the_partner_that_claims_nothing_is_sent_nothing() -> None:
    route, now = lost(), NOW
    for _ in range(5):
        route = hear(route, 1, claims=False)
        route = unreachable(route, 0, NOW, CHOICES)
        assert (route.phase, route.receiver) == (m.LOST, None)
        assert route.due is not None
        now = route.due
        route = timed_out(route, now, CHOICES, wanted=True)
        assert all(route.questions)
    assert now == NOW + 4_000 + 8_000 + 16_000 + 32_000 + 64_000
    assert hear(route, 0, claims=True).receiver == A


@pytest.mark.parametrize(("heard", "shown"), [(False, OPERATIONAL), (True, ALONE)])
def test_the_old_principal_may_answer_after_the_new_one(heard: bool, shown: MirroredRouteSubclass) -> None:
    """With two that claim, the one that it has stays."""
    route = hear(hear(lost(), 1, claims=True), 0, claims=heard)
    assert (route.phase, route.receiver, route.shown) == (m.SENDING, B, shown)


def test_the_old_principal_may_deny_before_the_new_one_claims() -> None:
    route = hear(hear(lost(), 0, claims=False), 1, claims=True)
    assert (route.receiver, route.shown) == (B, OPERATIONAL)


def test_a_late_word_of_the_other_one_changes_no_principal() -> None:
    route = hear(lost(), 1, claims=True)
    assert unreachable(route, 0, NOW, CHOICES)._replace(heard=route.heard, questions=route.questions) == route
    doubted_ = doubted(route, NOW, CHOICES)
    assert hear(doubted_, 0, claims=True).receiver == B


def test_after_a_failover_and_back_the_waits_begin_anew() -> None:
    route = timed_out(timed_out(lost(), NOW, CHOICES, wanted=True), NOW, CHOICES, wanted=True)
    assert route.rounds == 3
    route = unreachable(hear(route, 1, claims=True), 1, NOW, CHOICES)
    assert (route.phase, route.principal, route.due) == (m.LOST, 1, NOW + 4_000)
    assert hear(route, 0, claims=True).receiver == A


# ---------------------------------------------------------------- at rest


@pytest.mark.parametrize("phase", [m.ASKING, m.LOST])
def test_nobody_is_asked_for_nobody(phase: Phase) -> None:
    route = timed_out(IN[phase](), NOW + 4_000, CHOICES, wanted=False)
    assert (route.phase, route.questions, route.due, route.is_at_rest) == (phase, ("", ""), None, True)
    again = used(route, NOW + 9_000, CHOICES)
    assert (again.phase, again.due, again.is_at_rest) == (phase, NOW + 13_000, False)
    assert all(again.questions)


def test_a_doubted_principal_that_nobody_wants_is_lost_at_rest() -> None:
    route = timed_out(doubting(), NOW + 4_000, CHOICES, wanted=False)
    assert (route.phase, route.is_at_rest, route.shown) == (m.LOST, True, NOT)


# ---------------------------------------------------------------- all of it


@settings(max_examples=300)
@given(st.data())
def test_nobody_is_sent_anything_who_has_not_claimed_the_role(data: st.DataObject) -> None:
    """A model of a few lines: the last partner that has claimed it and has not denied it or gone away since."""
    route, now = MirroredRoute(KEY), 0
    believed: dict[int, bool] = {}
    for _ in range(data.draw(st.integers(1, 40))):
        now += data.draw(st.sampled_from([0, 1, 4_000, 64_000]))
        before = route
        draw = data.draw(st.integers(0, 9))
        index = data.draw(st.integers(0, 1))
        if draw == 0:
            route = used(route, now, CHOICES)
        elif draw == 1:
            route = doubted(route, now, CHOICES)
        elif draw == 2:
            route = unreachable(route, index, now, CHOICES)
            if before.receiver == KEY.addresses[index] or before.questions[index]:
                believed[index] = False
        elif draw == 3 and route.due is not None and route.due <= now:
            route = timed_out(route, now, CHOICES, wanted=data.draw(st.booleans()))
            if before.phase == m.DOUBTING:
                believed[before.principal] = False
        elif route.questions[index]:
            claims = data.draw(st.booleans())
            route = hear(route, index, claims=claims, now=now)
            believed[index] = claims
        check(before, route, believed)


def check(before: MirroredRoute, route: MirroredRoute, believed: dict[int, bool]) -> None:
    if route.receiver is not None:
        assert believed[route.principal]
        if before.receiver not in (None, route.receiver):
            raise AssertionError("from one to the other without a word between")
    waiting = route.phase in {m.ASKING, m.LOST, m.DOUBTING}
    assert (route.due is not None) <= waiting
    assert (route.shown in {OPERATIONAL, ALONE}) == (route.receiver is not None)
    assert (route.shown is None) <= (route.phase in {m.UNUSED, m.ASKING})
    if route.phase == m.DOUBTING:
        assert route.due is not None


def test_a_row_is_a_value() -> None:
    route: Any = lost()
    assert hash(route) == hash(MirroredRoute(*route))
    assert MirroredRoute(*route) == route
