"""`/api/v1/events/`: pages by key, filters, and problem documents for invalid ones."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from brokerui.accounts.levels import Role
from tests.brokerui.eventlog.test_selectors import HOUR_AT, tell
from tests.brokerui.site import signed_in

pytestmark = pytest.mark.django_db
EVENTS = "/api/v1/events/"
MOMENT = datetime.fromtimestamp(HOUR_AT / 1000, UTC).isoformat()


def ask(**options: Any) -> Any:
    return signed_in(Role.VIEWER).get(EVENTS, options)


def test_an_event_has_its_columns_and_what_is_not_there_is_null() -> None:
    tell(1, times=3)
    (row,) = ask().json()["results"]
    assert row.pop("host_name")
    assert row == {
        "event_class": 160,
        "event_name": "Broker:Message Undeliverable",
        "event_subclass": 1,
        "instance": "A",
        "database_name": "db",
        "error": 11209,
        "why": "a message came for which there is no conversation here",
        "target": "S",
        "address": None,
        "text_data": "1",
        "occurrences": 3,
        "first_at": MOMENT,
        "last_at": MOMENT,
        "conversation_id": "c1",
        "conversation_handle": "h",
    }


def test_pages_follow_each_other() -> None:
    for number in range(5):
        tell(number, at=number)
    first = ask(limit=3).json()
    assert [row["text_data"] for row in first["results"]] == ["4", "3", "2"]
    second = signed_in(Role.VIEWER).get(first["next"]).json()
    assert [row["text_data"] for row in second["results"]] == ["1", "0"]
    assert (second["next"], second["count"]) == (None, None)


def test_what_is_asked_for_is_what_comes() -> None:
    tell(1)
    tell(2, at=1000, event_class=161, error=0, instance="B")
    later = datetime.fromtimestamp(HOUR_AT / 1000 + 1, UTC).isoformat()
    for parameters, expected in (
        ({"event_class": "161"}, ["2"]),
        ({"event_class": "Broker:Corrupted Message"}, ["2"]),
        ({"error": "11209"}, ["1"]),
        ({"instance": "A"}, ["1"]),
        ({"database": "db"}, ["2", "1"]),
        ({"target": "other"}, []),
        ({"since": later}, ["2"]),
        ({"until": later}, ["1"]),
    ):
        assert [row["text_data"] for row in ask(**parameters).json()["results"]] == expected, parameters


def test_what_has_not_changed_is_not_sent_again() -> None:
    tell(1)
    viewer = signed_in(Role.VIEWER)
    tag = viewer.get(EVENTS)["ETag"]
    assert viewer.get(EVENTS, headers={"If-None-Match": tag}).status_code == 304
    tell(1)
    assert viewer.get(EVENTS, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize(
    "parameters",
    [
        *({"event_class": "124x"}, {"event_class": "136"}, {"error": "-1"}, {"cursor": "x"}, {"cursor": "WyJhIiwxXQ"}),
        *({"since": "yesterday"}, {"conversation_id": "7"}, {"colour": "red"}),
    ],
    ids=str,
)
def test_what_is_no_question_is_a_problem(parameters: dict[str, str]) -> None:
    response = ask(**parameters)
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")
    assert next(iter(parameters)) in response.content.decode()


def test_strangers_see_nothing() -> None:
    assert Client().get(EVENTS).status_code == 401
