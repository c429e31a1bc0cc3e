"""`collected/`: what servers showed of messages that wait and of conversations, with cause and next step."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from brokerui.estate.services import estate_import
from routing.documents.estate_document import read_estate
from tests.brokerui.api.helpers import API

REFUSED = "Connection attempt failed with error: '10061(refused)'."
LOCAL = {"name": "AutoCreatedLocal", "address": "LOCAL"}
AT = "2026-06-01T12:00:00Z"


@pytest.fixture
def collected(admin_client: Client) -> Client:
    to_ship = {"name": "ToShip", "remote_service_name": "Ship", "address": "tcp://depot:4022"}
    rows = [
        {"messages": 12, "status": REFUSED, "to_service": "Ship", "oldest": "2026-06-01T10:00:00Z"},
        {"messages": 3, "status": "", "to_service": "Ship", "from_service": "Mine"},
        {"messages": 1, "status": "Etwas anderes."},
    ]
    states = [
        {"endpoints": 7, "state": "DI", "service": "Mine", "far_service": "Ship"},
        {"endpoints": 1, "state": "XX"},
    ]
    orders = {
        "name": "Orders",
        "services": ["Mine"],
        "routes": [LOCAL, to_ship],
        "transmission_queue": {"collected_at": AT, "rows": rows},
        "conversation_endpoints": {"collected_at": AT, "rows": states},
    }
    parts = {"name": "Parts", "services": ["Ship"], "routes": [LOCAL]}
    msdb = {"name": "msdb", "routes": [LOCAL]}
    instances = [
        {"name": "shop", "addresses": ["tcp://shop:4022"], "databases": [orders, msdb]},
        {"name": "depot", "addresses": ["tcp://depot:4022"], "databases": [parts, msdb]},
    ]
    estate_import(
        estate=read_estate(json.dumps({"format": "brokerui.estate/1", "instances": instances})), author="import"
    )
    return admin_client


def results(client: Client, query: str) -> list[dict[str, Any]]:
    response = client.get(f"{API}/collected/{query}")
    assert response.status_code == 200
    found: list[dict[str, Any]] = response.json()["results"]
    return found


@pytest.mark.django_db
def test_messages_with_cause_and_next_step(collected: Client) -> None:
    refused, blank, unknown = results(collected, "transmission_queue/")
    assert (refused["instance"], refused["database"], refused["collected_at"]) == ("shop", "Orders", AT)
    assert (refused["messages"], refused["transmission_status"], refused["age_s"]) == (12, REFUSED, 7200)
    assert (refused["number"], refused["code"], refused["severity"]) == (10061, "connection-failed", "warning")
    assert refused["cause"] == "The host answers, and nobody listens at that port."
    assert (blank["number"], blank["code"], blank["from_service_name"]) == (None, "not-acknowledged", "Mine")
    assert "no route leads to Mine" in blank["next_step"]
    assert (unknown["code"], unknown["to_service_name"], unknown["age_s"]) == ("messages-wait", None, None)


@pytest.mark.django_db
def test_conversations_by_service_and_state(collected: Client) -> None:
    ended, unknown = results(collected, "conversation_endpoints/")
    assert (ended["service_name"], ended["far_service"], ended["state_desc"]) == (
        "Mine",
        "Ship",
        "DISCONNECTED_INBOUND",
    )
    assert (ended["endpoints"], ended["meaning"][:24]) == (7, "The other side has ended")
    assert (unknown["state"], unknown["state_desc"], unknown["meaning"]) == ("XX", None, None)


@pytest.mark.django_db
def test_filters_and_pages(collected: Client) -> None:
    assert len(results(collected, "transmission_queue/?to_service_name=Ship")) == 2
    assert results(collected, "transmission_queue/?instance=depot") == []
    page = collected.get(f"{API}/collected/transmission_queue/?limit=1").json()
    assert (page["count"], [one["messages"] for one in page["results"]]) == (3, [12])
    following = collected.get(page["next"]).json()
    assert [one["messages"] for one in following["results"]] == [3]


@pytest.mark.django_db
def test_rows_are_of_their_version(collected: Client) -> None:
    estate_import(estate=read_estate('{"format": "brokerui.estate/1"}'), author="import")
    assert results(collected, "transmission_queue/") == []
    assert len(results(collected, "transmission_queue/?as_of=1")) == 3


@pytest.mark.django_db
def test_a_database_that_is_edited_keeps_them(collected: Client) -> None:
    (one,) = (
        row for row in collected.get(f"{API}/databases/?instance=shop").json()["results"] if row["name"] == "Orders"
    )
    etag = collected.get(f"{API}/databases/{one['id']}/").headers["ETag"]
    changed = {"broker_enabled": False}
    address = f"{API}/databases/{one['id']}/"
    response = collected.patch(
        address, json.dumps(changed), content_type="application/json", headers={"If-Match": etag}
    )
    assert response.status_code == 200, response.content
    assert len(results(collected, "transmission_queue/")) == 3
