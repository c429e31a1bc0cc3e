"""The page *Forwarding* on fragments that a broker holds, and on events of those that it sent on and dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.test import Client

from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from brokerui.eventlog.counting import counted
from brokerui.eventlog.services import counts_add
from brokerui.messaging.broker_cache import broker_of, forget_brokers
from brokerui.messaging.clock import now
from brokerui.messaging.exchange.forwarded_messages import publish_forwarded
from routing.common.network_events import ForwardedMessageDropped, ForwardedMessageSent
from routing.model.address import parse_address
from routing.model.catalog_objects import BrokerEndpoint
from routing.model.edits import PutInstance
from routing.rules.decision import Send
from routing.runtime.broker import Broker
from routing.runtime.forwarding import MEGABYTE, NO_HOP, NO_MEMORY, OVERHEAD_BYTES
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.pages.monitoring.conftest import MINUTE_MS
from tests.brokerui.pages.monitoring.test_pages import headline, page, rows
from tests.routing.runtime.test_forwarding import ROW, fragment

FORWARDING = "/forwarding/"
FAR, FARTHER = (Send(parse_address(f"tcp://{host}.example:4022"), None, "R") for host in ("far", "farther"))


@pytest.fixture
def broker(wire: Wire) -> Iterator[Broker]:
    """A forwards, and holds no more than a megabyte."""
    live = estate_current()
    here = live.estate.instances["A"]
    there = replace(here, forwarding=True, endpoint=BrokerEndpoint(4022, forward_size=1))
    estate_edit(edits=[PutInstance(there)], base_version=live.version, author="test", note="")
    forget_brokers()
    yield broker_of("A")
    forget_brokers()


def test_nothing_forwards(viewer: Client, wire: Wire) -> None:
    text = page(viewer, FORWARDING)
    assert headline(text) == "No instance forwards messages."
    assert "MESSAGE_FORWARDING = ENABLED" in text


def test_it_shows_fragments_by_next_hop_against_the_limit(viewer: Client, broker: Broker) -> None:
    assert headline(page(viewer, FORWARDING)) == "1 instance forwards; none holds a message."
    at = now()
    size = OVERHEAD_BYTES + len(fragment(0, b"x" * 60_000).raw)
    for number in range(8):
        assert broker.forwarder.forward(fragment(number, b"x" * 60_000), FAR, at - 30_000)
    assert broker.forwarder.forward(fragment(100), FARTHER, at)
    publish_forwarded(broker, at)
    text = page(viewer, FORWARDING)
    assert headline(text) == "9 fragments wait for their next hop, most of them on A; the oldest for 30 s."
    assert text.index("tcp://far.example:4022") < text.index("tcp://farther.example:4022"), "most bytes first"
    (one,) = viewer.get("/api/v1/forwarding/").json()["instances"]
    assert (one["instance"], one["fragments"], one["limit_bytes"]) == ("A", 9, MEGABYTE)
    assert one["fullest_bytes"] == one["bytes"] == broker.forwarder.size
    assert one["next_hops"][0] == {
        "address": "tcp://far.example:4022",
        "fragments": 8,
        "bytes": 8 * size,
        "oldest_s": 30,
    }


@pytest.mark.usefixtures("broker")
def test_it_says_what_the_limits_refused_and_the_next_step(viewer: Client) -> None:
    at = now() - 2 * MINUTE_MS
    dropped = [ForwardedMessageDropped(ROW, reason) for reason in (NO_HOP, NO_MEMORY, NO_MEMORY)]
    counts_add(counted("A", [(at, ForwardedMessageSent(ROW)), *((at, event) for event in dropped)]))
    text = page(viewer, FORWARDING)
    assert "3 fragments were dropped in the last hour, most often for: memory limit." in headline(text)
    assert "memory limit 2, hop limit 1" in text
    assert "The memory for forwarded messages would exceed its limit." in text
    assert "the sender repeats it. Look at the next hop that holds most." in text
    assert "/events/?instance=A&amp;event_class=140&amp;error=11289&amp;since=1h" in text
    assert "The last hour: 1 fragments were sent on, 3 were dropped" in text
    assert [(row["error"], row["dropped"]) for row in rows(viewer, f"{FORWARDING}forwarding.csv")] == [
        ("", "0"),
        (str(NO_HOP), "1"),
        (str(NO_MEMORY), "2"),
    ]
