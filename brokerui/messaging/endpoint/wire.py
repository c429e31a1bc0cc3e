"""A socket and its connection of the adjacent protocol: bytes, time and events between the two, and no rule."""

from __future__ import annotations

import asyncio
import secrets
import ssl
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from typing import Any, Protocol, cast

from brokerui.core.languages import local
from brokerui.messaging.endpoint import close_reasons
from brokerui.messaging.endpoint.connection_limiter import ConnectionLimiter
from brokerui.messaging.endpoint.inbox import Inbox
from brokerui.messaging.endpoint.options import EndpointOptions
from brokerui.messaging.endpoint.permission import objection_to_certificate
from brokerui.messaging.endpoint.tls import Tls, names_of
from brokerui.messaging.exchange.messages import EndpointEvent
from routing.adjacent.connection import PeerConnection
from routing.adjacent.connection_events import (
    ConnectionClosing,
    ConnectionEvent,
    ConnectionOnline,
    ConnectionOver,
    FragmentsArrived,
    RoleFrameArrived,
)
from routing.adjacent.connection_settings import CLOSE_REASONS, CLOSE_SHUTDOWN
from routing.adjacent.errors import LocalProtocolError
from routing.adjacent.frames import Hello
from routing.adjacent.online_connections import OnlineConnections, RegisteredConnection
from routing.adjacent.roles import is_role
from routing.adjacent.states import NEW
from routing.common.event_subclasses import ConnectionSubclass, LoginSubclass
from routing.common.identifier import identifier_of
from routing.common.network_events import AuditBrokerLogin, BrokerConnection
from routing.common.sentence import Sentence, say

CONNECTION_ID_BYTES = 16


