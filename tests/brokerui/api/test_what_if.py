"""What if: the engine's own account, before and after edits that are only tried."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from brokerui.estate.selectors import estate_current
from routing.documents.estate_document import write_estate
from tests.brokerui.api.helpers import API, QUESTION, send

pytestmark = pytest.mark.usefixtures("shared_small")
WHATIF = f"{API}/whatif/"
DROP = {"edit": "drop_route", "instance": "hub", "database": "Sales", "name": "ToFar"}
MSDB = {
    "edit": "put_route",
    "instance": "far/away",
    "database": "msdb",
    "route": {"name": "AutoCreatedLocal", "address": "LOCAL"},
}


def kinds(outcomes: Any) -> list[str]:
    return [outcome["outcome"] for outcome in outcomes]


def test_every_outcome_with_every_rule(viewer: Client) -> None:
    answer = send(viewer, "post", WHATIF, QUESTION).json()
    assert answer["version"] == 1
    assert kinds(answer["outcomes"]) == ["dropped"]
    assert "before" not in answer
    assert [rule["rule"] for rule in answer["hops"][0]["rules"]][:2] == ["MATCH-1", "MATCH-2"]


def test_edits_are_tried_out_and_nothing_is_written(viewer: Client) -> None:
    document = write_estate(estate_current().estate)
    answer = send(viewer, "post", WHATIF, {**QUESTION, "edits": [MSDB]}).json()
    assert (kinds(answer["outcomes"]), kinds(answer["before"]["outcomes"])) == (["delivered"], ["dropped"])
    assert answer["verdict"] == "must_deliver"
    after = send(viewer, "post", WHATIF, {**QUESTION, "edits": [MSDB, DROP]}).json()
    assert kinds(after["outcomes"]) == ["delayed"]
    assert write_estate(estate_current().estate) == document


def test_at_another_moment_and_of_another_estate(viewer: Client) -> None:
    later = send(viewer, "post", WHATIF, {**QUESTION, "at": "2031-01-01T00:00:00Z"}).json()
    assert (kinds(later["outcomes"]), later["at"]) == (["delayed"], "2031-01-01T00:00:00Z")
    example = {"conversation": {"from": {"instance": "host1", "database": "Orders"}, "to_service": "OrderParts"}}
    named = viewer.get(f"{API}/databases/?scenario=1-default").json()["results"][0]
    example["conversation"]["from"] = {"instance": named["instance"], "database": named["name"]}
    answer = send(viewer, "post", WHATIF, {**example, "scenario": "1-default"})
    assert (answer.status_code, answer.json()["version"]) == (200, 0)
    assert send(viewer, "post", WHATIF, {**QUESTION, "as_of": "1"}).json()["version"] == 1


def test_a_conversation_may_begin_at_what_the_edits_add(viewer: Client) -> None:
    put = {"edit": "put_instance", "instance": {"name": "new", "databases": [{"name": "D"}]}}
    question = {"conversation": {"from": {"instance": "new", "database": "D"}, "to_service": "Ship"}, "edits": [put]}
    answer = send(viewer, "post", WHATIF, question).json()
    assert (kinds(answer["outcomes"]), answer["before"]) == (["delayed"], None)


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({}, "conversation"),
        ([], ""),
        ({"conversation": {"from": {"outside": "none"}, "to_service": "S"}}, "from"),
        ({"conversation": {"from": {"outside": "hub"}, "to_service": ""}}, "conversation.to_service"),
        ({**QUESTION, "edits": [DROP, DROP]}, "edits[1].route"),
        ({**QUESTION, "edits": [{"edit": "no"}]}, "edits[0].edit"),
        ({**QUESTION, "edits": [DROP] * 1001}, "edits[1000]"),
        ({**QUESTION, "scenario": "none"}, "scenario"),
        ({**QUESTION, "scenario": "a\0b"}, "scenario"),
        ({**QUESTION, "as_of": "99"}, "as_of"),
        ({**QUESTION, "at": 5}, "at"),
        ({**QUESTION, "more": 5}, ""),
    ],
)
def test_what_is_wrong_is_named(viewer: Client, body: Any, name: str) -> None:
    refused = send(viewer, "post", WHATIF, body)
    assert (refused.status_code, refused.json()["errors"][0]["name"]) == (422, name)
