"""The table of states: every state with every input, and what may never happen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.dialog import states
from routing.dialog.states import (
    AS_INITIATOR,
    AS_TARGET,
    CD,
    CO,
    DI,
    DO,
    ER,
    INITIATOR_STATES,
    INPUTS,
    NONE,
    SI,
    SO,
    STATES,
    TABLE,
    TARGET_STATES,
    DialogInput,
    DialogState,
    next_state,
)

VERBS = {"BEGIN DIALOG", "SEND", "END", "END WITH ERROR", "END WITH CLEANUP", "MOVE", "BEGIN TIMER"}
RAISED = {8426, 8427, 8429, 8438, 8458, 8461}
UNDELIVERABLE = {11209, 11212, 11213, 11217, 11277, 28010}
ROLES = [(True, INITIATOR_STATES), (False, TARGET_STATES)]
PAIRS = [(role, state, what) for role, having in ROLES for state in having for what in INPUTS]


def is_documented(role: bool, to: DialogState | int, what: DialogInput) -> bool:
    if isinstance(to, int):
        return to in (RAISED if what in VERBS else UNDELIVERABLE)
    return to in (INITIATOR_STATES if role else TARGET_STATES)


def test_every_state_takes_every_input_to_a_state_of_its_role_or_to_the_documented_error() -> None:
    found = {pair: next_state(*pair) for pair in PAIRS}
    assert len(found) > 200
    assert {pair: to for pair, to in found.items() if not is_documented(pair[0], to, pair[2])} == {}


def test_the_table_is_complete_and_says_nothing_twice() -> None:
    assert set(TABLE) == set(INPUTS)
    assert {len(row) for row in TABLE.values()} == {len(STATES)}
    assert len(AS_INITIATOR) + len(AS_TARGET) == len(PAIRS)
    named = {value for name, value in vars(states).items() if name.isupper() and isinstance(value, str)}
    assert named == {*STATES, *INPUTS}


@pytest.mark.parametrize(("role", "having"), ROLES)
def test_exactly_the_states_of_a_role_can_be_reached(role: bool, having: tuple[DialogState, ...]) -> None:
    reached: set[DialogState] = {NONE}
    while new := {to for s in reached for i in INPUTS if isinstance(to := next_state(role, s, i), str)} - reached:
        reached |= new
    assert reached == set(having)


@pytest.mark.parametrize(("role", "having"), ROLES)
def test_every_state_can_be_left_by_the_documented_way_out(role: bool, having: tuple[DialogState, ...]) -> None:
    """END by the application, then what the peer and the clock do by themselves."""
    for state in having:
        now = state
        for what in ("END", "lifetime over", "END", "replay impossible"):
            to = next_state(role, now, what)
            now = now if isinstance(to, int) else to
        assert now == NONE


@pytest.mark.parametrize("role", [True, False])
def test_cleanup_removes_any_endpoint(role: bool) -> None:
    having = INITIATOR_STATES if role else TARGET_STATES
    assert {next_state(role, state, "END WITH CLEANUP") for state in having if state} == {NONE}


@pytest.mark.parametrize(
    ("role", "way", "state"),
    [
        (True, ["BEGIN DIALOG"], SO),
        (True, ["BEGIN DIALOG", "END"], NONE),
        (True, ["BEGIN DIALOG", "END WITH ERROR"], NONE),
        (True, ["BEGIN DIALOG", "lifetime over"], ER),
        (True, ["BEGIN DIALOG", "SEND"], CO),
        (True, ["BEGIN DIALOG", "SEND", "end arrives"], DI),
        (True, ["BEGIN DIALOG", "SEND", "end arrives", "END"], NONE),
        (True, ["BEGIN DIALOG", "SEND", "END"], DO),
        (True, ["BEGIN DIALOG", "SEND", "END", "message arrives", "acknowledged"], DO),
        (True, ["BEGIN DIALOG", "SEND", "END", "end arrives"], DO),
        (True, ["BEGIN DIALOG", "SEND", "END", "end acknowledged"], NONE),
        (True, ["BEGIN DIALOG", "SEND", "END", "error arrives"], NONE),
        (True, ["BEGIN DIALOG", "SEND", "error arrives"], ER),
        (True, ["BEGIN DIALOG", "SEND", "error arrives", "error arrives", "END"], NONE),
        (False, ["message arrives"], CO),
        (False, ["part arrives"], SI),
        (False, ["part arrives", "message arrives"], CO),
        (False, ["part arrives", "lifetime over"], CD),
        (False, ["part arrives", "invalid arrives"], NONE),
        (False, ["invalid arrives"], NONE),
        (False, ["message arrives", "invalid arrives"], ER),
        (False, ["message arrives", "end arrives"], DI),
        (False, ["message arrives", "end arrives", "error arrives", "lifetime over"], DI),
        (False, ["message arrives", "end arrives", "END"], CD),
        (False, ["message arrives", "END", "lifetime over"], CD),
        (False, ["message arrives", "END WITH ERROR", "end acknowledged", "replay impossible"], NONE),
    ],
)
def test_ways_of_a_conversation(role: bool, way: list[DialogInput], state: DialogState) -> None:
    now: DialogState = NONE
    for what in way:
        to = next_state(role, now, what)
        assert isinstance(to, str)
        now = to
    assert now == state


@given(st.booleans(), st.lists(st.sampled_from(sorted(INPUTS)), max_size=30))
def test_nobody_sends_after_an_end_and_no_application_receives_after_its_own(
    role: bool, inputs: list[DialogInput]
) -> None:
    """Along any history, refused inputs aside: after its own end or the peer's, an endpoint never converses again."""
    state: DialogState = NONE
    over = False
    for what in inputs:
        to = next_state(role, state, what)
        if isinstance(to, int):
            continue
        over = to != NONE and (over or to in (DI, DO, ER, CD))
        assert not (over and to in (SO, SI, CO))
        state = to
