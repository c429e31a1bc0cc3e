"""The pages about messages at work: what they answer, what they keep quiet about, and what an operator does there."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from collections.abc import Callable, Hashable
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from redis import Redis

from brokerui.accounts.levels import Role
from brokerui.accounts.services import user_create
from brokerui.analysis.monitoring import waiting
from brokerui.core.lasting import LEAST_S, LONGEST_S
from brokerui.core.redis_keys import UNREACHABLE
from brokerui.estate.models import AuditEntry, Instance
from brokerui.estate.services import estate_import
from brokerui.eventlog.counting import counted
from brokerui.eventlog.exceptional import exceptions_of
from brokerui.eventlog.models import EventCount, Sampled
from brokerui.eventlog.samples import OfSample
from brokerui.eventlog.services import counts_add, exceptions_add
from brokerui.messaging.clock import now
from brokerui.messaging.exchange.lists import run, show_connections
from brokerui.messaging.exchange.messages import ConnectionRow
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.models import ConversationEndpoint, MirroredRoute
from brokerui.messaging.services import queue_set_status
from brokerui.pages.delayed.page import page_context
from brokerui.pages.shell.navigation import label_of
from brokerui.pages.shell.unchanged import GRACE_S
from routing.common.broker_events import Event
from routing.common.event_subclasses import UndeliverableSubclass
from routing.common.network_events import MessageUndeliverable
from routing.model.estate import Estate
from routing.model.estate import Instance as Observed
from tests.brokerui.messaging.hosted import ADDRESSES, Wire
from tests.brokerui.messaging.test_held_fragments import LONG, arrive, send
from tests.brokerui.pages.monitoring.conftest import begun, sampled, stuck
from tests.brokerui.site import signed_in

PAGES = ("/delayed/", "/queues/", "/mirrors/", "/connections/", "/conversations/", "/events/")
DELAYED, QUEUES, MIRRORS, CONNECTIONS, CONVERSATIONS, EVENTS = PAGES
PIECE = {"HX-Request": "true"}


def page(client: Client, path: str, **query: str) -> str:
    response = client.get(path, query)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def headline(text: str) -> str:
    found = re.search(r"data-headline>([^<]*)<", text)
    assert found
    return found[1].replace("&quot;", '"')


def rows(client: Client, path: str, **query: str) -> list[dict[str, str]]:
    response = client.get(path, query)
    assert response.status_code == 200
    text = response.getvalue().decode()
    return list(csv.DictReader(io.StringIO(text)))


# -- Nobody, nothing ---------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("path", PAGES)
def test_without_hosted_instances_it_says_how_to_host_one(path: str, viewer: Client) -> None:
    estate_import(estate=Estate({"observed": Observed("observed")}), author="me")
    text = page(viewer, path)
    assert "No instance is hosted here yet" in text
    assert "brokerui host A --listen tcp://127.0.0.1:7001 --database Orders" in text
    assert f"<h1>{label_of(path.strip('/'))}</h1>" in text


def test_a_page_that_has_other_parts_by_now_is_loaded_anew(viewer: Client) -> None:
    assert """hx-headers='{"Shape": "words"}'""" in page(viewer, DELAYED)
    assert "HX-Refresh" not in viewer.get(DELAYED, headers={**PIECE, "Shape": "words"}).headers
    sampled(OfSample.WAITING_CONVERSATIONS, [1, 1], error=9793)
    assert viewer.get(DELAYED, headers={**PIECE, "Shape": "words"}).headers["HX-Refresh"] == "true"
    assert "HX-Refresh" not in viewer.get(DELAYED, headers={**PIECE, "Shape": "chart"}).headers


def test_when_all_is_well_the_pages_say_so_and_nothing_else(viewer: Client) -> None:
    assert headline(page(viewer, DELAYED)) == "No conversation is delayed."
    assert headline(page(viewer, QUEUES)) == "All transmission queues are empty."
    assert headline(page(viewer, MIRRORS)) == "Nothing is mirrored here."
    assert headline(page(viewer, CONNECTIONS)) == "0 connections are open."
    assert headline(page(viewer, CONVERSATIONS)) == "There is no conversation."
    assert headline(page(viewer, EVENTS)) == "No exceptional event is kept."
    assert "No connection is open" in page(viewer, CONNECTIONS)
    assert "There are no samples of this time" in page(viewer, QUEUES)


def test_redis_that_is_away_is_said(viewer: Client, settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    for path in PAGES:
        assert "Redis does not answer" in page(viewer, path), path
    assert headline(page(viewer, CONNECTIONS)).startswith("The open connections are not known")


# -- Delayed -----------------------------------------------------------------------------------------------


def test_what_is_delayed_stands_by_its_cause_with_a_way_to_its_explanation(viewer: Client, wire: Wire) -> None:
    stuck(wire, "Nowhere", 3)
    stuck(wire, "To", 1, encryption=True)
    text = page(viewer, DELAYED)
    assert headline(text).startswith("4 conversations are delayed, most of them (3) for one reason. A LOCAL route")
    assert "<b>9796</b>" in text
    assert "<b>9727</b>" in text
    assert "/where/?from=A%2Fone&amp;to=Nowhere&amp;service=From" in text
    assert "Retry now" not in text, "a viewer only looks"
    [first, second] = rows(viewer, f"{DELAYED}delayed.csv")
    assert (first["to_service"], first["transmission_status"], first["conversations"]) == ("Nowhere", "9796", "3")
    assert (second["to_service"], second["transmission_status"]) == ("To", "9727")


def test_a_row_offers_what_mends_it(viewer: Client, wire: Wire) -> None:
    stuck(wire, "Nowhere")
    stuck(wire, "To", encryption=True)
    text = page(viewer, DELAYED)
    assert text.count("What mends it") == 1, "no database has the other service"
    assert "brokerui keys import A/one KEY_FILE --service To" in text
    assert "Once it is imported, routing delivers it in" in text


def test_the_explanation_is_there(viewer: Client, wire: Wire) -> None:
    stuck(wire, "Nowhere")
    found = re.search(r'id="why-1" href="([^"]*)"', page(viewer, DELAYED))
    assert found
    answer = page(viewer, found[1].replace("&amp;", "&"))
    assert "delayed" in answer.lower()
    assert "Nowhere" in answer


def test_what_is_on_its_way_is_not_delayed(viewer: Client, wire: Wire) -> None:
    begun("To")
    assert headline(page(viewer, DELAYED)) == "No conversation is delayed."
    assert headline(page(viewer, QUEUES)) == "1 message is to be sent."


def test_one_group_shows_its_conversations(operator: Client, wire: Wire) -> None:
    handles = stuck(wire, "Nowhere", 2)
    stuck(wire, "Elsewhere")
    query = {"instance": "A", "database": "one", "service": "Nowhere", "cause": "9796"}
    text = page(operator, DELAYED, **query)
    assert all(f'id="end-{handle}"' in text for handle in handles)
    assert "Elsewhere" not in text
    assert headline(text).startswith("3 conversations are delayed")
    gone = page(operator, DELAYED, **query | {"service": "Nobody"})
    assert "Nothing is delayed there any more" in gone


def test_an_operator_has_what_waits_tried_at_once(operator: Client, viewer: Client, wire: Wire) -> None:
    [handle] = stuck(wire, "Nowhere")
    query = {"instance": "A", "database": "one", "service": "Nowhere"}
    assert viewer.post(f"{DELAYED}retry/", query).status_code == 403
    before = ConversationEndpoint.objects.get(conversation_handle=handle).attempts
    answer = operator.post(f"{DELAYED}retry/", query, follow=True)
    assert "Messages for Nowhere are being retried now." in answer.content.decode()
    wire.carry()
    assert ConversationEndpoint.objects.get(conversation_handle=handle).attempts == before + 1
    entry = AuditEntry.objects.latest("id")
    assert (entry.author, entry.action, entry.note) == ("operator", "dialog.retry", "A/one → Nowhere")


def test_an_operator_ends_a_conversation_after_having_been_asked(operator: Client, viewer: Client, wire: Wire) -> None:
    [handle] = stuck(wire, "Nowhere")
    address = f"{DELAYED}end/{handle}/"
    asks = page(operator, address)
    assert "End the conversation?" in asks
    assert "<b>1 message</b> that Nowhere has not acknowledged is deleted" in asks
    assert viewer.post(address).status_code == 403
    assert ConversationEndpoint.objects.count() == 1, "asking ends nothing"
    assert "The conversation is ended." in operator.post(address, follow=True).content.decode()
    assert not ConversationEndpoint.objects.exists()
    entry = AuditEntry.objects.latest("id")
    assert (entry.author, entry.action) == ("operator", "dialog.cleanup")
    assert operator.get(address).status_code == 404


def test_what_cannot_be_done_is_said(operator: Client) -> None:
    query = {"instance": "A", "database": "none", "service": "Nowhere"}
    answer = operator.post(f"{DELAYED}retry/", query, follow=True).content.decode()
    assert "has no database &quot;none&quot;" in answer
    assert not AuditEntry.objects.filter(action="dialog.retry").exists()


def test_a_queue_that_is_off_is_switched_on(operator: Client, wire: Wire) -> None:
    queue_set_status(instance="B", database="two", queue="ToQ", is_on=False)
    assert "1 queue is off: its messages wait" in page(operator, DELAYED)
    query = {"instance": "B", "database": "two", "queue": "ToQ"}
    answer = operator.post(f"{DELAYED}switch-on/", query, follow=True).content.decode()
    assert "The queue ToQ is on" in answer
    assert "queue is off" not in page(operator, DELAYED)


def test_more_than_can_be_counted_at_once_is_counted_beside_the_page(
    viewer: Client, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck(wire, "Nowhere", 3)
    monkeypatch.setattr(waiting, "MANY", 2)
    monkeypatch.setattr(waiting, "defer", lambda key, work: (work(), _told())[1])
    assert viewer.get(DELAYED, headers=PIECE).status_code == 204, "the shown rows stay"
    waiting.forget()
    first = viewer.get(DELAYED)
    assert (first.status_code, first.headers["Refresh"]) == (202, "2"), "the first time it asks again by itself"
    assert "Waiting messages are being counted" in first.content.decode()
    assert headline(page(viewer, DELAYED)).startswith("3 conversations are delayed")
    assert "There are many: they were counted" in page(viewer, DELAYED)


def _told() -> None:
    raise waiting.NotReadyError


# -- Transmission queues -----------------------------------------------------------------------------------


def test_a_transmission_queue_tells_how_much_and_since_when(viewer: Client, wire: Wire) -> None:
    stuck(wire, "Nowhere", 2)
    sampled(OfSample.TRANSMISSION_QUEUE, [0, 5, 2], oldest_age_ms=90_000)
    text = page(viewer, QUEUES)
    assert headline(text) == "2 messages are to be sent; the oldest waits 1 min, in A/one."
    assert "The last hour: at most 5 messages in A/one" in text
    assert [value for value in _figure(text)["data"][0]["y"] if value is not None] == [0, 5, 2]
    found = rows(viewer, f"{QUEUES}queues.csv")
    assert [row["messages"] for row in found] == ["0", "5", "2"]


def test_the_rates_of_a_transmission_queue_come_from_its_samples_and_its_filter_is_in_the_address(
    viewer: Client, wire: Wire
) -> None:
    stuck(wire, "Nowhere", 2)
    sampled(OfSample.TRANSMISSION_QUEUE, [7, 6, 5, 4, 3, 2])
    last = Sampled.objects.latest("at").at
    counted = {"seconds": 60, "instance": "A", "event_subclass": 1, "database": "one", "error": 0, "bytes": 0}
    EventCount.objects.create(at=last - 60_000, event_class=124, events=10, messages=10, **counted)
    row = page(viewer, QUEUES).split('id="queue-1"')[1].split("</tr>")[0]
    assert re.findall(r'<td class="n">([\d.]+)</td>', row)[-2:] == ["2", "3"], "10 came in 5 minutes, 5 are fewer"
    assert 'id="queue-1"' in page(viewer, QUEUES, q="a/ONE", sort="-in")
    assert "No transmission queue is like this" in page(viewer, QUEUES, q="two")
    assert viewer.get(QUEUES, {"show": "empty"}).status_code == 400


def test_many_queues_are_a_few_lines_and_all_others(viewer: Client, wire: Wire) -> None:
    for number in range(9):
        sampled(OfSample.TRANSMISSION_QUEUE, [number, number], database=f"d{number}")
    text = page(viewer, QUEUES)
    names = [trace["name"] for trace in _figure(text)["data"]]
    assert names[:6] == ["A/d8", "A/d7", "A/d6", "A/d5", "A/d4", "others"]
    others = _figure(text)["data"][5]["y"]
    assert [value for value in others if value is not None] == [6, 6]
    assert len(rows(viewer, f"{QUEUES}queues.csv")) == 18


def _figure(text: str) -> Any:
    found = re.search(r'<script id="chart-figure" type="application/json">(.*?)</script>', text)
    assert found
    return json.loads(found[1])


def test_what_was_always_empty_has_no_line(viewer: Client, wire: Wire) -> None:
    sampled(OfSample.TRANSMISSION_QUEUE, [0, 0])
    sampled(OfSample.TRANSMISSION_QUEUE, [0, 0], database="other")
    text = page(viewer, QUEUES)
    assert {trace["name"] for trace in _figure(text)["data"]} == {"A/one"}
    assert "The last hour: nothing waited at any sample" in text
    sampled(OfSample.TRANSMISSION_QUEUE, [3], back=2, database="busy")
    assert {trace["name"] for trace in _figure(page(viewer, QUEUES))["data"]} == {"A/busy"}


def test_the_rows_of_one_queue_have_their_status_and_go_on(viewer: Client, wire: Wire) -> None:
    begun("Nowhere", messages=150)
    wire.carry()
    query = {"instance": "A", "database": "one"}
    text = page(viewer, QUEUES, **query)
    assert text.count("9796: A LOCAL route matched") >= 100
    found = re.search(r'href="\?([^"]*after=[^"]*)"', text)
    assert found
    following = page(viewer, f"{QUEUES}?{found[1].replace('&amp;', '&')}")
    assert 0 < following.count('<td class="status"') <= 50
    assert "From the beginning" in following
    assert page(viewer, QUEUES, **query, after="no key")


# -- Mirrors -----------------------------------------------------------------------------------------------


def mirrored(**more: Any) -> None:
    instance = ConversationEndpoint._meta.get_field("instance").related_model.objects.get_or_create(name="A")[0]
    known = {"phase": "SENDING", "principal": 1, "heard": "denies", "heard_mirror": "claims", "rounds": 0}
    address = {"address": ADDRESSES["B"], "mirror_address": "tcp://elsewhere:4022", "service": "To"}
    MirroredRoute.objects.create(instance=instance, **address, **known | more, claimed_at=1_700_000_000_000)


def test_a_mirror_tells_who_is_principal_and_what_each_said(viewer: Client, wire: Wire) -> None:
    mirrored()
    text = page(viewer, MIRRORS)
    assert headline(text) == "The mirrored route has its principal."
    assert re.search(r"Mirror</p> <p><b>B</b>.*says that it is not the principal", text)
    assert re.search(r"Principal</p> <p><b>tcp://elsewhere:4022</b>", text)


def test_a_lost_principal_is_the_answer(viewer: Client, wire: Wire) -> None:
    mirrored(phase="LOST", heard="away", heard_mirror="")
    text = page(viewer, MIRRORS)
    assert headline(text) == "1 mirrored route has no principal: nothing is sent by it."
    assert "cannot be reached" in text
    assert "has not answered yet" in text


def test_roles_over_time_are_spells(viewer: Client, wire: Wire) -> None:
    mirrored()
    name = f"{ADDRESSES['B']} tcp://elsewhere:4022 To"
    sampled(OfSample.MIRRORED_ROUTE, [0, 0, 0], database="", name=name, role=ADDRESSES["B"])
    sampled(OfSample.MIRRORING_ROLE, [0, 0], instance="B", database="two", role="PRINCIPAL")
    text = page(viewer, MIRRORS)
    assert "The last hour: no role has changed" in text
    found = rows(viewer, f"{MIRRORS}mirrors.csv")
    assert [(row["what"], row["role"]) for row in found] == [("A → To", "B"), ("B/two", "PRINCIPAL")]


# -- Connections -------------------------------------------------------------------------------------------


def connected(client: Redis, **more: Any) -> None:
    kinds = ConnectionRow.__annotations__
    values: dict[str, Any] = {name: 0 if "int" in str(kind) else "" for name, kind in kinds.items()}
    moments = dict.fromkeys(("connect_time", "last_activity_time"), "2030-01-31T12:00:00.000+00:00")
    values |= {"is_accept": False, "state_desc": "LOGGED_IN", "transport_stream_id": "1", **moments, **more}
    run(client, show_connections([ConnectionRow(**values)], (), anew=False))


def test_connections_are_those_of_the_endpoint(viewer: Client, redis_client: Redis) -> None:
    connected(redis_client, instance="A", peer="B", address="tcp://b.example:4022", total_bytes_sent=12_345)
    text = page(viewer, CONNECTIONS)
    assert headline(text) == "1 connection is open."
    assert "12,345" in text
    assert "LOGGED_IN" in text
    assert "No connection matches" in page(viewer, CONNECTIONS, q="nothing like it")
    assert "LOGGED_IN" in page(viewer, CONNECTIONS, q="B.EXAMPLE")
    [row] = rows(viewer, f"{CONNECTIONS}connections.csv")
    assert row["total_bytes_sent"] == "12345"


def test_messages_that_came_again_stand_with_the_way_of_their_acknowledgements(viewer: Client, wire: Wire) -> None:
    begun("To")
    wire.carry()
    target = ConversationEndpoint.objects.get(is_initiator=False)
    report_undeliverable(target.conversation_id, 11209)
    assert "Messages that came again" not in page(viewer, CONNECTIONS)
    report_undeliverable(target.conversation_id, 11218, 1_234)
    report_undeliverable("unknown", 11218, 5, database="other")
    text = page(viewer, CONNECTIONS)
    assert "look at the way back" in text
    assert '<td>two</td><td class="n">1,234</td><td>From</td>' in text
    assert "/where/?from=B%2Ftwo&amp;to=From" in text
    assert re.search('<td>other</td><td class="n">5</td><td>.</td><td>.</td>', text), "no conversation of it is known"


def report_undeliverable(conversation_id: str, error: int, times: int = 1, *, database: str = "two") -> None:
    """Undeliverable messages of B within the last minutes."""
    at = now()
    kind = UndeliverableSubclass.SEQUENCED_MESSAGE
    event = MessageUndeliverable(kind, database, conversation_id, 0, -1, error)
    events: list[tuple[int, Event]] = [(at, event)] * times
    counts_add(counted("B", events))
    exceptions_add(exceptions_of("B", events))


def test_an_address_that_cannot_be_reached_stands_with_the_reason(viewer: Client, redis_client: Redis) -> None:
    redis_client.hset("brokerui:unreachable:A", ADDRESSES["B"], json.dumps([9754, "Connection refused"]))
    text = page(viewer, CONNECTIONS)
    assert headline(text) == "0 connections are open; 1 address cannot be reached."
    assert "Connection refused" in text


def test_rows_that_are_kept_are_those_of_their_reader(viewer: Client, wire: Wire) -> None:
    stuck(wire, "Nowhere")
    texts = [page(reader, DELAYED) for reader in (viewer, signed_in(Role.OPERATOR), viewer)]
    assert ["Retry now" in text for text in texts] == [False, True, False]
    assert all("No database of the estate has <b>Nowhere</b>" in text for text in texts)


def test_groups_stand_on_pages_of_their_own_with_links(
    viewer: Client, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brokerui.pages.delayed.page.MOST_GROUPS", 1)
    stuck(wire, "One")
    stuck(wire, "Other")
    first, second = page(viewer, DELAYED), page(viewer, DELAYED, start="1")
    assert "1 to 1 of 2 groups" in first
    assert re.search(r'href="\?start=1"[^>]*>Next', first)
    assert "Previous" not in first
    assert "2 to 2 of 2 groups" in second
    assert re.search(r'href="\?"[^>]*>Previous', second)
    shown = [re.findall(r"Explain<span[^>]*>: (\w+)", text) for text in (first, second)]
    assert sorted(shown) == [["One"], ["Other"]]
    for beyond in ("7", "99999999999", "-1", "x"):
        assert "of 2 groups" in page(viewer, DELAYED, start=beyond)


# -- Keeping up --------------------------------------------------------------------------------------------


def test_the_piece_comes_only_when_something_has_changed(viewer: Client, wire: Wire) -> None:
    for path in PAGES:
        first = viewer.get(path, headers=PIECE)
        assert (first.status_code, b"<html" in first.content) == (200, False)
        again = viewer.get(path, headers={**PIECE, "If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b""), path
    shown = viewer.get(DELAYED, headers=PIECE).headers["ETag"]
    stuck(wire, "Nowhere")
    assert viewer.get(DELAYED, headers={**PIECE, "If-None-Match": shown}).status_code == 200


def test_a_service_that_no_database_has_is_said_to_have_no_remedy(viewer: Client, wire: Wire) -> None:
    stuck(wire, "Nowhere")
    assert "No database of the estate has <b>Nowhere</b>: no route can have it delivered." in page(viewer, DELAYED)


def test_figures_are_not_computed_again_while_nothing_is_committed(
    viewer: Client, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = ["1", "1", "2", "2"]
    monkeypatch.setattr("brokerui.pages.shell.unchanged.commit_mark", lambda: marks.pop(0))
    first = viewer.get(DELAYED, headers=PIECE)
    stuck(wire, "Nowhere")
    shows = {**PIECE, "If-None-Match": first.headers["ETag"]}
    with CaptureQueriesContext(connection) as captured:
        assert viewer.get(DELAYED, headers=shows).status_code == 304
    assert not captured.captured_queries  # the mark is what it reads
    assert viewer.get(DELAYED, headers=shows).status_code == 200


def test_a_figure_of_redis_that_changes_makes_a_new_piece_without_a_commit(
    viewer: Client, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brokerui.pages.shell.unchanged.commit_mark", lambda: "1")
    shown = viewer.get(CONNECTIONS, headers=PIECE).headers["ETag"]
    assert viewer.get(CONNECTIONS, headers={**PIECE, "If-None-Match": shown}).status_code == 304
    redis().hset(f"{UNREACHABLE}A", "tcp://gone:4022", json.dumps([9754, "refused"]))
    piece = viewer.get(CONNECTIONS, headers={**PIECE, "If-None-Match": shown})
    assert "tcp://gone:4022" in piece.content.decode()


def test_a_piece_is_computed_again_when_an_age_in_it_has_grown(
    viewer: Client, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1_000.0]
    for module in ("unchanged", "shared_pieces"):
        monkeypatch.setattr(f"brokerui.pages.shell.{module}.time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr("brokerui.pages.shell.unchanged.commit_mark", lambda: "1")
    shows = {**PIECE, "If-None-Match": viewer.get(MIRRORS, headers=PIECE).headers["ETag"]}
    for later, is_computed in ((LEAST_S - 1, False), (LONGEST_S + GRACE_S + 1, True)):
        clock[0] = 1_000.0 + later
        with CaptureQueriesContext(connection) as captured:
            assert viewer.get(MIRRORS, headers=shows).status_code == 304
        assert bool(captured.captured_queries) == is_computed


def test_no_poll_waits_for_new_ages_which_the_next_one_takes(
    viewer: Client, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, made, beside = [1_000.0], list[str](), dict[Hashable, Callable[[], object]]()
    for module in ("unchanged", "shared_pieces"):
        monkeypatch.setattr(f"brokerui.pages.shell.{module}.time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr("brokerui.pages.shell.unchanged.commit_mark", lambda: "1")
    monkeypatch.setattr("brokerui.pages.shell.unchanged.do_beside", beside.setdefault)

    def rendered(*_given: object) -> str:
        made.append(f"age {len(made)}")
        return made[-1]

    monkeypatch.setattr("brokerui.pages.shell.live.render_to_string", rendered)
    shows = {**PIECE, "If-None-Match": viewer.get(MIRRORS, headers=PIECE).headers["ETag"]}
    with CaptureQueriesContext(connection) as captured:
        while not beside and clock[0] < 1_001.0 + LONGEST_S:
            clock[0] += 1
            assert viewer.get(MIRRORS, headers=shows).status_code == 304
        assert viewer.get(MIRRORS, headers=shows).status_code == 304
    assert (made, captured.captured_queries) == (["age 0"], [])
    assert clock[0] > 1_000.0 + LEAST_S
    (make,) = beside.values()
    make()
    assert viewer.get(MIRRORS, headers=shows).content == b"age 1"
    assert made == ["age 0", "age 1"]


def _token_of(piece: str) -> str:
    return re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', piece)[0]


def test_a_token_of_a_form_makes_no_piece_a_new_one(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = signed_in(Role.OPERATOR)
    stuck(wire, "Nowhere")
    at_ns = time.time_ns()
    monkeypatch.setattr("brokerui.messaging.clock.time", SimpleNamespace(time_ns=lambda: at_ns))  # ages stand still
    answers = [operator.get(DELAYED, headers=PIECE) for _ in range(2)]
    assert len({_token_of(one.content.decode()) for one in answers}) == 2
    assert answers[0].headers["ETag"] == answers[1].headers["ETag"]
    stuck(wire, "Else")
    assert operator.get(DELAYED, headers=PIECE).headers["ETag"] != answers[0].headers["ETag"]


def test_readers_of_one_role_share_a_piece_each_with_the_token_of_the_own_forms(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck(wire, "Nowhere")
    readers = [_reader("one", Role.OPERATOR), _reader("two", Role.OPERATOR), _reader("three", Role.VIEWER)]
    monkeypatch.setattr("brokerui.pages.shell.unchanged.commit_mark", lambda: "1")
    made: list[str] = []
    _note_makers(monkeypatch, made)
    pieces = [reader.get(DELAYED, headers=PIECE) for reader in readers]
    assert made == [DELAYED, DELAYED]  # once for operators, once for viewers
    assert pieces[0].headers["ETag"] == pieces[1].headers["ETag"] != pieces[2].headers["ETag"]
    for reader, piece in zip(readers[:2], pieces[:2], strict=True):
        posted = {"csrfmiddlewaretoken": _token_of(piece.content.decode())}
        assert reader.post("/delayed/retry/", posted).status_code != 403
    assert readers[0].post("/delayed/retry/", {}).status_code == 403


def _reader(name: str, role: Role) -> Client:
    client = Client(enforce_csrf_checks=True)
    user = user_create(name=name, password="correct horse battery staple", role=role)
    client.force_login(user, backend="brokerui.accounts.backend.Backend")
    return client


def _note_makers(monkeypatch: pytest.MonkeyPatch, made: list[str]) -> None:
    """Note the address of each piece of *Delayed* that is made."""

    def context(query: Any) -> dict[str, Any]:
        made.append(DELAYED)
        return page_context(query)

    monkeypatch.setattr("brokerui.pages.delayed.page.page_context", context)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.ADMINISTRATOR])
@pytest.mark.parametrize("path", PAGES)
def test_a_piece_depends_on_nothing_else_of_its_reader(wire: Wire, role: Role, path: str) -> None:
    stuck(wire, "Nowhere")
    answers = [_reader(name, role).get(path, headers=PIECE).content.decode() for name in ("one", "two")]
    one, other = (re.sub(r"value=\"\w{64}\"|\d+ s\b", "", text) for text in answers)  # tokens, and ages in seconds
    assert one == other


def test_the_chart_comes_along(viewer: Client, wire: Wire) -> None:
    sampled(OfSample.TRANSMISSION_QUEUE, [3])
    piece = viewer.get(QUEUES, headers=PIECE).content.decode()
    assert 'id="chart-figure-box" hx-swap-oob="innerHTML"' in piece
    assert 'id="chart-table" hx-swap-oob="innerHTML"' in piece


def test_an_instance_that_is_hosted_no_more_is_not_told_of(viewer: Client, wire: Wire) -> None:
    stuck(wire, "Nowhere")
    Instance.objects.filter(name="A").update(hosted=False)
    assert headline(page(viewer, DELAYED)) == "No conversation is delayed."


def test_a_gap_is_no_change_of_a_role(viewer: Client, wire: Wire) -> None:
    name = f"{ADDRESSES['B']} tcp://elsewhere:4022 To"
    for back, role in ((9, ADDRESSES["B"]), (5, ADDRESSES["B"]), (4, ""), (3, ADDRESSES["B"])):
        more = {"database": "", "name": name, "role": role}
        sampled(OfSample.MIRRORED_ROUTE, [0], back=back, **more)
    assert "The last hour: 2 changes of roles" in page(viewer, MIRRORS)
    found = rows(viewer, f"{MIRRORS}mirrors.csv")
    assert [row["role"] for row in found] == ["B", "B", "", "B"]


def test_the_oldest_is_told_whatever_the_span_and_not_when_nobody_looked(viewer: Client, wire: Wire) -> None:
    begun("To")
    sampled(OfSample.TRANSMISSION_QUEUE, [1], back=10, oldest_age_ms=60_000)
    assert headline(page(viewer, QUEUES)) == "1 message is to be sent."
    sampled(OfSample.TRANSMISSION_QUEUE, [1], back=1, oldest_age_ms=7_200_000)
    expected = "1 message is to be sent; the oldest waits 2 h 0 min, in A/one."
    assert headline(page(viewer, QUEUES, span="24h")) == headline(page(viewer, QUEUES)) == expected


def test_every_span_can_be_asked_for(viewer: Client, wire: Wire) -> None:
    sampled(OfSample.TRANSMISSION_QUEUE, [1] * 30)
    for path in (DELAYED, QUEUES, MIRRORS):
        for span in ("1h", "6h", "24h", "nonsense"):
            assert page(viewer, path, span=span)


# -- Queries -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "most"),
    [
        (DELAYED, 23),
        (f"{DELAYED}?instance=A&database=one&service=Nowhere&cause=9796", 24),
        (QUEUES, 21),
        (f"{QUEUES}?instance=A&database=one", 24),
        (MIRRORS, 14),
        (CONNECTIONS, 9),
    ],
)
def test_queries_do_not_grow(
    viewer: Client, wire: Wire, path: str, most: int, django_assert_max_num_queries: Any
) -> None:
    stuck(wire, "Nowhere", 2)
    sampled(OfSample.TRANSMISSION_QUEUE, [1, 2])
    viewer.get(path)
    with django_assert_max_num_queries(most):
        viewer.get(path)
    stuck(wire, "Nowhere", 20)
    for number in range(10):
        stuck(wire, f"Other{number}")
        sampled(OfSample.TRANSMISSION_QUEUE, [number], database=f"d{number}")
    with django_assert_max_num_queries(most):
        viewer.get(path)


# -- Arrived messages that are in no queue yet -------------------------------------------------------------


def _held(wire: Wire, *, is_on: bool) -> None:
    """A message without one of its fragments; with the queue off, two whole ones more."""
    handle = begun("To")
    wire.carry()
    frames = send(handle, LONG)
    arrive(frames[1:])
    if not is_on:
        queue_set_status(instance="B", database="two", queue="ToQ", is_on=False)
        arrive(send(handle, b"second", b"third"))
    waiting.forget()


def test_messages_that_are_not_complete_are_told_apart(viewer: Client, wire: Wire) -> None:
    _held(wire, is_on=True)
    text = page(viewer, QUEUES)
    assert "Received, and not in a queue yet" in text
    assert "Fragments or earlier messages are missing: status 2 in the queue." in text
    assert "is off" not in text.partition("data-headline")[2].partition("<")[0]
    assert headline(page(viewer, DELAYED)) == "No conversation is delayed."


def test_messages_that_wait_for_a_queue_that_is_off_are_shown_where_they_wait(viewer: Client, wire: Wire) -> None:
    _held(wire, is_on=False)
    sentence = "Messages of 1 conversation wait: the queue ToQ in B/two is off."
    assert headline(page(viewer, DELAYED)) == sentence
    assert sentence in headline(page(viewer, QUEUES))
    text = page(viewer, QUEUES)
    assert "All transmission queues are empty" not in text
    assert '<a href="?instance=B&amp;database=two">transmission queue of B/two</a>' in text
    assert '?instance=B&amp;database=two">1</a>' in page(viewer, DELAYED)
    rows_there = page(viewer, QUEUES, instance="B", database="two")
    assert rows_there.count("received; ToQ is off") == 3
