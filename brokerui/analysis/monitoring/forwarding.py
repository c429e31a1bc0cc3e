"""Messages that hosted instances forward for others: those held now, and those sent on and dropped over time.

Workers publish what they hold; nothing is asked of them. Events are counted in fragments: one for each 64 KB of a body.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from redis import RedisError

from brokerui.analysis.monitoring.spans import MINUTE_MS
from brokerui.eventlog.selectors import DROPPED, FORWARDED, ErrorPoint, counted_by_error
from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.exchange.forwarded_messages import HeldByWorker, held_by_workers
from brokerui.messaging.exchange.outbox import redis
from routing.model.estate import Estate
from routing.runtime.forwarding import MEGABYTE, NO_MEMORY, ForwarderLimits, HeldForHop

HOUR_MS: Final = 60 * MINUTE_MS


@dataclass(frozen=True, slots=True)
class ForwardingInstance:
    """A hosted instance as a forwarder."""

    name: str
    is_on: bool
    """MESSAGE_FORWARDING."""
    limit_bytes: int
    """MESSAGE_FORWARD_SIZE: the most that each worker holds."""
    hops: Sequence[HeldForHop] = ()
    """By next hop, all workers together; those with most bytes first."""
    fullest_bytes: int = 0
    """Held by the worker that holds most."""
    sent: int = 0
    """Fragments that were sent on in the last hour."""
    dropped: Mapping[int, int] = field(default_factory=dict)
    """Fragments that were dropped in the last hour, by the product's number of the reason."""

    @property
    def fragments(self) -> int:
        return sum(hop.fragments for hop in self.hops)

    @property
    def size(self) -> int:
        return sum(hop.size for hop in self.hops)

    @property
    def oldest_ms(self) -> int | None:
        return max((hop.oldest_ms for hop in self.hops), default=None)

    @property
    def has_refused(self) -> bool:
        """Whether the limit refused fragments in the last hour."""
        return NO_MEMORY in self.dropped

    @property
    def has_anything(self) -> bool:
        """Whether the page shows it: it forwards, or it did."""
        return self.is_on or bool(self.hops or self.sent or self.dropped)


@dataclass(frozen=True, slots=True)
class ForwardingNow:
    """All hosted instances that forward."""

    instances: list[ForwardingInstance]
    is_known: bool
    """False: Redis, in which workers publish what they hold, does not answer."""


def forwarding_now(estate: Estate, at: int) -> ForwardingNow:
    """Return them, those that hold most first; the same number of queries however many there are."""
    held = _held()
    by_instance = _by_instance(held or ())
    span = {"since": at - at % MINUTE_MS - HOUR_MS, "until": at}
    sent, dropped = counted_by_error(FORWARDED, **span), counted_by_error(DROPPED, **span)
    found = [_instance(estate, name, by_instance.get(name, ()), sent, dropped) for name in hosted_names()]
    shown = [one for one in found if one.has_anything]
    return ForwardingNow(sorted(shown, key=lambda one: (-one.size, one.name)), held is not None)


def _held() -> list[HeldByWorker] | None:
    try:
        return held_by_workers(redis())
    except (RedisError, OSError):
        return None


def _by_instance(held: Iterable[HeldByWorker]) -> Mapping[str, list[HeldByWorker]]:
    found: dict[str, list[HeldByWorker]] = defaultdict(list)
    for one in held:
        found[one.instance].append(one)
    return found


def _instance(
    estate: Estate,
    name: str,
    held: Sequence[HeldByWorker],
    sent: Iterable[ErrorPoint],
    dropped: Iterable[ErrorPoint],
) -> ForwardingInstance:
    here = estate.instances.get(name)
    reasons = Counter[int]()
    for point in dropped:
        if point.instance == name:
            reasons[point.error] += point.value
    endpoint = here.endpoint if here is not None else None
    return ForwardingInstance(
        name,
        here is not None and here.forwarding,
        endpoint.forward_size * MEGABYTE if endpoint else ForwarderLimits().memory_bytes,
        sorted(_hops(held), key=lambda hop: (-hop.size, hop.address)),
        max((one.size for one in held), default=0),
        sum(point.value for point in sent if point.instance == name),
        dict(sorted(reasons.items(), key=lambda reason: (-reason[1], reason[0]))),
    )


def _hops(held: Iterable[HeldByWorker]) -> Iterator[HeldForHop]:
    """The sums of all workers, next hop by next hop."""
    by_address: dict[str, list[HeldForHop]] = defaultdict(list)
    for one in held:
        for hop in one.hops:
            by_address[hop.address].append(hop)
    for address, hops in by_address.items():
        oldest = max(hop.oldest_ms for hop in hops)
        yield HeldForHop(address, sum(hop.fragments for hop in hops), sum(hop.size for hop in hops), oldest)
