"""Forwarding: fragments from other instances on their way to the next hop. Rules in prose:

Rule 1: routing has decided before whether a fragment is forwarded; a refusal is only reported here.
Rule 2: a fragment leaves with one hop less, and with the time it spent here added; nothing else in it changes, and its
body is never read. Without a hop left it is dropped (LOOP-1).
Rule 3: fragments are held in memory only. Their receipt is not acknowledged, so their sender retransmits lost ones
(ACK-3).
Rule 4: a fragment is held until the transport can send it, at most to the end of its time to live, and not longer than
its sender takes to retransmit it.
Rule 5: memory is limited, and the fragments for one next hop may take no more bytes than are free. So a next hop that
is down leaves room for the others, however many are down: the dynamic threshold of shared-memory switches (Choudhury
and Hahne, 1998).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from routing.adjacent.fragment import Fragment, rewrite_hop
from routing.common.deadlines import Deadlines
from routing.common.identifier import identifier_of
from routing.common.network_events import ForwardedMessage, ForwardedMessageDropped, ForwardedMessageSent
from routing.common.retry import LONGEST_MS
from routing.rules.decision import FORWARDING_DISABLED, HOP_LIMIT, NO_PRINCIPAL, NOT_AN_ADDRESS, Drop, Send

MEGABYTE: Final = 1 << 20
"""The unit of MESSAGE_FORWARD_SIZE of an endpoint."""
OVERHEAD_BYTES: Final = 1024
"""Memory counted per fragment beside its own bytes: its parsed header and its entries in the tables here."""

NO_HOP: Final = 11285
DUPLICATE: Final = 11288
NO_MEMORY: Final = 11289
OUTLIVED: Final = 11290
CAME_TOO_LATE: Final = 11291
DISABLED: Final = 9792
UNREACHABLE: Final = 28017

NOT_FORWARDED: Final[Mapping[str, int]] = {
    FORWARDING_DISABLED: DISABLED,
    HOP_LIMIT: NO_HOP,
    NOT_AN_ADDRESS: 11294,
    NO_PRINCIPAL: UNREACHABLE,
}
"""SQL Server's error number by routing's reason for not forwarding. Other reasons do not concern forwarding."""


@dataclass(frozen=True, slots=True)
class ForwarderLimits:
    """Limits of a forwarder."""

    memory_bytes: int = 10 * MEGABYTE
    """Bytes of fragments held, each with `OVERHEAD_BYTES`: SQL Server's MESSAGE_FORWARD_SIZE."""
    wait_ms: int = LONGEST_MS
    """Milliseconds that a fragment is held at most; its time to live may be the whole lifetime of a dialog."""


_Key = tuple[bytes, bool, bytes, int]
"""Conversation, direction, message and fragment number: equal for two copies of one fragment."""


class _ForwardedFragment(NamedTuple):
    fragment: Fragment
    address: str
    came_at: int
    deadline: int
    route: str | None

    @property
    def size(self) -> int:
        return len(self.fragment.raw) + OVERHEAD_BYTES

    @property
    def key(self) -> _Key:
        header = self.fragment.header
        return header.conversation_id, header.is_initiator, header.message_id, header.fragment


class HeldForHop(NamedTuple):
    """The fragments that wait for one next hop."""

    address: str
    fragments: int
    size: int
    """Bytes, counted towards the limit."""
    oldest_ms: int
    """How long the oldest has waited, in milliseconds."""


class _Queue:
    """Fragments waiting for one next hop, oldest first."""

    __slots__ = ("held", "size")

    def __init__(self) -> None:
        self.held: OrderedDict[_Key, _ForwardedFragment] = OrderedDict()
        self.size = 0


