"""The page Delayed shows messages that waited on real servers: cause, next step, age, and how old that is."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from brokerui.estate.services import estate_import
from routing.common.moment import format_moment
from routing.documents.estate_document import read_estate

REFUSED = "Connection attempt failed with error: '10061(refused)'."


NOT_FOUND = "The target service name could not be found."
NO_BINDING = "Dialog security is not available because there is no remote service binding for the target service."
LOCAL = {"name": "AutoCreatedLocal", "address": "LOCAL"}
TO_SHIP = {"name": "ToShip", "remote_service_name": "Ship", "address": "tcp://depot:4022"}
BACK = {"name": "Back", "remote_service_name": "Mine", "address": "tcp://shop:4022"}
PARTS = {"name": "Parts", "services": ["Ship"], "routes": [LOCAL, BACK]}
MSDB = {"name": "msdb", "routes": [LOCAL]}


def bring_in(
    *rows: dict[str, Any],
    days: int = 0,
    endpoints: list[dict[str, Any]] | None = None,
    routes: tuple[dict[str, Any], ...] = (),
) -> None:
    at = timezone.now().replace(microsecond=0) - timedelta(days=days)
    queue = {"collected_at": format_moment(at), "rows": list(rows)}
    orders = {"name": "Orders", "services": ["Mine"], "routes": [LOCAL, *routes], "transmission_queue": queue}
    if endpoints is not None:
        orders["conversation_endpoints"] = {"collected_at": format_moment(at), "rows": endpoints}
    instances = [
        {"name": "shop", "addresses": ["tcp://shop:4022"], "databases": [orders, {"name": "Never"}, MSDB]},
        {"name": "depot", "addresses": ["tcp://depot:4022"], "databases": [PARTS, MSDB]},
    ]
    text = json.dumps({"format": "brokerui.estate/1", "instances": instances})
    estate_import(estate=read_estate(text), author="import")


def page(client: Client) -> str:
    response = client.get("/delayed/", headers={"HX-Request": "true"})
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def row(status: str, messages: int, to: str = "Ship") -> dict[str, Any]:
    return {"messages": messages, "status": status, "to_service": to, "oldest": "2026-06-01T10:00:00Z"}


@pytest.mark.django_db
def test_a_row_for_each_service_and_status(client: Client) -> None:
    bring_in(row(REFUSED, 12), row("Etwas anderes.", 1), row("Target queue is busy; message(s) queued.", 700))
    text = page(client)
    assert "713 messages waited on real servers when they were asked." in text
    assert "The host answers, and nobody listens at that port." in text
    assert "This text is not in the catalogue." in text
    assert "“Etwas anderes.”" in text
    assert text.index("10061") < text.index("Etwas anderes") < text.index("Target queue is busy"), "persons first"
    assert "/where/?from=shop%2FOrders&amp;to=Ship" in text
    assert "mark-old" not in text


@pytest.mark.django_db
def test_an_old_collection_is_marked(client: Client) -> None:
    bring_in(row(REFUSED, 12), days=60)
    assert "mark-old" in page(client)


@pytest.mark.django_db
def test_without_any_the_page_is_as_before(client: Client) -> None:
    text = page(client)
    assert "No conversation is delayed." in text
    assert "Collected from servers" not in text


@pytest.mark.django_db
def test_many_rows_are_bounded(client: Client) -> None:
    bring_in(*(row(REFUSED, 1, f"S{number}") for number in range(140)))
    text = page(client)
    assert text.count('id="collected-') == 101, "a hundred rows and the title"
    assert "40 more rows are among the findings." in text


@pytest.mark.django_db
def test_asked_and_empty_is_told_with_its_moment(client: Client) -> None:
    bring_in()
    assert "In 1 database no message waited when its server was asked, at 20" in page(client)


@pytest.mark.django_db
def test_conversations_by_state_with_count_and_age(client: Client) -> None:
    leak = {"endpoints": 48_624, "state": "DI", "service": "Mine", "far_service": "Ship"}
    bring_in(endpoints=[{"endpoints": 3, "state": "CO", "service": "Few"}, leak], days=60)
    text = page(client)
    assert "Conversations on real servers" in text
    assert text.index("48,624") < text.index("CONVERSING"), "the largest first"
    assert "DISCONNECTED_INBOUND</b><br>The other side has ended, and the application here has not.<br>Let the" in text
    assert "CONVERSING</b><br>Under way: neither side has ended.</td>" in text, "few need no step"
    assert "mark-old" in text


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("status", "sql", "says"),
    [
        (NO_BINDING, "CREATE REMOTE SERVICE BINDING [To Ship]", "It was not tried: no estate has keys"),
        ("The login 'X$' does not have CONNECT permission on the endpoint.", "GRANT CONNECT ON ENDPOINT", "not tried"),
        (REFUSED, "sys.tcp_endpoints", "It changes nothing and shows where to look."),
    ],
)
def test_a_row_has_the_statement_for_its_status(client: Client, status: str, sql: str, says: str) -> None:
    bring_in(row(status, 12), routes=(TO_SHIP,))
    text = page(client)
    assert sql in text
    assert says in text
    assert "Once that is mended, routing delivers it in <b>Parts</b> on <b>depot</b>." in text


@pytest.mark.django_db
def test_a_row_of_routing_has_the_remedy_that_the_engine_tried(client: Client) -> None:
    bring_in(row(NOT_FOUND, 3), row(NOT_FOUND, 2, "Nobody's"))
    text = page(client)
    assert text.count("What mends it") == 1, "no database has the other service"
    assert "WITH SERVICE_NAME = N'Ship', ADDRESS = N'tcp://depot:4022'" in unescape(text)
    assert "With this: delivered in <b>Parts</b> on <b>depot</b>." in text
