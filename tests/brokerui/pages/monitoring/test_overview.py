"""The overview: the first page, what needs a person with its next step, the quiet state, REST and the bar."""

from __future__ import annotations

import html
import json
import re
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from brokerui.accounts.levels import Role
from brokerui.analysis.drains.models import Drain
from brokerui.analysis.monitoring import rates
from brokerui.analysis.overview import alerts, overview
from brokerui.analysis.overview.diagnosis import diagnosed
from brokerui.cli.commands import status
from brokerui.estate.services import estate_import
from brokerui.eventlog.counting import counted, latencies_counted
from brokerui.eventlog.exceptional import exceptions_of
from brokerui.eventlog.samples import OfSample
from brokerui.eventlog.services import counts_add, exceptions_add
from brokerui.messaging.clock import now
from brokerui.messaging.services import Message, conversation_begin, conversation_send, queue_set_status
from routing.common.event_subclasses import ConversationSubclass, UndeliverableSubclass
from routing.common.network_events import MessageUndeliverable
from routing.documents.estate_document import read_estate
from tests.brokerui.eventlog.samples import EVENTS
from tests.brokerui.messaging.hosted import ADDRESSES, DOCUMENT, Wire
from tests.brokerui.messaging.test_held_fragments import arrive, send
from tests.brokerui.pages.monitoring.conftest import begun, sampled, stuck
from tests.brokerui.pages.monitoring.test_collected import NO_BINDING, NOT_FOUND, TO_SHIP, bring_in, row
from tests.brokerui.site import signed_in

PATH = "/overview/"
MINUTE_MS = 60_000


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    for memory in (alerts, overview, rates):
        memory.forget()
    yield
    for memory in (alerts, overview, rates):
        memory.forget()


def page(client: Client, **query: str) -> str:
    response = client.get(PATH, query)
    assert response.status_code == 200
    return html.unescape(re.sub(r"\s+", " ", response.content.decode()))


def headline(text: str) -> str:
    found = re.search(r"data-headline>([^<]*)<", text)
    assert found
    return found[1]


def titles(text: str) -> list[str]:
    return re.findall(r'id="rows-[0-9a-f]+" href="[^"]*"><span class="unseen">\w+: </span>([^<]*)<', text)


def discarded(instance: str, times: int) -> None:
    event = MessageUndeliverable(UndeliverableSubclass.SEQUENCED_MESSAGE, "one", "c", 1, -1, 11209)
    exceptions_add(exceptions_of(instance, [(now(), event)] * times))


def test_it_is_the_first_page(viewer: Client) -> None:
    assert viewer.get("/").headers["Location"] == PATH
    assert viewer.get("/?scenario=x").headers["Location"] == f"{PATH}?scenario=x"


def test_the_quiet_state_says_what_was_checked_and_never_that_there_is_no_problem(wire: Wire, viewer: Client) -> None:
    text = page(viewer)
    assert re.fullmatch(r"(None of \d+ checks failed|No message is held back; .*)", headline(text))
    assert "No message was discarded in the last 10 minutes" in text
    assert "no problem" not in text.lower()
    assert viewer.get(f"{PATH}alerts/").content.strip() == b""


@pytest.mark.both_databases
def test_causes_stand_in_order_each_with_effect_volume_and_step(wire: Wire, operator: Client) -> None:
    stuck(wire, "Nowhere", 2)
    stuck(wire, "To", encryption=True)
    discarded("B", 3)
    text = page(operator)
    assert headline(text) == "3 causes hold back 6 messages"
    assert titles(text)[0] == "B/one discards messages that arrive"
    assert set(titles(text)[1:]) == {
        "Nowhere is not where the route of A/one leads",
        "A/one has no remote service binding for To",
    }
    assert "Status 9796." in text
    assert "brokerui keys import A/one KEY_FILE --service To" in text
    bar = re.sub(r"<[^>]*>", "", operator.get(f"{PATH}alerts/").content.decode())
    assert "1 dropped" in bar
    assert "2 delayed" in bar


