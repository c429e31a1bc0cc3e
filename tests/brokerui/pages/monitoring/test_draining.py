"""After an act the group shows its drain; at zero it is checked, and stands a day under *Drained and checked*."""

from __future__ import annotations

import html
import json
import re
from copy import deepcopy

import pytest
from django.test import Client

from brokerui.analysis.drains.models import Drain
from brokerui.analysis.drains.services import DAY_MS, STALLED_MS, drains_check
from brokerui.estate.services import estate_import
from brokerui.eventlog.models import MINUTE, EventCount
from brokerui.messaging.clock import now
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.services import queue_set_status
from routing.documents.estate_document import read_estate
from tests.brokerui.messaging.hosted import ADDRESSES, DOCUMENT, Wire
from tests.brokerui.messaging.test_held_fragments import arrive, send
from tests.brokerui.pages.monitoring.conftest import begun, stuck

PLACE = {"instance": "A", "database": "one", "service": "Nowhere"}


def page(client: Client) -> str:
    return html.unescape(re.sub(r"\s+", " ", client.get("/delayed/").content.decode()))


def delivered_before(messages: int) -> None:
    at = now() // 60_000 * 60_000 - 60_000
    counted = {"events": messages, "messages": messages, "bytes": messages, "error": 0}
    EventCount.objects.create(
        seconds=MINUTE, at=at, instance="B", event_class=124, event_subclass=6, database="two", **counted
    )


def mended() -> None:
    document = deepcopy(DOCUMENT)
    service = {"name": "Nowhere", "queue": "ToQ", "contracts": ["DEFAULT"]}
    document["instances"][1]["databases"][0]["services"].append(service)
    route = {"name": "nowhere", "remote_service_name": "Nowhere", "address": ADDRESSES["B"]}
    document["instances"][0]["databases"][0]["routes"].append(route)
    estate_import(estate=read_estate(json.dumps(document)), author="ada")


@pytest.mark.both_databases
def test_a_version_that_mends_a_way_is_watched_until_nothing_waits(wire: Wire, operator: Client) -> None:
    delivered_before(60)
    stuck(wire, "Nowhere", 3)
    assert "Once that is mended, 3 messages drain in about 3 s." in page(operator)
    mended()
    (drain,) = Drain.objects.all()
    assert (drain.act, drain.author, drain.messages, drain.estimate_s) == ("version", "ada", 3, 3)
    assert "by ada: 0 of 3 gone, about 3 s left" in page(operator)
    drains_check(drain.began_at + 1_000)
    assert "Drained and checked" not in page(operator), "it is not over"
    ConversationEndpoint.objects.update(next_attempt=0, due=0)
    wire.carry()
    drains_check(drain.began_at + 5_000)
    text = page(operator)
    assert "Nowhere from A/one" in text
    assert "by ada: 3 messages in 5 s (estimated: about 3 s)" in text
    drains_check(drain.began_at + 5_001 + DAY_MS)
    assert "Drained and checked" not in page(operator)


def test_a_retry_that_changes_nothing_is_given_up_and_never_called_drained(wire: Wire, operator: Client) -> None:
    stuck(wire, "Nowhere")
    operator.post("/delayed/retry/", PLACE)
    (drain,) = Drain.objects.all()
    assert drain.estimate_s is None, "nothing arrived anywhere, so no rate is known"
    assert "0 of 1 gone" in page(operator)
    drains_check(drain.began_at + STALLED_MS + 1)
    drain.refresh_from_db()
    assert (drain.left, drain.is_well) == (1, False)
    assert "gone" not in page(operator)
    assert "Drained and checked" not in page(operator)


def test_a_queue_that_is_switched_on_drains_what_arrived_for_it(wire: Wire, operator: Client) -> None:
    handle = begun("To")
    arrive(send(handle, b"first"))
    queue_set_status(instance="B", database="two", queue="ToQ", is_on=False)
    arrive(send(handle, b"second", b"third"))
    operator.post("/delayed/switch-on/", {"instance": "B", "database": "two", "queue": "ToQ"})
    wire.carry()
    (drain,) = Drain.objects.all()
    assert (drain.kind, drain.messages) == ("queue", 2)
    drains_check(drain.began_at + 1)
    assert "queue ToQ in B/two" in page(operator)