class Forwarder:
    """The fragments that one instance forwards. `events` reports what happened to them since it was last called."""

    def __init__(self, limits: ForwarderLimits | None = None) -> None:
        self.limits = limits or ForwarderLimits()
        self.size = 0
        """Bytes held, counted towards the limit."""
        self._held: dict[_Key, _ForwardedFragment] = {}
        self._queues: dict[str, _Queue] = {}
        """By address of the next hop; empty queues are removed."""
        self._deadlines: Deadlines[_Key] = Deadlines()
        self._events: list[ForwardedMessageSent | ForwardedMessageDropped] = []

    def __len__(self) -> int:
        return len(self._held)

    # ------------------------------------------------------------ fragments in

    def forward(self, fragment: Fragment, decision: Send | Drop, now: int) -> bool:
        """Hold a fragment for the next hop that routing chose, or report why not (a reason of `NOT_FORWARDED`).

        True: it is held until `take`.
        """
        self.handle_timer(now)
        address, route = (decision.address.key, decision.route) if isinstance(decision, Send) else ("", None)
        left = fragment.header.time_to_live - fragment.header.time_consumed
        held = _ForwardedFragment(fragment, address, now, now + min(left, self.limits.wait_ms), route)
        reason = NOT_FORWARDED[decision.reason] if isinstance(decision, Drop) else self._objection(held)
        if reason:
            self._tell_dropped(held, reason, now)
        else:
            self._hold(held)
        return not reason

    def _objection(self, held: _ForwardedFragment) -> int:
        """SQL Server's error number if the fragment cannot be held, else 0."""
        header = held.fragment.header
        if header.hops_remaining == 0:
            return NO_HOP
        if header.time_consumed >= header.time_to_live:
            return CAME_TOO_LATE
        if held.key in self._held:
            return DUPLICATE
        queue = self._queues.get(held.address)
        free = self.limits.memory_bytes - self.size
        return NO_MEMORY if (queue.size if queue else 0) + held.size > free else 0

    def _hold(self, held: _ForwardedFragment) -> None:
        key = held.key
        queue = self._queues.setdefault(held.address, _Queue())
        queue.held[key] = self._held[key] = held
        queue.size += held.size
        self.size += held.size
        self._deadlines.set(key, held.deadline)

    # ------------------------------------------------------------ fragments out

    @property
    def has_news(self) -> bool:
        """Return True if fragments wait, or events that nobody has asked for."""
        return bool(self._held or self._events)

    def waiting(self) -> tuple[str, ...]:
        """Addresses of next hops with waiting fragments."""
        return tuple(self._queues)

    def take(self, address: str, room: int, now: int) -> list[bytes]:
        """Remove and return fragments for a next hop, ready to be sent, as many as fit into `room` bytes."""
        self.handle_timer(now)
        taken: list[bytes] = []
        while (queue := self._queues.get(address)) is not None:
            held = next(iter(queue.held.values()))
            room -= len(held.fragment.raw)
            if room < 0:
                break
            self._let_go(held)
            row = _row(held, now)
            row = row._replace(hops_remaining=row.hops_remaining - 1)
            taken.append(rewrite_hop(held.fragment.raw, row.hops_remaining, row.time_consumed))
            self._events.append(ForwardedMessageSent(row, held.route))
        return taken

    def abandon(self, now: int) -> None:
        """Drop all fragments, because forwarding was disabled."""
        for held in tuple(self._held.values()):
            self._drop(held, DISABLED, now)

    def _let_go(self, held: _ForwardedFragment) -> None:
        key = held.key
        queue = self._queues[held.address]
        del self._held[key], queue.held[key]
        self._deadlines.set(key, None)
        queue.size -= held.size
        self.size -= held.size
        if not queue.held:
            del self._queues[held.address]

    # ------------------------------------------------------------ time

    def next_timer(self) -> int | None:
        """When `handle_timer` is due next; None: nothing is held."""
        first = self._deadlines.first()
        return first[0] if first else None

    def handle_timer(self, now: int) -> None:
        """Drop fragments that were held too long."""
        while (first := self._deadlines.first()) is not None and first[0] <= now:
            self._drop(self._held[first[1]], OUTLIVED, now)

    # ------------------------------------------------------------ what it looks like

    def rows(self, now: int) -> Iterator[ForwardedMessage]:
        """Rows of sys.dm_broker_forwarded_messages, with the hops remaining on arrival."""
        return (_row(held, now) for held in self._held.values())

    def by_hop(self, now: int) -> Iterator[HeldForHop]:
        """The fragments held, summed by next hop; it costs the same however many there are of each."""
        for address, queue in self._queues.items():
            first = next(iter(queue.held.values()))
            yield HeldForHop(address, len(queue.held), queue.size, max(0, now - first.came_at))

    def events(self) -> list[ForwardedMessageSent | ForwardedMessageDropped]:
        """Events since the last call."""
        events, self._events = self._events, []
        return events

    def _drop(self, held: _ForwardedFragment, reason: int, now: int) -> None:
        self._let_go(held)
        self._tell_dropped(held, reason, now)

    def _tell_dropped(self, held: _ForwardedFragment, reason: int, now: int) -> None:
        self._events.append(ForwardedMessageDropped(_row(held, now), reason, held.route))


def _row(held: _ForwardedFragment, now: int) -> ForwardedMessage:
    header = held.fragment.header
    names = header.names
    # A clock that was set back must not reduce the time consumed.
    here = max(now - held.came_at, 0)
    # By position, in the order of the fields: keywords make forwarding a fragment a tenth slower (measured).
    return ForwardedMessage(
        identifier_of(header.conversation_id),
        header.is_initiator,
        names.to_service,
        names.to_broker_instance,
        names.from_service,
        names.from_broker_instance,
        held.address,
        header.sequence,
        header.fragment,
        header.hops_remaining,
        header.time_to_live,
        header.time_consumed + here,
        identifier_of(header.message_id),
    )