def test_a_queue_that_is_off_is_switched_on_from_here_by_those_who_may(
    wire: Wire, operator: Client, viewer: Client
) -> None:
    handle = begun("To")
    arrive(send(handle, b"first"))
    queue_set_status(instance="B", database="two", queue="ToQ", is_on=False)
    arrive(send(handle, b"second", b"third"))
    text = page(operator)
    assert "Queue ToQ in B/two is off" in titles(text)
    assert "Switch queue on" in text
    assert "Switch queue on" not in page(viewer)


def test_what_routing_would_deliver_now_is_retried_from_here(wire: Wire, operator: Client, viewer: Client) -> None:
    stuck(wire, "Nowhere")
    document = json.loads(json.dumps(DOCUMENT))
    service = {"name": "Nowhere", "queue": "ToQ", "contracts": ["DEFAULT"]}
    document["instances"][1]["databases"][0]["services"].append(service)
    route = {"name": "nowhere", "remote_service_name": "Nowhere", "address": ADDRESSES["B"]}
    document["instances"][0]["databases"][0]["routes"].append(route)
    estate_import(estate=read_estate(json.dumps(document)), author="test")
    text = page(operator)
    assert titles(text) == ["The way from A/one to Nowhere is mended"]
    assert "Retry now" in text
    assert "Retry now" not in page(viewer)
    fields = {"instance": "A", "database": "one", "service": "Nowhere"}
    assert operator.post("/delayed/retry/", fields).status_code == 302
    wire.carry()
    assert titles(page(operator)) == []


def test_rest_and_the_command_line_say_the_same_as_the_page(wire: Wire, viewer: Client) -> None:
    stuck(wire, "Nowhere", 2)
    body = viewer.get("/api/v1/overview/").json()
    assert (body["delayed"], body["dropped"], body["messages"], body["more"]) == (1, 0, 2, 0)
    (cause,) = body["causes"]
    assert cause["cause"] in titles(page(viewer))
    (diagnosis,) = diagnosed()
    assert {name: cause[name] for name in ("cause", "sentence", "messages", "conversations", "remedy_sql")} == {
        name: diagnosis[name] for name in ("cause", "sentence", "messages", "conversations", "remedy_sql")
    }
    assert {check["name"] for check in body["checks"] if check["has_failed"]} >= {"held"}


@pytest.mark.both_databases
def test_the_charts_say_what_was_counted_in_the_last_minute_and_what_waits_now(wire: Wire, viewer: Client) -> None:
    stuck(wire, "Nowhere", 2)
    sampled(OfSample.TRANSMISSION_QUEUE, [7, 7], back=1, oldest_age_ms=90_000)
    minute = now() // MINUTE_MS * MINUTE_MS - MINUTE_MS
    enqueued = next(event for event in EVENTS if event.number == 124)._replace(
        subclass=ConversationSubclass.RECEIVED_SEQUENCED_MESSAGE
    )
    for at in (minute, minute + MINUTE_MS):  # the minute may end between here and the page
        counts_add(counted("A", [(at, enqueued)] * 4))
        counts_add(latencies_counted("A", at, {9: 100}))
    text = page(viewer)
    assert "4 messages a minute arrive, 0 are delayed, 0 dropped" in text
    assert re.search(r"2 messages wait, the oldest \d+ s, in A/one", text)
    assert re.search(r"Half are acknowledged within \d+ ms, 95 in 100 within \d+ ms", text)
    lines = viewer.get(f"{PATH}overview.csv").getvalue().decode().splitlines()
    assert len(lines) == 62
    assert ",4,0,0," in lines[-1] or ",4,0,0," in lines[-2]
    assert lines[0].endswith(",waiting,oldest_waits_ms")
    assert [line for line in lines[-3:] if line.endswith(",7,90000")], "two minutes were looked at"


