"""One connection between two instances, without I/O: bytes and time in, bytes and events out. `states` has the rules.

The caller owns the socket. It passes in what the socket delivers (`receive`, `lost`), sends `data_to_send` until that
is empty after every other call, calls `handle_timer` at `next_timer`, reads `events`, and closes the socket once
`is_over` and everything is sent, or after `ConnectionSettings.closing_timeout_ms`. Times are integer milliseconds of a
monotonic clock.
"""

from __future__ import annotations

from collections.abc import Sequence

from routing.adjacent import frames, states
from routing.adjacent.connection_events import (
    ConnectionClosing,
    ConnectionEvent,
    ConnectionOnline,
    ConnectionOver,
    FragmentsArrived,
    RoleFrameArrived,
    SendRoomAvailable,
)
from routing.adjacent.connection_settings import (
    CLOSE_DUPLICATE,
    CLOSE_IDLE,
    CLOSE_LATE,
    CLOSE_NO_ANSWER,
    CLOSE_PROTOCOL_ERROR,
    CLOSE_SHUTDOWN,
    CLOSE_TRANSPORT_LOST,
    NOT_PERMITTED,
    ConnectionSettings,
    PeerPermission,
)
from routing.adjacent.errors import LocalProtocolError, RemoteProtocolError
from routing.adjacent.fragment import MAX_FRAGMENT_BYTES, MIN_FRAGMENT_BYTES
from routing.adjacent.frames import FrameReader, Hello, WireFrame
from routing.adjacent.limits import MIN_FRAME_BYTES, VERSION
from routing.adjacent.online_connections import OnlineConnections, RegisteredConnection
from routing.adjacent.roles import is_role, read_role
from routing.adjacent.send_queue import SendQueue
from routing.adjacent.states import (
    NEXT_PHASES,
    OURS,
    THEIRS,
    ConnectionColumns,
    ConnectionInput,
    ConnectionPhase,
)
from routing.common.sentence import say


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
        self._out = SendQueue(self.settings.max_outgoing_bytes)
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
        return self._out.queued_bytes

    @property
    def is_send_flow_controlled(self) -> bool:
        return self._out.is_refusing

    @property
    def fragments_sent(self) -> int:
        return self._out.fragments_sent

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
            self._out.put_control(self._hello)

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
        taken = self._out.put_fragments(fragments)
        if taken:
            self._expect_to_hear(now_ms)
        return taken

    def send_role(self, frame: bytes, now_ms: int) -> bool:
        """Queue a role frame ahead of all fragments. False: too many are queued."""
        self.phase = self._step(states.SEND)
        if not is_role(frame):
            raise LocalProtocolError("frame", say("is no question or answer about a mirroring role"))
        if not self._out.put_role(frame):
            return False
        self._expect_to_hear(now_ms)
        return True

    def _expect_to_hear(self, now_ms: int) -> None:
        self.active_at_ms = now_ms
        if self._unheard_since_ms is None:
            self._unheard_since_ms = now_ms

    def data_to_send(self) -> bytes:
        """Return the next bytes for the socket, at most one frame of fragments; empty if there is nothing to send."""
        was_refusing = self._out.is_refusing
        data = self._out.next_bytes(self.max_frame_bytes)
        if was_refusing and not self._out.is_refusing and self.is_online:
            self._events.append(SendRoomAvailable())
        self.bytes_sent += len(data)
        self.sends += bool(data)
        return data

    def close(self, now_ms: int, reason: int = CLOSE_SHUTDOWN) -> None:
        """Close after sending everything queued. No effect if closing already."""
        self._leave(self._step(states.CLOSE_REQUESTED), now_ms, reason)

    def lost(self, now_ms: int) -> None:
        """The transport ended or could not be opened; nothing more can be sent."""
        phase = self._step(states.TRANSPORT_LOST)
        self._end(phase, ConnectionOver(CLOSE_TRANSPORT_LOST, by_peer=False, unsent=self._out.drop()))

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
            idle = None if self._out.has_fragments else self.active_at_ms + self.settings.idle_timeout_ms
            return min((at for at in (idle, self._silent_at()) if at is not None), default=None)
        if self.phase == states.CLOSING:
            return self._closing_at_ms + self.settings.closing_timeout_ms
        if self.phase == states.NEW or self.is_over:
            return None
        return self.began_at_ms + self.settings.login_timeout_ms

    def handle_timer(self, now_ms: int) -> None:
        """Fire the timers that are due at `now_ms`; does nothing if called too early."""
        due = self.next_timer()
        if due is None or now_ms < due:
            return
        if self.phase == states.CLOSING:
            self._end(
                self._step(states.DEADLINE_PASSED),
                ConnectionOver(CLOSE_LATE, by_peer=False, unsent=self._out.drop()),
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
            self._out.put_control(frames.write_frame(frames.PING))

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
            if not self._out.has_control(pong):  # one PONG answers any number of PINGs
                self._out.put_control(pong)
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
            raise RemoteProtocolError(
                "version", say("{lowest} to {highest} of the peer are not supported by this instance", **versions)
            )
        if self.is_accept:
            self.own = self.own._replace(connection_id=hello.connection_id)
            self._out.put_control(frames.write_hello(self.own))
        elif hello.connection_id != self.own.connection_id:
            raise RemoteProtocolError(
                "connection id", say("of the peer's answer is not the one that this instance sent")
            )
        self.peer = hello
        if self._permission is not None and (objection := self._permission(hello)) is not None:
            raise RemoteProtocolError("", objection, NOT_PERMITTED)
        self.version = version
        self.phase = phase
        self.max_frame_bytes = min(self.own.max_frame_bytes, hello.max_frame_bytes)
        if phase == states.CLAIMING:
            used = self._used_instead()
            claimed = used.own.connection_id if used else frames.NO_CONNECTION
            self._out.put_control(frames.write_frame(frames.CLAIM, claimed))

    def _take_claim(self, claimed: bytes, now_ms: int) -> None:
        phase = self._step(states.CLAIM_WON)
        assert self.peer is not None
        if self._neighbours.is_duplicate(self.peer, claimed, self.began_at_ms):
            self._leave(self._step(states.CLAIM_LOST), now_ms, CLOSE_DUPLICATE)
        else:
            self.decision = self._neighbours.decide()
            self._out.put_control(
                frames.write_frame(frames.ACCEPT, self.decision.to_bytes(frames.DECISION_BYTES, "big"))
            )
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

    def _used_instead(self) -> RegisteredConnection | None:
        """Return our other online connection to the same peer."""
        assert self.peer is not None
        return self._neighbours.get(self.peer)

    def _take_close(self, reason: int, text: str) -> None:
        phase = self._step(states.CLOSE_CAME)
        if self.phase != states.CLOSING:  # our own CLOSE was sent already
            self._out.close_frame = frames.write_close(reason)
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
            self._out.close_frame = frames.write_close(reason)
        if phase == states.CLOSING:
            self.phase = phase
            self._closing_at_ms = now_ms
            self._forget()
            self._events.append(ConnectionClosing(reason))
        else:
            self._end(phase, ConnectionOver(reason, by_peer=False, unsent=0))

    def _fail(self, phase: ConnectionPhase, reason: int, error: RemoteProtocolError | None = None) -> None:
        """Fail at once, with a CLOSE frame if the peer can receive it."""
        unsent = self._out.drop()
        if self.phase != states.CONNECTING:
            self._out.close_frame = frames.write_close(reason, str(error or ""))
        self._end(phase, ConnectionOver(reason, by_peer=False, unsent=unsent, error=error))

    def _end(self, phase: ConnectionPhase, over: ConnectionOver) -> None:
        if not self.is_over:
            self.phase = phase
            self._forget()
            self._events.append(over)

    def _forget(self) -> None:
        if self.peer is not None:
            self._neighbours.drop(self.peer, self)

    def _silent_at(self) -> int | None:
        """Return when to PING a silent peer, or to give up on it after a PING."""
        if self._unheard_since_ms is None:
            return None
        return self._unheard_since_ms + (self.settings.pong_timeout_ms if self._pinged else self.settings.ping_after_ms)
