"""Every phase of a connection with every input: what the table says happens, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from routing.adjacent import connection as c
from routing.adjacent import frames, states
from routing.adjacent.connection import PeerConnection
from routing.adjacent.connection_events import ConnectionOver
from routing.adjacent.errors import LocalProtocolError, RemoteProtocolError
from routing.adjacent.fragment import write_fragment
from routing.adjacent.frames import Hello, write_close, write_fragments, write_frame, write_hello
from routing.adjacent.online_connections import OnlineConnections
from routing.adjacent.roles import RoleAnswer, write_role
from routing.adjacent.states import (
    CONNECTION_COLUMNS,
    INPUTS,
    NEXT_PHASES,
    OURS,
    PHASES,
    TABLE,
    THEIRS,
    ConnectionInput,
    ConnectionPhase,
)
from tests.routing.adjacent.wire import HEADER, TARGET

SMALL = write_fragment(HEADER, b"hello")
OWN = Hello("m", b"m" * 16, b"1" * 16)
HIGHER = Hello("z", b"z" * 16, b"1" * 16)
LOWER = Hello("a", b"a" * 16, b"1" * 16)
NONE = bytes(16)
FAR = 1e6


def new(now: int = 0, connection_id: bytes = b"1" * 16, neighbours: OnlineConnections | None = None) -> PeerConnection:
    hello = OWN._replace(connection_id=connection_id)
    return PeerConnection(hello, OnlineConnections() if neighbours is None else neighbours, now_ms=now)


def greeting(made: PeerConnection) -> PeerConnection:
    made.dial(0)
    made.connected()
    made.data_to_send()
    return made


def deciding(made: PeerConnection) -> PeerConnection:
    greeting(made).receive(write_hello(HIGHER._replace(connection_id=made.own.connection_id)), 0)
    return made


def claiming(made: PeerConnection) -> PeerConnection:
    greeting(made).receive(write_hello(LOWER), 0)
    made.data_to_send()
    return made


def online(made: PeerConnection) -> PeerConnection:
    deciding(made).receive(write_frame(frames.CLAIM, NONE), 0)
    made.data_to_send()
    return made


def dialled(made: PeerConnection) -> PeerConnection:
    made.dial(0)
    return made


def closing(made: PeerConnection) -> PeerConnection:
    online(made).close(0)
    return made


def closed(made: PeerConnection) -> PeerConnection:
    online(made).lost(0)
    return made


def failed(made: PeerConnection) -> PeerConnection:
    online(made).receive(b"\0\0\0\0\0", 0)
    return made


IN: dict[ConnectionPhase, Callable[[PeerConnection], PeerConnection]] = {
    "NEW": lambda made: made,
    "CONNECTING": dialled,
    "GREETING": greeting,
    "DECIDING": deciding,
    "CLAIMING": claiming,
    "ONLINE": online,
    "CLOSING": closing,
    "CLOSED": closed,
    "FAILED": failed,
}


def receive(*data: bytes) -> Callable[[PeerConnection], object]:
    return lambda made: made.receive(b"".join(data), 1000)


def silent(made: PeerConnection) -> None:
    made.send([SMALL], 0)
    made.handle_timer(25_000)  # asks
    made.send([SMALL], 40_000)  # and is not idle
    made.handle_timer(25_000 + 20_000)


GIVE: dict[ConnectionInput, Callable[[PeerConnection], object]] = {
    states.DIAL: lambda made: made.dial(1000),
    states.ACCEPTED: lambda made: made.accept(1000),
    states.CONNECTED: lambda made: made.connected(),
    states.BYTES: receive(b"\0"),
    states.SEND: lambda made: made.send([SMALL], 1000),
    states.CLOSE_REQUESTED: lambda made: made.close(1000),
    states.WE_DECIDE: receive(write_hello(HIGHER)),
    states.THEY_DECIDE: receive(write_hello(LOWER)),
    states.CLAIM_WON: receive(write_frame(frames.CLAIM, NONE)),
    # The connection that is in use already is the one with the number 9.
    states.CLAIM_LOST: receive(write_frame(frames.CLAIM, b"9" * 16)),
    states.ACCEPT_CAME: receive(write_frame(frames.ACCEPT, bytes(8))),
    # The connection that is in use already is the first decision's.
    states.ACCEPT_LATE: receive(write_frame(frames.ACCEPT, bytes(8))),
    states.FRAGMENTS_CAME: receive(write_fragments([SMALL], len(SMALL))),
    states.ROLE_CAME: receive(write_role(RoleAnswer(TARGET, None))),
    states.PING_CAME: receive(write_frame(frames.PING)),
    states.PONG_CAME: receive(write_frame(frames.PONG)),
    states.CLOSE_CAME: receive(write_close(c.CLOSE_SHUTDOWN)),
    states.BREACH: receive(b"\0\0\0\1\0"),
    states.TRANSPORT_LOST: lambda made: made.lost(1000),
    states.DEADLINE_PASSED: lambda made: made.handle_timer(FAR),
    states.IDLE_TIMEOUT: lambda made: made.handle_timer(30_000),
    states.PEER_SILENT: silent,
}
CLOCK = (states.DEADLINE_PASSED, states.IDLE_TIMEOUT, states.PEER_SILENT)
# Where the clock changes nothing it gives no such input.
PAIRS = [(phase, given) for (phase, given), to in NEXT_PHASES.items() if given not in CLOCK or to != phase]


def test_the_table_is_whole() -> None:
    assert set(TABLE) == set(INPUTS) == set(GIVE)
    assert set(PHASES) == set(CONNECTION_COLUMNS) == set(IN)
    assert len(NEXT_PHASES) == len(PHASES) * len(INPUTS)
    assert set(NEXT_PHASES.values()) <= {*PHASES, OURS, THEIRS}


@pytest.mark.parametrize("phase", PHASES)
def test_each_phase_is_reached_and_shown(phase: ConnectionPhase) -> None:
    made = IN[phase](new())
    assert made.phase == phase
    assert made.shown == CONNECTION_COLUMNS[phase]
    assert made.is_online == (phase == "ONLINE")
    assert made.is_over == (phase in {"CLOSED", "FAILED"})


@pytest.mark.parametrize(("phase", "given"), PAIRS)
def test_every_phase_with_every_input(phase: ConnectionPhase, given: ConnectionInput) -> None:
    to = NEXT_PHASES[phase, given]
    neighbours = OnlineConnections()
    if given == states.CLAIM_LOST and phase == "DECIDING":
        online(new(connection_id=b"9" * 16, neighbours=neighbours))
    if given == states.ACCEPT_LATE and phase == "CLAIMING":
        claiming(new(neighbours=neighbours)).receive(write_frame(frames.ACCEPT, b"\0\0\0\0\0\0\0\1"), 0)
    made = IN[phase](new(neighbours=neighbours))
    made.events()
    if to == OURS:
        before = vars(made).copy()
        with pytest.raises(LocalProtocolError) as error:
            GIVE[given](made)
        assert error.value.field == "connection"
        assert vars(made) == before
        return
    GIVE[given](made)
    overs = [event for event in made.events() if isinstance(event, ConnectionOver)]
    if to == THEIRS:
        assert made.phase == "FAILED"
        (over,) = overs
        assert isinstance(over.error, RemoteProtocolError)
        assert str(over.error) == f'frame: "{given_as(given)}" while it is {phase}'
        assert (over.reason, over.by_peer) == (c.CLOSE_PROTOCOL_ERROR, False)
        assert made.data_to_send() == write_close(c.CLOSE_PROTOCOL_ERROR, str(over.error))
    else:
        assert made.phase == to
        assert len(overs) == (to in {"CLOSED", "FAILED"} and to != phase)


def given_as(given: ConnectionInput) -> ConnectionInput:
    """An input that the phase does not allow is refused before arbitration."""
    return {states.CLAIM_LOST: states.CLAIM_WON, states.ACCEPT_LATE: states.ACCEPT_CAME}.get(given, given)


@pytest.mark.parametrize("given", CLOCK)
@pytest.mark.parametrize("phase", PHASES)
def test_the_clock_is_never_at_fault(phase: ConnectionPhase, given: ConnectionInput) -> None:
    assert NEXT_PHASES[phase, given] in PHASES


@pytest.mark.parametrize("phase", PHASES)
def test_a_timer_that_is_not_due_does_nothing(phase: ConnectionPhase) -> None:
    made = IN[phase](new())
    made.events()
    due = made.next_timer()
    made.handle_timer(0 if due is None else due - 1)
    assert (made.phase, made.events(), made.next_timer()) == (phase, [], due)
    assert (due is None) == (phase in {"NEW", "CLOSED", "FAILED"})
