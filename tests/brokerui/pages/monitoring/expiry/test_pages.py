"""The page *Expiry* on routes with lifetimes, and on conversations and timers of hosted instances."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from brokerui.accounts.levels import Role
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from brokerui.messaging.clock import now
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.services import conversation_timer_start
from routing.model.edits import PutRoute
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.pages.monitoring.conftest import begun
from tests.brokerui.pages.monitoring.test_pages import page, rows
from tests.brokerui.site import signed_in

EXPIRY = "/expiry/"
HOUR_MS = 3_600_000


@pytest.fixture
def expiring(wire: Wire) -> None:
    """The route of A to the service To ends in five hours, and that of B back in ten days."""
    live = estate_current()
    tables = {name: live.estate.instances[name].tables[database] for name, database in (("A", "one"), ("B", "two"))}
    soon = replace(tables["A"].routes["to"], lifetime=timezone.now() + timedelta(hours=5))
    later = replace(tables["B"].routes["from"], lifetime=timezone.now() + timedelta(days=10))
    edits = [PutRoute("A", "one", soon), PutRoute("B", "two", later)]
    estate_edit(edits=edits, base_version=live.version, author="test", note="")


def test_nothing_expires(viewer: Client, wire: Wire) -> None:
    text = page(viewer, EXPIRY)
    assert "No route expires within 7 days." in text
    assert "Nothing expires in this time" in text


@pytest.mark.django_db
def test_an_empty_estate_has_a_next_step_and_nothing_that_is_well() -> None:
    texts = {role: page(signed_in(role), EXPIRY) for role in (Role.EDITOR, Role.VIEWER)}
    assert all("The live estate is empty" in text and "No route expires" not in text for text in texts.values())
    assert all("verdict good" not in text for text in texts.values())
    assert "Import your instances" in texts[Role.EDITOR]
    assert "Choose a scenario" in texts[Role.VIEWER]


@pytest.mark.usefixtures("expiring")
def test_a_route_says_when_it_ends_and_which_conversations_then_end_otherwise(viewer: Client, wire: Wire) -> None:
    for _ in range(3):
        begun("To")
    text = page(viewer, EXPIRY)
    assert "UTC: route to of A/one expires; 3 conversations here are delayed from then on." in text
    assert "Within 7 days 1 route expires; conversations get worse with 1 of them" in text
    assert "kinds of conversation get worse" in text
    assert "from" not in [row["name"] for row in rows(viewer, f"{EXPIRY}expiry.csv")]
    both = rows(viewer, f"{EXPIRY}expiry.csv", within="30d")
    assert [(row["kind"], row["name"], row["outcome"]) for row in both][:1] == [("route", "to", "delayed")]
    assert [row["name"] for row in both if row["kind"] == "route"] == ["to", "from"]
    assert "Draft: keep it" not in text
    (route,) = viewer.get("/api/v1/expiries/", {"within_hours": 24}).json()["routes"]
    assert (route["name"], route["hosted"]) == ("to", [{"outcome": "delayed", "conversations": 3}])
    assert "kinds of conversation get worse" in route["effect"]


@pytest.mark.usefixtures("expiring")
def test_one_click_makes_a_draft_that_keeps_the_route() -> None:
    editor = signed_in(Role.EDITOR)
    text = page(editor, EXPIRY)
    value = unescape(text.partition('name="remedy" value="')[2].partition('"')[0])
    assert "CREATE ROUTE" in json.loads(value)["sql"]
    assert "LIFETIME" not in json.loads(value)["sql"]
    response = editor.post("/changes/remedy/", {"remedy": value}, follow=True)
    assert response.status_code == 200
    assert "Remedy: to" in response.content.decode()


def test_lifetimes_and_timers_are_rows_too(viewer: Client, wire: Wire) -> None:
    one, other = begun("To"), begun("To")
    conversation_timer_start(instance="A", handle=one, timeout_s=3_600)
    end = now() + 2 * HOUR_MS
    ConversationEndpoint.objects.filter(conversation_handle=other).update(lifetime=end, due=end)
    kinds = {row["kind"]: row["name"] for row in rows(viewer, f"{EXPIRY}expiry.csv", within="24h")}
    assert kinds == {"timer": "1 timer", "lifetime": "1 conversation"}
