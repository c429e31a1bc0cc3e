"""One connection between two instances, without I/O: bytes and time in, bytes and events out. `states` has the rules.

The caller owns the socket. It passes in what the socket delivers (`receive`, `lost`), sends `data_to_send` until that
is empty after every other call, calls `handle_timer` at `next_timer`, reads `events`, and closes the socket once
`is_over` and everything is sent, or after `ConnectionSettings.closing_timeout_ms`. Times are integer milliseconds of a
monotonic clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from routing.adjacent import frames, states
from routing.adjacent.errors import LocalProtocolError, RemoteProtocolError
from routing.adjacent.fragment import MAX_FRAGMENT_BYTES, MIN_FRAGMENT_BYTES
from routing.adjacent.frames import FrameReader, Hello, WireFrame
from routing.adjacent.limits import MAX_FRAME_BYTES, MIN_FRAME_BYTES, VERSION
from routing.adjacent.roles import is_role, read_role
from routing.adjacent.states import (
    NEXT_PHASES,
    OURS,
    THEIRS,
    ConnectionColumns,
    ConnectionInput,
    ConnectionPhase,
)
from routing.common.sentence import Sentence, say

CLOSE_SHUTDOWN: Final = 1
CLOSE_IDLE: Final = 2
CLOSE_DUPLICATE: Final = 3
CLOSE_PROTOCOL_ERROR: Final = 4
CLOSE_LATE: Final = 5
CLOSE_NO_ANSWER: Final = 6
CLOSE_TRANSPORT_LOST: Final = 7
CLOSE_REASONS: Final = {
    CLOSE_SHUTDOWN: "shut down",
    CLOSE_IDLE: "idle",
    CLOSE_DUPLICATE: "another connection to the same peer is used",
    CLOSE_PROTOCOL_ERROR: "protocol error",
    CLOSE_LATE: "not ready in time",
    CLOSE_NO_ANSWER: "no answer",
    CLOSE_TRANSPORT_LOST: "the transport has ended",
}
"""Close reasons by number in a CLOSE frame. CLOSE_TRANSPORT_LOST is never sent; a peer may send others."""


NOT_PERMITTED: Final = 28034
"""SQL Server error: the peer has no permission to connect."""
PeerPermission = Callable[[Hello], Sentence | None]
"""Called with a peer's HELLO: returns why it may not connect, or None."""

MAX_QUEUED_ROLE_FRAMES: Final = 1000
"""Maximum role frames queued for the socket; more are dropped and asked again. A peer that asks without reading makes
us hold at most 2 MB."""


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """Settings that each side chooses for itself."""

    max_frame_bytes: int = 256 << 10
    """Largest frame to accept: twice the minimum makes a write worthwhile without delaying other conversations."""
    max_outgoing_bytes: int = 4 << 20
    """Maximum bytes of fragments queued per connection. More are refused until half of them are sent."""
    login_timeout_ms: int = 15_000
    """Maximum time from dialling or accepting until ONLINE. About SQL Server's own login timeout."""
    idle_timeout_ms: int = 30_000
    """Time without traffic before closing (ADJ-2). Shorter than the longest retry delay (64 s), so that an unreachable
    peer costs no socket."""
    closing_timeout_ms: int = 10_000
    """Maximum time from our CLOSE until the peer's CLOSE."""
    ping_after_ms: int = 20_000
    """Time without data from the peer, after a send, before a PING."""
    pong_timeout_ms: int = 20_000

    def __post_init__(self) -> None:
        if not MIN_FRAME_BYTES <= self.max_frame_bytes <= MAX_FRAME_BYTES:
            raise LocalProtocolError(
                "max_frame_bytes", say("must be {least} to {most}", least=MIN_FRAME_BYTES, most=MAX_FRAME_BYTES)
            )
        if self.max_outgoing_bytes < MAX_FRAGMENT_BYTES:
            raise LocalProtocolError(
                "max_outgoing_bytes", say("must hold a fragment of {size} bytes", size=MAX_FRAGMENT_BYTES)
            )
        for name in ("login_timeout_ms", "idle_timeout_ms", "closing_timeout_ms", "ping_after_ms", "pong_timeout_ms"):
            if not getattr(self, name) > 0:
                raise LocalProtocolError(name, say("must be more than 0"))


# ------------------------------------------------------------------------------------------------ events
@dataclass(frozen=True, slots=True)
class ConnectionOnline:
    """The connection is online: fragments may be sent."""

    peer: Hello
    displaced: PeerConnection | None = None
    """An older connection to the same peer that closes now; it has its own bytes to send and events."""


