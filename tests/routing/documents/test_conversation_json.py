"""Conversations as JSON objects, there and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from routing.common.errors import Invalid
from routing.documents.conversation_json import conversation_as_json, conversation_from, entry_as_json
from routing.model.conversation import Conversation
from tests.strategies import Case, cases

ID = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"
BEGUN = {"instance": "a", "database": "d"}


def question(**members: Any) -> dict[str, Any]:
    return {"from": BEGUN, "to_service": "S", **members}


def test_what_is_left_out_has_its_default() -> None:
    assert conversation_from(question()) == Conversation("a", "d", "S", None, False, None, None)


def test_everything_may_be_given() -> None:
    given = question(id=7, to_broker_instance=f"{{{ID.upper()}}}", is_reply=True, from_service="Own")
    assert conversation_from(given) == Conversation("a", "d", "S", ID, True, "Own", 7)


def test_a_message_from_outside_begins_in_no_database() -> None:
    conversation = conversation_from({"from": {"outside": "a"}, "to_service": "S"})
    assert (conversation.instance, conversation.database, conversation.from_outside) == ("a", None, True)


@given(cases())
def test_reading_what_was_written_is_the_identity(case: Case) -> None:
    for one in case.conversations:
        conversation = conversation_from(one)
        assert conversation_from(conversation_as_json(conversation)) == conversation


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (None, "must be an object, not null"),
        ({}, "from: is missing"),
        (question(to_service=None), "to_service: must be a string, not null"),
        (question(to_service="a\0"), "to_service: holds a NUL or half a surrogate pair"),
        (question(id=1.5), "id: must be a string or a whole number, not 1.5"),
        (question(is_reply=None), "is_reply: must be true or false, not null"),
        (question(from_service=3), "from_service: must be a string, not 3"),
        (question(to_broker_instance=""), 'to_broker_instance: must be a GUID (8-4-4-4-12 hex digits), not ""'),
        ({"from": {}, "to_service": "S"}, "from.instance: is missing"),
        ({"from": {"instance": "a", "database": None}, "to_service": "S"}, "from.database: must be a string, not null"),
        ({"from": {"outside": None}, "to_service": "S"}, "from.outside: must be a string, not null"),
    ],
)
def test_what_is_wrong_is_said_with_its_key(value: object, says: str) -> None:
    with pytest.raises(Invalid) as caught:
        conversation_from(value)
    assert str(caught.value) == says


@pytest.mark.parametrize(("database", "shown"), [("d", BEGUN), (None, {"outside": "a"})])
def test_an_entry_point_is_shown_as_it_is_asked_for(database: str | None, shown: object) -> None:
    assert entry_as_json("a", database) == shown
