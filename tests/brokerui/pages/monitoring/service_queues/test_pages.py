"""The page *Queues* on what hosted instances hold, count and switch."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.test import Client

from brokerui.api.ids import id_of
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from brokerui.eventlog.exceptional import HOUR_MS, Exceptional, ExceptionSums
from brokerui.eventlog.models import Sampled
from brokerui.eventlog.recording import recorder
from brokerui.eventlog.samples import OfSample
from brokerui.eventlog.services import exceptions_add
from brokerui.messaging.clock import now
from brokerui.messaging.services import message_receive, queue_set_status
from brokerui.messaging.verbs.administration import message_rolled_back
from brokerui.pages.service_queues import listing
from routing.common.event_subclasses import ActivationSubclass
from routing.model.catalog_objects import Activation, Queue
from routing.model.edits import PutDatabase
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.pages.monitoring.conftest import MINUTE_MS, begun, sampled
from tests.brokerui.pages.monitoring.test_pages import headline, page, rows

LIST = "/service_queues/"
TO = {"instance": "B", "database": "two", "queue": "ToQ"}
ONE = f"{LIST}queue/{id_of(tuple(TO.values()))}/"


def with_activation() -> None:
    """The queue of B gets two readers, which fail."""
    live = estate_current()
    two = live.estate.instances["B"].databases["two"]
    queues = (Queue("ToQ", activation=Activation("dbo.Take", 2)),)
    edit = PutDatabase("B", replace(two, queues=queues))
    estate_edit(edits=[edit], base_version=live.version, author="test", note="")
    at = now() - 2 * MINUTE_MS
    text = "ValueError: <no>"
    failed = Exceptional("B", 163, int(ActivationSubclass.ABORTED), "two", 0, "ToQ", "dbo.Take", text)
    exceptions_add({(failed, at - at % HOUR_MS): ExceptionSums(1, at, at, "", "")})


def test_a_row_has_depth_age_rates_state_and_readers(viewer: Client, wire: Wire) -> None:
    with_activation()
    begun("To", messages=3)
    wire.carry()
    sampled(OfSample.QUEUE, [3], name="ToQ", instance="B", database="two", oldest_age_ms=14 * MINUTE_MS)
    sampled(OfSample.ENQUEUED, [20, 30], back=1, name="To", instance="B", database="two")
    sampled(OfSample.RECEIVED, [7, 8], back=1, name="ToQ", instance="B", database="two")
    text = page(viewer, LIST)
    assert headline(text).startswith("3 messages wait in 1 queue; the oldest waits 14 min, in B/two.ToQ.")
    row = text[text.index('id="queue-1"') :].partition("</tr>")[0]
    assert f'href="{ONE}"' in row
    assert 'data-label="Messages">3<' in row
    assert 'data-label="In a minute">10<' in row
    assert 'data-label="Out a minute">3<' in row
    assert "0 of 2 run" in row
    assert "UTC: ValueError: &lt;no&gt;" in row
    (cells, _other) = sorted(rows(viewer, f"{LIST}service_queues.csv"), key=lambda cells: cells["queue"] != "ToQ")
    assert (cells["messages"], cells["arrived_a_minute"], cells["activation_procedure"]) == ("3", "10.0", "dbo.Take")


@pytest.mark.usefixtures("wire")
def test_a_queue_that_is_off_says_since_when_and_why_and_an_operator_switches_it_on(
    viewer: Client, operator: Client
) -> None:
    queue_set_status(**TO, is_on=False, author="kim")
    assert re.search("Off since [0-9]+:[0-9]+ UTC: switched off by kim", page(viewer, LIST))
    queue_set_status(**TO, is_on=True)
    for _ in range(4):
        message_rolled_back(**TO)
    assert "On; 4 receives of 5 in a row were rolled back" in page(viewer, LIST)
    message_rolled_back(**TO)
    text = page(viewer, ONE)
    assert headline(text).endswith("UTC: five receives in a row were rolled back. No message waits.")
    assert "Switch on" not in text
    assert "is_enqueue_enabled = 0" in text
    assert "Switch on" in page(operator, LIST, show="off")
    assert headline(page(viewer, LIST)).startswith("The queue B/two.ToQ is off.")
    response = operator.post(f"{LIST}on/", TO, follow=True)
    assert response.redirect_chain == [(ONE, 302)]
    assert "The queue ToQ is on" in response.content.decode()
    assert headline(page(viewer, ONE)) == "On. No message waits."


@pytest.mark.usefixtures("wire")
def test_filters_orders_and_pages_stand_in_the_address(viewer: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "ROWS", 1)
    queue_set_status(**TO, is_on=False)
    first = page(viewer, LIST)
    assert ("ToQ</a>" in first, "FromQ</a>" in first) == (True, False), "a queue that is off comes first"
    following = first.split('rel="next"')[0].rpartition('href="?')[2].partition('"')[0]
    second = page(viewer, f"{LIST}?{following}")
    assert ("ToQ</a>" in second, "FromQ</a>" in second) == (False, True)
    assert 'rel="next"' not in second
    assert "FromQ</a>" in page(viewer, LIST, sort="name")
    assert 'aria-sort="ascending"' in page(viewer, LIST, sort="name")
    named = page(viewer, LIST, columns="oldest", sort="-messages")
    assert ("Oldest" in named, "Out a minute</a>" in named) == (True, False)
    assert list(rows(viewer, f"{LIST}service_queues.csv?columns=oldest")[0]) == [
        *("instance", "database", "queue", "oldest_age_ms")
    ]
    assert viewer.get(LIST, {"columns": ["oldest", "in"]}).headers["Location"] == f"{LIST}?columns=oldest,in"
    wrong = viewer.get(LIST, {"sort": "-mesages"})
    assert (wrong.status_code, "did you mean &quot;messages&quot;?" in wrong.content.decode()) == (400, True)
    assert "FromQ</a>" in page(viewer, LIST, q="a/ONE")
    assert "No queue is like this" in page(viewer, LIST, q="nothing")
    for after in ("[", "7", "x y"):
        assert "ToQ</a>" in page(viewer, LIST, after=after), "a text that is no key begins at the first row"


def test_one_queue_has_its_rows_and_what_came_and_went(viewer: Client, wire: Wire) -> None:
    begun("To", messages=2)
    wire.carry()
    sampled(OfSample.QUEUE, [0, 5], name="ToQ", instance="B", database="two", oldest_age_ms=1000)
    sampled(OfSample.ENQUEUED, [4], back=1, name="To", instance="B", database="two")
    text = page(viewer, ONE)
    assert "The last hour: at most 5 messages" in text
    assert text.count('id="row-') == 2
    assert "/conversations/?instance=B&amp;database=two&amp;service=To" in text
    assert rows(viewer, f"{ONE}queue.csv")[-1]["arrived_a_minute"] == "4.0"
    assert viewer.get(f"{LIST}queue/{id_of(('B', 'two', 'Nowhere'))}/").status_code == 404
    assert viewer.get(f"{LIST}queue/x/").status_code == 404


def test_rest_has_the_same(viewer: Client, wire: Wire) -> None:
    with_activation()
    begun("To")
    wire.carry()
    queue_set_status(**TO, is_on=False, author="kim")
    (row,) = viewer.get("/api/v1/queue_states/", {"enabled": "false"}).json()["results"]
    assert (row["name"], row["messages"], row["off_by"], row["is_poisoned"]) == ("ToQ", 1, "kim", False)
    assert (row["last_failure"], row["readers"], row["max_readers"]) == ("ValueError: <no>", 0, 2)
    first = viewer.get("/api/v1/queue_states/", {"limit": 1}).json()
    assert [row["name"] for row in first["results"]] == ["FromQ"]
    assert [row["name"] for row in viewer.get(first["next"]).json()["results"]] == ["ToQ"]


def test_messages_that_come_and_go_are_counted_by_queue(wire: Wire) -> None:
    recorder.forget()
    begun("To", messages=3)
    wire.carry()
    message_receive(instance="B", database="two", queue="ToQ")
    recorder.flush()
    begun("To")
    wire.carry()
    recorder.flush()
    flows = Sampled.objects.filter(kind__in=(OfSample.ENQUEUED, OfSample.RECEIVED))
    found: dict[tuple[int, str, str], int] = {}
    for row in flows:
        key = (row.kind, row.instance, row.name)
        found[key] = found.get(key, 0) + row.depth
    assert found == {(OfSample.ENQUEUED, "B", "To"): 4, (OfSample.RECEIVED, "B", "ToQ"): 3}