@dataclass(frozen=True, slots=True)
class FragmentsArrived:
    """Complete, unparsed fragments arrived, in order."""

    fragments: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class RoleFrameArrived:
    """A question or answer about the role of a mirrored database arrived."""

    frame: bytes
    """Complete frame for `read_role`."""


@dataclass(frozen=True, slots=True)
class SendRoomAvailable:
    """`send` accepts fragments again after it refused some."""


@dataclass(frozen=True, slots=True)
class ConnectionClosing:
    """This side closes; data already sent by the peer still arrives."""

    reason: int


@dataclass(frozen=True, slots=True)
class ConnectionOver:
    """Last event: the connection is CLOSED or FAILED."""

    reason: int
    by_peer: bool
    unsent: int
    """Number of queued fragments that were not sent; their senders retransmit them (ACK-3)."""
    error: RemoteProtocolError | None = None
    """The peer's protocol error, if any."""
    text: str = ""
    """The peer's explanation, for people."""


ConnectionEvent = (
    ConnectionOnline | FragmentsArrived | RoleFrameArrived | SendRoomAvailable | ConnectionClosing | ConnectionOver
)


class OnlineConnections:
    """The online connections of one instance, one per peer."""

    def __init__(self) -> None:
        self._online: dict[tuple[str, bytes], PeerConnection] = {}
        self._decisions = 0

    def decide(self) -> int:
        """Return the next arbitration number: the peer may see a later decision first, over another connection."""
        self._decisions += 1
        return self._decisions

    def get(self, peer: Hello) -> PeerConnection | None:
        return self._online.get(peer[:2])

    def put(self, peer: Hello, connection: PeerConnection) -> PeerConnection | None:
        """Set the connection of a peer and return the one that it replaces."""
        before = self._online.get(peer[:2])
        self._online[peer[:2]] = connection
        return before

    def drop(self, peer: Hello, connection: PeerConnection) -> None:
        if self._online.get(peer[:2]) is connection:
            del self._online[peer[:2]]

    def __len__(self) -> int:
        return len(self._online)