class WireOwner(Protocol):
    """The parts of an instance that its connections need."""

    name: str
    options: EndpointOptions
    tls: Tls | None
    guests: ConnectionLimiter
    neighbours: OnlineConnections
    wires: dict[RegisteredConnection, Wire]
    arrivals: Inbox

    def now(self) -> float:
        """Seconds, by a clock that only goes forward."""

    def now_ms(self) -> int:
        """The clock of `now` in milliseconds, the unit of `PeerConnection`."""

    def hello(self) -> Hello:
        """The first frame of a new connection."""

    def objection(self, hello: Hello) -> Sentence | None:
        """Why the peer that says `hello` may not connect; None where it may."""

    def tell(self, event: EndpointEvent) -> None:
        """Pass an event on to the workers."""

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` beside everything else."""

    def came_online(self, wire: Wire) -> None:
        """The peer of `wire` can be reached from now on."""

    def went(self, wire: Wire) -> None:
        """`wire` is over."""

    def forget(self, wire: Wire) -> None:
        """`wire` has no transport any more."""


class Wire(asyncio.Protocol):
    """One of an instance's connections, from the moment that there is a socket."""

    def __init__(self, host: WireOwner, address: str, *, is_accept: bool) -> None:
        self.host = host
        self.address = address
        """The address of the other side."""
        self.is_accept = is_accept
        self.stream_id = secrets.token_bytes(CONNECTION_ID_BYTES)
        """Identifies this end: both ends of a connection have its id, and both may be here."""
        self.over: ConnectionOver | None = None
        self.error: Exception | None = None
        """With which the transport ended, if it did."""
        self.names: tuple[str, ...] | None = None
        """In the peer's certificate; None without TLS."""
        self.settled = asyncio.Event()
        """Online or over: from then on it is known which."""
        self.roomy = asyncio.Event()
        """More may be sent; also set once it is over, so that no task waits."""
        self.connection = PeerConnection(
            host.hello(), host.neighbours, host.options.connection, host.now_ms(), self._permission
        )
        self.is_paused = False
        """Nothing is read."""
        self.is_full = False
        """The socket takes no more."""
        self._transport: asyncio.Transport | None = None
        self._is_begun = False
        self._early = b""
        self._entered: str | None = None
        self._timer: asyncio.TimerHandle | None = None
        host.wires[self.connection] = self

    # -------------------------------------------------------------------------------------------- asyncio
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport of a socket, not that of TLS above it."""
        self._transport = cast("asyncio.Transport", transport)
        if self.is_accept:
            self._enter(transport.get_extra_info("peername"))

    def data_received(self, data: bytes) -> None:
        if not self._is_begun:  # a peer may speak before we have heard that the TLS handshake is done
            self._early += data
            return
        self.connection.receive(data, self.host.now_ms())
        self.settle()

    def eof_received(self) -> bool:
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.error = self.error or exc
        if exc is not None and not self.connection.is_over:
            self.tell(close_reasons.io_error(exc), str(exc))
        self._end()

    def pause_writing(self) -> None:
        self.is_full = True
        self._look_for_room()

    def resume_writing(self) -> None:
        self.is_full = False
        self.settle()

    # -------------------------------------------------------------------------------------------- beginning
    def _enter(self, peername: Sequence[object] | None) -> None:
        transport = self._here()
        # A peer that has disconnected already has no address.
        where, port = map(str, peername[:2]) if peername else ("", "")
        if not self.host.guests.enter(self.host.name, where):
            self._forget()
            transport.abort()
            return
        self._entered = where
        self.address = f"[{where}]:{port}" if ":" in where else f"{where}:{port}"
        self.tell(ConnectionSubclass.ACCEPT)
        if self.host.tls is None:
            self.begin()
        else:
            transport.pause_reading()
            self.host.start(self._accept_secured())

    async def _accept_secured(self) -> None:
        assert self.host.tls is not None
        try:
            await self.secure(self.host.tls.accepting, "")
        except OSError as error:
            self.error = error
            self.drop()
        else:
            self.begin()

    async def secure(self, context: ssl.SSLContext, server: str) -> None:
        """TLS above the socket; `server` is the name that the certificate of the dialled peer must have."""
        within = self.host.options.connection.login_timeout_ms / 1000
        secured = await asyncio.get_running_loop().start_tls(
            self._here(),
            self,
            context,
            server_side=self.is_accept,
            server_hostname=server or None,
            ssl_handshake_timeout=within,
            ssl_shutdown_timeout=self.host.options.connection.closing_timeout_ms / 1000,
        )
        if secured is None:
            raise ConnectionResetError(local(say("the peer went away during the TLS handshake")))
        self._transport = secured
        self.names = names_of(secured.get_extra_info("ssl_object"))

    def begin(self) -> None:
        """The transport is there: the protocol begins, unless it is over already."""
        self._is_begun = True
        if not self.is_accept:
            self.connection.connected()
        elif not self.connection.is_over:
            self.connection.accept(self.host.now_ms())
        self.settle()
        if self._early:
            early, self._early = self._early, b""
            self.data_received(early)

    def _permission(self, hello: Hello) -> Sentence | None:
        objection = self.host.objection(hello)
        if objection is None and self.names is not None and self.host.tls is not None:
            objection = objection_to_certificate(hello, self.names, self.host.tls.permitted)
        return objection

    # -------------------------------------------------------------------------------------------- calls of the workers
    def send(self, frames: Sequence[bytes]) -> int:
        """Send frames; returns how many the connection took. Those it did not take are lost, as are malformed ones."""
        if not self.connection.is_online:
            return 0
        now_ms, roles = self.host.now_ms(), [raw for raw in frames if is_role(raw)]
        taken = sum(self.connection.send_role(raw, now_ms) for raw in roles)
        fragments = [raw for raw in frames if not is_role(raw)] if roles else frames
        if fragments:
            with suppress(LocalProtocolError):
                taken += self.connection.send(fragments, now_ms)
        self.settle()
        return taken

    def close(self, reason: int = CLOSE_SHUTDOWN) -> None:
        self.connection.close(self.host.now_ms(), reason)
        self.settle()

    def drop(self) -> None:
        """Close it at once, without a message to the peer."""
        if self._transport is not None:
            self._transport.abort()
        self._end()

    def _end(self) -> None:
        """There is no transport any more, or never was one."""
        if self.connection.phase == NEW:
            self.connection.close(self.host.now_ms())
        elif not self.connection.is_over:
            self.connection.lost(self.host.now_ms())
        self.settle()
        self._leave()

    def pause(self) -> None:
        if not self.is_paused and self._transport is not None and not self._transport.is_closing():
            self.is_paused = True
            self._transport.pause_reading()

    def resume(self) -> None:
        if self.is_paused and self._transport is not None and not self._transport.is_closing():
            self.is_paused = False
            self._transport.resume_reading()

    # -------------------------------------------------------------------------------------------- after every call
    def settle(self) -> None:
        """Carry out what the connection asks for: write bytes, handle events, set the next timer."""
        self._write()
        for event in self.connection.events():
            self._take(event)
        self._write()
        self._look_for_room()
        self._schedule()
        if self.connection.is_over:
            self._shut()

    def _write(self) -> None:
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        while (not self.is_full or self.connection.is_over) and (data := self.connection.data_to_send()):
            transport.write(data)

    def _look_for_room(self) -> None:
        is_roomy = not self.is_full and self.connection.waiting <= self.host.options.outgoing_bytes
        if is_roomy or self.connection.is_over:
            self.roomy.set()
        else:
            self.roomy.clear()

    def _schedule(self) -> None:
        due_ms = self.connection.next_timer()
        if self._timer is not None and (due_ms is None or due_ms / 1000 < self._timer.when()):
            self._timer.cancel()
            self._timer = None
        if self._timer is None and due_ms is not None:
            self._timer = asyncio.get_running_loop().call_at(due_ms / 1000, self._ring)

    def _ring(self) -> None:
        self._timer = None
        self.connection.handle_timer(self.host.now_ms())
        self.settle()

    def _shut(self) -> None:
        """Flush written bytes for a while, then close the socket in any case."""
        transport = self._transport
        if transport is None:
            self._leave()
        elif not transport.is_closing():
            self.resume()  # a paused transport does not see that the peer closes
            transport.close()
            asyncio.get_running_loop().call_later(
                self.host.options.connection.closing_timeout_ms / 1000, transport.abort
            )

    def _leave(self) -> None:
        self._forget()
        if self._entered is not None:
            self.host.guests.leave(self._entered)
            self._entered = None

    def _forget(self) -> None:
        self.host.forget(self)

    def _here(self) -> asyncio.Transport:
        assert self._transport is not None
        return self._transport

    # -------------------------------------------------------------------------------------------- events
    def _take(self, event: ConnectionEvent) -> None:
        if isinstance(event, FragmentsArrived):
            self.host.arrivals.put(self, event.fragments)
        elif isinstance(event, RoleFrameArrived):
            self.host.arrivals.put(self, (event.frame,))
        elif isinstance(event, ConnectionOnline):
            self._take_online(event)
        elif isinstance(event, ConnectionClosing):
            self.tell(ConnectionSubclass.CLOSING, CLOSE_REASONS[event.reason])
        elif isinstance(event, ConnectionOver):
            self._take_over(event)

    def _take_online(self, event: ConnectionOnline) -> None:
        self.tell_login(LoginSubclass.LOGIN_SUCCESS, "")
        if event.displaced is not None:
            self.host.wires[event.displaced].settle()
        self.settled.set()
        self.host.came_online(self)

    def _take_over(self, over: ConnectionOver) -> None:
        self.over = over
        if self._transport is not None:
            self._tell_failed_login(over)
            self.tell(ConnectionSubclass.CLOSED, self.why, times_closed=1)
        self.settled.set()
        self.host.went(self)

    def _tell_failed_login(self, over: ConnectionOver) -> None:
        has_peer, is_unsecured = self.connection.peer is not None, self.host.tls is not None and self.names is None
        login = close_reasons.failed_login(over, self.error, has_peer=has_peer, is_unsecured=is_unsecured)
        if self.connection.login_at_ms is None and login is not None:
            self.tell_login(login, self.why)

    @property
    def peer(self) -> str:
        """As which instance the other side presents itself, whatever the case; nothing before it has."""
        return self.connection.peer.name.casefold() if self.connection.peer else ""

    @property
    def is_refused(self) -> bool:
        """Return whether it is over because of the identity of one of the two."""
        return close_reasons.is_refused(self.over, self.error)

    @property
    def why(self) -> str:
        """Why it is over, for people; empty: it is not."""
        return close_reasons.why(self.over, self.error)

    def tell(self, subclass: ConnectionSubclass, text: str = "", times_closed: int = 0) -> None:
        """Event 138."""
        self.host.tell(BrokerConnection(subclass, self.id, self.address, text, times_closed))

    def tell_login(self, subclass: LoginSubclass, text: str) -> None:
        """Event 159."""
        peer = self.connection.peer.name if self.connection.peer else ""
        principal = self.names[0] if self.names else ""
        self.host.tell(AuditBrokerLogin(subclass, self.id, self.address, peer, principal, text))

    @property
    def id(self) -> str:
        return identifier_of(self.connection.own.connection_id)