@pytest.mark.parametrize("as_json", [True, False])
def test_the_command_names_the_causes_with_their_remedies(
    wire: Wire, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    stuck(wire, "To", encryption=True)
    status.run(Namespace(diagnose=True, json=as_json))
    text = capsys.readouterr().out
    if as_json:
        (cause,) = json.loads(text)["causes"]
        fields = {"cause", "sentence", "conversations", "messages", "oldest_s", "remedy", "remedy_sql"}
        assert fields <= set(cause)
        assert cause["remedy_sql"] == "brokerui keys import A/one KEY_FILE --service To"
    else:
        assert re.search(r"A/one has no remote service binding for To: 1 message, the oldest \d+ s\n", text)
        assert "      brokerui keys import A/one KEY_FILE --service To\n" in text


def test_it_costs_as_many_queries_however_many_causes_there_are(wire: Wire, viewer: Client) -> None:
    def queries() -> int:
        for memory in (alerts, overview, rates):
            memory.forget()
        with CaptureQueriesContext(connection) as captured:
            page(viewer)
        return len(captured)

    stuck(wire, "Nowhere")
    queries()
    few = queries()
    for number in range(30):
        begun(f"Other{number}")
    wire.carry()
    assert queries() == few
    assert few <= 40


def test_a_poll_that_finds_nothing_new_is_empty(wire: Wire, viewer: Client) -> None:
    begun("To")
    headers: dict[str, Any] = {"HX-Request": "true"}
    first = viewer.get(PATH, headers=headers)
    assert first.status_code == 200
    assert 'id="overview-head" hx-swap-oob' in first.content.decode()
    second = viewer.get(PATH, headers={**headers, "If-None-Match": first.headers["ETag"]})
    assert second.status_code in {200, 304}  # 200 where the clock has gone on to the next minute between the two


@pytest.mark.django_db
def test_without_any_instance_it_says_how_to_get_one(db: None) -> None:
    text = page(signed_in(Role.EDITOR))
    assert headline(text) == "No instance is known yet"
    assert 'href="/imports/"' in text


# -- Real servers ------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_messages_of_real_servers_are_causes_with_server_and_moment(db: None) -> None:
    bring_in(row(NO_BINDING, 12), row(NOT_FOUND, 1_904), row("Etwas.", 1), days=40, routes=(TO_SHIP,))
    client = signed_in(Role.VIEWER)
    text = page(client)
    assert headline(text) == "3 causes hold back 1,917 messages"
    assert titles(text) == [
        "No route leads from shop/Orders to Ship",
        "shop/Orders has no remote service binding for Ship",
        "shop/Orders cannot send to Ship",
    ]
    assert "“Etwas.” This text is not in the catalogue." in text
    assert re.search(r'<span class="from">shop · <time', text)
    assert "Copy T-SQL" in text
    assert "1 of 2 is stale" in text  # as old as its collection, although the import was now
    body = client.get("/api/v1/overview/").json()
    assert [cause["kind"] for cause in body["causes"]] == ["collected"] * 3
    assert all(cause["collected_at"] for cause in body["causes"])
    assert {check["name"] for check in body["checks"]} == {
        *("queues", "brokers", "expiry", "errors", "fresh", "servers", "leaks")
    }


@pytest.mark.django_db
def test_conversations_that_nobody_ends_hold_nothing_back_yet(db: None) -> None:
    leak = {"service": "Mine", "far_service": "Ship", "state": "DI", "endpoints": 2_400_000}
    bring_in(endpoints=[leak])
    text = page(signed_in(Role.VIEWER))
    assert headline(text).startswith("No message is held back;")
    assert "2,400,000 conversations of Orders never close" in text
    assert "Most are of Mine." in text
    assert "Review the clean-up" in text


# -- Quiet -------------------------------------------------------------------------------------------------


def test_the_quiet_state_has_the_last_trouble_and_the_next_date(wire: Wire, viewer: Client) -> None:
    assert "Last trouble:" not in page(viewer)
    document = json.loads(json.dumps(DOCUMENT))
    route = document["instances"][0]["databases"][0]["routes"][1]
    route["lifetime"] = "2099-01-01T00:00:00Z"
    estate_import(estate=read_estate(json.dumps(document)), author="test")
    at = now()
    place = {"kind": "way", "instance": "A", "database": "one", "subject": "To", "author": "ada", "act": "retry"}
    Drain.objects.create(
        **place, began_at=at - 240_000, ended_at=at, left_at=at, messages=12, left=0, estimate_s=None, is_well=True
    )
    text = re.sub(r"<[^>]*>", "", page(viewer))
    assert re.search(r"Last trouble: A/one: To, .*12 messages, drained in 4 min", text)
    assert "Next date: route to of A/one expires, " in text


def test_the_largest_transmission_queues_have_lines_with_their_names(wire: Wire, viewer: Client) -> None:
    stuck(wire, "Nowhere", 2)
    named = {"instance": "B", "database": "two", "from_service": "To", "to_service": "Elsewhere"}
    handle = conversation_begin(**named, encryption=False).conversation_handle
    conversation_send(instance="B", handles=[handle], messages=[Message(b"x")])
    sampled(OfSample.TRANSMISSION_QUEUE, [5, 6], back=1)
    text = page(viewer)
    assert all(name in text for name in ("all 3", "A/one 2", "B/two 1"))


LOGGED = (
    "Error: 28054, Severity: 11, State: 1.",
    "Service Broker needs to access the master key in the database 'Orders'. Error code:25.",
)


def log_of(server: str, day: int, editor: Client) -> None:
    """Give the log of a server, with an error twice on this day."""
    line = "2026-11-{day} 08:{minute}:00.00 spid28s     {text}\n"
    log = "".join(line.format(day=day, minute=minute, text=text) for minute in (10, 11) for text in LOGGED)
    log += line.format(day=24, minute=12, text="The Service Broker endpoint is in listening mode.")
    body = {"server": server, "content": log, "collected_at": "2026-11-24T09:00:00Z"}
    kept = editor.post("/api/v1/collections/", body, content_type="application/json")
    assert kept.status_code == 201, kept.content.decode()


@pytest.mark.django_db
def test_errors_of_a_log_are_causes_with_lines_next_step_and_moment(db: None) -> None:
    """Only those whose meaning is known, of the last log of each server."""
    editor = signed_in(Role.EDITOR)
    log_of("sqlprod01", 24, editor)
    found = editor.get("/api/v1/overview/").json()
    (shown,) = found["causes"]
    assert (shown["kind"], shown["cause"]) == ("logged", "sqlprod01 logged error 28054 2 times")
    assert "master key" in shown["sentence"]
    assert "Last at 2026-11-24 08:11:00 by its own clock." in shown["sentence"]
    assert (shown["instance"], shown["collected_at"]) == ("sqlprod01", "2026-11-24T09:00:00Z")
    assert (shown["messages"], shown["log_lines"], shown["logged_last"]) == (0, 2, "2026-11-24 08:11:00.00")
    assert (found["delayed"], found["messages"], found["forthcoming"]) == (0, 0, [])
    overview.forget()
    text = page(editor)
    assert "Real servers logged 1 error; no message is known to be held back" in text
    assert "sqlprod01 logged error 28054 2 times" in text
    assert re.search(r'2 <span class="log-lines"> ?log lines ?</span>', text)
    assert re.search(r'href="/servers/[^"]+"[^>]*>See the server', text)


@pytest.mark.django_db
def test_an_error_that_was_logged_days_ago_holds_nothing_back_yet(db: None) -> None:
    editor = signed_in(Role.EDITOR)
    log_of("sqlprod02", 21, editor)
    found = editor.get("/api/v1/overview/").json()
    (shown,) = [one for one in found["forthcoming"] if one["kind"] == "logged"]
    assert (shown["title"], found["causes"]) == ("sqlprod02 logged error 28054 2 times", [])
    assert "Last at 2026-11-21 08:11:00 by its own clock." in shown["sentence"]


def test_the_lead_names_logged_errors_that_the_headline_does_not_count(wire: Wire) -> None:
    stuck(wire, "Nowhere")
    editor = signed_in(Role.EDITOR)
    log_of("sqlprod03", 24, editor)
    text = page(editor)
    assert "1 cause holds back 1 message" in text
    assert "Real servers logged 1 more error." in text