class PeerConnection:
    """One side of a connection. Methods raise `LocalProtocolError` for a caller's mistake; nothing was done then."""

    def __init__(
        self,
        own: Hello,
        neighbours: OnlineConnections,
        settings: ConnectionSettings | None = None,
        now_ms: int = 0,
        permission: PeerPermission | None = None,
    ) -> None:
        """`own`: our HELLO, with a new connection id; the accepting side adopts the dialling side's id.

        The frame size comes from `settings`, not from `own`. Without `permission` every peer may connect.
        """
        self.settings = settings or ConnectionSettings()
        self.own = own._replace(max_frame_bytes=self.settings.max_frame_bytes)
        self._hello = frames.write_hello(self.own)  # validates `own` early
        self.peer: Hello | None = None
        self.version = VERSION
        self.is_accept = False
        self.phase: ConnectionPhase = states.NEW
        self.began_at_ms = now_ms
        self.login_at_ms: int | None = None
        self.active_at_ms = now_ms
        """Time of the last fragment sent or received."""
        self.bytes_sent = 0
        self.bytes_received = 0
        self.fragments_sent = 0
        self.fragments_received = 0
        self.sends = 0
        self.receives = 0
        self.decision = 0
        """Number of the arbitration decision that put it online."""
        self.max_frame_bytes = MIN_FRAME_BYTES
        """Largest frame in bytes to send to this peer."""
        self._neighbours = neighbours
        self._permission = permission
        self._reader = FrameReader()
        self._urgent: list[bytes] = []
        self._roles: list[bytes] = []
        self._queue: deque[bytes] = deque()
        self._queued = 0
        self._last: bytes | None = None  # our CLOSE, sent after the queue
        self._refused = False
        self._closing_at_ms = now_ms
        self._unheard_since_ms: int | None = None
        self._pinged = False
        self._events: list[ConnectionEvent] = []

    # -------------------------------------------------------------------------------------------- what it looks like
    @property
    def shown(self) -> ConnectionColumns:
        """State columns of sys.dm_broker_connections."""
        return states.CONNECTION_COLUMNS[self.phase]

    @property
    def is_online(self) -> bool:
        return self.phase == states.ONLINE

    @property
    def is_over(self) -> bool:
        """True if the caller may close the socket once everything is sent."""
        return self.phase in {states.CLOSED, states.FAILED}

    @property
    def waiting(self) -> int:
        """Bytes of fragments queued for sending."""
        return self._queued

    @property
    def is_send_flow_controlled(self) -> bool:
        return self._refused

    # -------------------------------------------------------------------------------------------- what the caller does
    def dial(self, now_ms: int) -> None:
        """The caller opens a connection to the peer's address."""
        self.phase = self._step(states.DIAL)
        self.began_at_ms = now_ms

    def accept(self, now_ms: int) -> None:
        """The caller accepted a connection; the dialling side sends first."""
        self.phase = self._step(states.ACCEPTED)
        self.is_accept = True
        self.began_at_ms = now_ms

    def connected(self) -> None:
        """The dialled transport is connected: send our HELLO."""
        self.phase = self._step(states.CONNECTED)
        if self.phase == states.GREETING:
            self._urgent.append(self._hello)

    def send(self, fragments: Sequence[bytes], now_ms: int) -> int:
        """Queue fragments and return how many were accepted. If not all fit, `SendRoomAvailable` tells when to retry.

        Fragments are not parsed; only their length is checked.
        """
        self.phase = self._step(states.SEND)
        for raw in fragments:
            if (
                not MIN_FRAGMENT_BYTES <= len(raw) <= MAX_FRAGMENT_BYTES
                or int.from_bytes(raw[:4], "big") != len(raw) - 4
            ):
                raise LocalProtocolError("fragment", say("is not one of {size} bytes", size=len(raw)))
        taken = 0
        for raw in fragments:
            if self._queued + len(raw) > self.settings.max_outgoing_bytes:
                self._refused = True
                break
            self._queue.append(raw)
            self._queued += len(raw)
            taken += 1
        if taken:
            self._expect_to_hear(now_ms)
        return taken

    def send_role(self, frame: bytes, now_ms: int) -> bool:
        """Queue a role frame ahead of all fragments. False: too many are queued."""
        self.phase = self._step(states.SEND)
        if not is_role(frame):
            raise LocalProtocolError("frame", say("is about no role"))
        if len(self._roles) >= MAX_QUEUED_ROLE_FRAMES:
            return False
        self._roles.append(frame)
        self._expect_to_hear(now_ms)
        return True

    def _expect_to_hear(self, now_ms: int) -> None:
        self.active_at_ms = now_ms
        if self._unheard_since_ms is None:
            self._unheard_since_ms = now_ms

    def data_to_send(self) -> bytes:
        """Return the next bytes for the socket, at most one frame of fragments; empty if there is nothing to send."""
        pieces, self._urgent, self._roles = [*self._urgent, *self._roles], [], []
        if self._queue:
            pieces.append(self._frame_of_fragments())
        if not self._queue and self._last is not None:
            pieces.append(self._last)
            self._last = None
        data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        self.bytes_sent += len(data)
        self.sends += bool(data)
        return data

    def close(self, now_ms: int, reason: int = CLOSE_SHUTDOWN) -> None:
        """Close after sending everything queued. No effect if closing already."""
        self._leave(self._step(states.CLOSE_REQUESTED), now_ms, reason)

    def lost(self, now_ms: int) -> None:
        """The transport ended or could not be opened; nothing more can be sent."""
        phase = self._step(states.TRANSPORT_LOST)
        self._end(phase, ConnectionOver(CLOSE_TRANSPORT_LOST, by_peer=False, unsent=self._drop_output()))

    # -------------------------------------------------------------------------------------------- what the peer does
    def receive(self, data: bytes, now_ms: int) -> None:
        """Take bytes from the transport, split anywhere. A peer's protocol error becomes an event, not an exception."""
        if self._step(states.BYTES) in {states.CLOSED, states.FAILED}:
            return
        self.receives += 1
        self.bytes_received += len(data)
        self._unheard_since_ms, self._pinged = None, False
        self._reader.feed(data)
        try:
            while not self.is_over and (frame := self._reader.next()) is not None:
                self._take(frame, now_ms)
        except RemoteProtocolError as error:
            self._fail(self._step(states.BREACH), CLOSE_PROTOCOL_ERROR, error)

    def next_timer(self) -> int | None:
        """Return the time at which `handle_timer` is due; None: never."""
        if self.phase == states.ONLINE:
            idle = None if self._queue else self.active_at_ms + self.settings.idle_timeout_ms
            return min((at for at in (idle, self._silent_at()) if at is not None), default=None)
        if self.phase == states.CLOSING:
            return self._closing_at_ms + self.settings.closing_timeout_ms
        if self.phase == states.NEW or self.is_over:
            return None
        return self.began_at_ms + self.settings.login_timeout_ms

    def handle_timer(self, now_ms: int) -> None:
        """Do what is due at `now_ms`; nothing if called too early."""
        due = self.next_timer()
        if due is None or now_ms < due:
            return
        if self.phase == states.CLOSING:
            self._end(
                self._step(states.DEADLINE_PASSED),
                ConnectionOver(CLOSE_LATE, by_peer=False, unsent=self._drop_output()),
            )
        elif self.phase != states.ONLINE:
            self._fail(self._step(states.DEADLINE_PASSED), CLOSE_LATE)
        elif due != self._silent_at():
            self._leave(self._step(states.IDLE_TIMEOUT), now_ms, CLOSE_IDLE)
        elif self._pinged:
            self._fail(self._step(states.PEER_SILENT), CLOSE_NO_ANSWER)
        else:
            self._pinged = True
            self._unheard_since_ms = now_ms
            self._urgent.append(frames.write_frame(frames.PING))

    def events(self) -> list[ConnectionEvent]:
        """Return the events since the last call."""
        events, self._events = self._events, []
        return events

    # -------------------------------------------------------------------------------------------- frames
    def _take(self, frame: WireFrame, now_ms: int) -> None:
        if frame.kind == frames.FRAGMENTS:
            self.phase = self._step(states.FRAGMENTS_CAME)
            self.fragments_received += len(frame.fragments)
            self.active_at_ms = now_ms
            self._events.append(FragmentsArrived(frame.fragments))
        elif frame.kind == frames.HELLO:
            self._take_hello(frames.read_hello(frame.content))
        elif frame.kind == frames.CLAIM:
            self._take_claim(frame.content, now_ms)
        elif frame.kind == frames.ACCEPT:
            self._take_accept(int.from_bytes(frame.content, "big"), now_ms)
        elif frame.kind in {frames.ROLE_QUESTION, frames.ROLE_ANSWER}:
            self._take_role(frames.write_frame(frame.kind, frame.content), now_ms)
        elif frame.kind == frames.PING:
            self.phase = self._step(states.PING_CAME)
            pong = frames.write_frame(frames.PONG)
            if pong not in self._urgent:  # one PONG answers any number of PINGs
                self._urgent.append(pong)
        elif frame.kind == frames.PONG:
            self.phase = self._step(states.PONG_CAME)
        else:
            self._take_close(*frames.read_close(frame.content))

    def _take_role(self, frame: bytes, now_ms: int) -> None:
        phase = self._step(states.ROLE_CAME)
        read_role(frame)
        self.phase = phase
        self.active_at_ms = now_ms
        self._events.append(RoleFrameArrived(frame))

    def _take_hello(self, hello: Hello) -> None:
        we_decide = (*self.own[:2], self.is_accept) < (*hello[:2], not self.is_accept)
        phase = self._step(states.WE_DECIDE if we_decide else states.THEY_DECIDE)
        version = min(self.own.highest, hello.highest)
        if version < max(self.own.lowest, hello.lowest):
            versions = {"lowest": hello.lowest, "highest": hello.highest}
            raise RemoteProtocolError("version", say("{lowest} to {highest} are not spoken here", **versions))
        if self.is_accept:
            self.own = self.own._replace(connection_id=hello.connection_id)
            self._urgent.append(frames.write_hello(self.own))
        elif hello.connection_id != self.own.connection_id:
            raise RemoteProtocolError("connection id", say("is not the one that was given"))
        self.peer = hello
        if self._permission is not None and (objection := self._permission(hello)) is not None:
            raise RemoteProtocolError("instance name", objection, NOT_PERMITTED)
        self.version = version
        self.phase = phase
        self.max_frame_bytes = min(self.own.max_frame_bytes, hello.max_frame_bytes)
        if phase == states.CLAIMING:
            used = self._used_instead()
            claimed = used.own.connection_id if used else frames.NO_CONNECTION
            self._urgent.append(frames.write_frame(frames.CLAIM, claimed))

    def _take_claim(self, claimed: bytes, now_ms: int) -> None:
        phase = self._step(states.CLAIM_WON)
        used = self._used_instead()
        if used and self._stays(used, claimed):
            self._leave(self._step(states.CLAIM_LOST), now_ms, CLOSE_DUPLICATE)
        else:
            self.decision = self._neighbours.decide()
            self._urgent.append(frames.write_frame(frames.ACCEPT, self.decision.to_bytes(frames.DECISION_BYTES, "big")))
            self._go_online(phase, now_ms)

    def _take_accept(self, decision: int, now_ms: int) -> None:
        phase = self._step(states.ACCEPT_CAME)
        used = self._used_instead()
        if used and used.decision > decision:
            self._reader.most = (
                self.max_frame_bytes - frames.FRAME_HEAD.size
            )  # the peer considers it online and may have sent fragments
            self._leave(self._step(states.ACCEPT_LATE), now_ms, CLOSE_DUPLICATE)
        else:
            self.decision = decision
            self._go_online(phase, now_ms)

    def _stays(self, used: PeerConnection, claimed: bytes) -> bool:
        """Arbitration: return True if the connection in use stays and this one is the duplicate."""
        if claimed == used.own.connection_id:
            return True
        assert used.login_at_ms is not None
        both_at_once = used.login_at_ms >= self.began_at_ms
        return both_at_once and not used.is_accept

    def _used_instead(self) -> PeerConnection | None:
        """Return our other online connection to the same peer."""
        assert self.peer is not None
        return self._neighbours.get(self.peer)

    def _take_close(self, reason: int, text: str) -> None:
        phase = self._step(states.CLOSE_CAME)
        if self.phase != states.CLOSING:  # our own CLOSE was sent already
            self._last = frames.write_close(reason)
        self._end(phase, ConnectionOver(reason, by_peer=True, unsent=0, text=text))

    # -------------------------------------------------------------------------------------------- phases
    def _step(self, given: ConnectionInput) -> ConnectionPhase:
        to = NEXT_PHASES[self.phase, given]
        if to == OURS:
            raise LocalProtocolError("connection", say('"{input}" while it is {phase}', input=given, phase=self.phase))
        if to == THEIRS:
            raise RemoteProtocolError("frame", say('"{input}" while it is {phase}', input=given, phase=self.phase))
        return to

    def _go_online(self, phase: ConnectionPhase, now_ms: int) -> None:
        assert self.peer is not None
        self.phase = phase
        self.login_at_ms = self.active_at_ms = now_ms
        self._reader.most = self.max_frame_bytes - frames.FRAME_HEAD.size
        displaced = None
        if self.peer[:2] != self.own[:2]:  # a connection of an instance to itself is not registered
            displaced = self._neighbours.put(self.peer, self)
            if displaced is not None:
                displaced.close(now_ms, CLOSE_DUPLICATE)
        self._events.append(ConnectionOnline(self.peer, displaced))

    def _leave(self, phase: ConnectionPhase, now_ms: int, reason: int) -> None:
        """Start closing from our side, unless closing already."""
        if phase == self.phase:
            return
        if self.phase not in {states.NEW, states.CONNECTING}:  # before that nothing can be sent
            self._last = frames.write_close(reason)
        if phase == states.CLOSING:
            self.phase = phase
            self._closing_at_ms = now_ms
            self._forget()
            self._events.append(ConnectionClosing(reason))
        else:
            self._end(phase, ConnectionOver(reason, by_peer=False, unsent=0))

    def _fail(self, phase: ConnectionPhase, reason: int, error: RemoteProtocolError | None = None) -> None:
        """Fail at once, with a CLOSE frame if the peer can receive it."""
        unsent = self._drop_output()
        if self.phase != states.CONNECTING:
            self._last = frames.write_close(reason, str(error or ""))
        self._end(phase, ConnectionOver(reason, by_peer=False, unsent=unsent, error=error))

    def _end(self, phase: ConnectionPhase, over: ConnectionOver) -> None:
        if not self.is_over:
            self.phase = phase
            self._forget()
            self._events.append(over)

    def _forget(self) -> None:
        if self.peer is not None:
            self._neighbours.drop(self.peer, self)

    # -------------------------------------------------------------------------------------------- what goes out
    def _frame_of_fragments(self) -> bytes:
        room = self.max_frame_bytes - frames.FRAME_HEAD.size
        queue, pieces, size = self._queue, [], 0
        while queue and size + len(queue[0]) <= room:
            size += len(queue[0])
            pieces.append(queue.popleft())
        self._queued -= size
        self.fragments_sent += len(pieces)
        if self._refused and self._queued <= self.settings.max_outgoing_bytes // 2:
            self._refused = False
            if self.is_online:
                self._events.append(SendRoomAvailable())
        return frames.write_fragments(pieces, size)

    def _drop_output(self) -> int:
        """Discard everything queued and return the number of fragments lost."""
        unsent = len(self._queue)
        self._queue.clear()
        self._urgent.clear()
        self._roles.clear()
        self._queued, self._last = 0, None
        return unsent

    def _silent_at(self) -> int | None:
        """Return when to PING a silent peer, or to give up on it after a PING."""
        if self._unheard_since_ms is None:
            return None
        return self._unheard_since_ms + (self.settings.pong_timeout_ms if self._pinged else self.settings.ping_after_ms)
