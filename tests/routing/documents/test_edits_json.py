"""Edits as JSON: every kind goes out and comes back the same, and an error has its path."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from routing.common.errors import Invalid
from routing.documents.edits_json import edit_as_json, edit_from, edits_as_json, edits_from
from routing.documents.estate_document import write_estate
from routing.model import edits
from routing.model.estate import Edit, Estate
from tests.strategies.rich import edited

LOCAL = {"name": "R", "address": "LOCAL"}


@given(edited())
def test_edits_survive_their_json(drawn: tuple[Estate, list[Edit]]) -> None:
    estate, made = drawn
    text = json.dumps(edits_as_json(made))
    again = edits_from(json.loads(text))
    assert list(again) == made
    # Equal addresses may be spelt differently: the documents are compared too.
    assert write_estate(estate.edited(again)) == write_estate(estate.edited(made))
    assert json.dumps(edits_as_json(again)) == text


def test_the_keys_are_those_of_the_documents() -> None:
    put = {"edit": "put_route", "instance": "here", "database": "Orders", "route": {**LOCAL, "address": " local "}}
    assert edit_as_json(edit_from(put)) == {
        "edit": "put_route",
        "instance": "here",
        "database": "Orders",
        "route": {
            "name": "R",
            "remote_service_name": None,
            "broker_instance": None,
            "lifetime": None,
            "address": " local ",
            "mirror_address": None,
        },
    }
    assert edit_as_json(edits.SetBroker("here", "Orders", False)) == {
        "edit": "set_broker",
        "instance": "here",
        "database": "Orders",
        "enabled": False,
    }


def test_every_kind_of_edit_has_a_name() -> None:
    kinds = {kind for kind in vars(edits).values() if hasattr(kind, "apply") and kind.__module__ == edits.__name__}
    named = {type(edit_from(example)) for example in EXAMPLES}
    assert named == kinds


EXAMPLES: list[dict[str, Any]] = [
    {"edit": "put_route", "instance": "i", "database": "d", "route": LOCAL},
    {"edit": "drop_route", "instance": "i", "database": "d", "name": "R"},
    {"edit": "put_service", "instance": "i", "database": "d", "service": "S"},
    {"edit": "drop_service", "instance": "i", "database": "d", "name": "S"},
    {"edit": "put_database", "instance": "i", "database": {"name": "d", "routes": [LOCAL]}},
    {"edit": "drop_database", "instance": "i", "name": "d"},
    {"edit": "put_instance", "instance": {"name": "i", "databases": [{"name": "d"}]}},
    {"edit": "drop_instance", "name": "i"},
    {"edit": "set_forwarding", "instance": "i", "forwarding": True},
    {"edit": "set_broker", "instance": "i", "database": "d", "enabled": False},
    {"edit": "set_mirroring_role", "instance": "i", "database": "d", "mirroring_role": "MIRROR"},
    {"edit": "set_queue", "instance": "i", "database": "d", "queue": "dbo.Q", "enabled": True},
    {"edit": "set_hop_limit", "hop_limit": 3},
]
KINDS = ", ".join(example["edit"] for example in EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example["edit"]))
def test_every_key_is_needed_and_no_other_is_known(example: dict[str, Any]) -> None:
    for key in example:
        with pytest.raises(Invalid, match=f"^{key}: is missing"):
            edit_from({other: value for other, value in example.items() if other != key})
    with pytest.raises(Invalid, match='has the unknown key "more"'):
        edit_from({**example, "more": 1})


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "must be an object, not null"),
        ({"edit": "move_route"}, f'edit: must be one of {KINDS}, not "move_route"'),
        ({"edit": []}, f"edit: must be one of {KINDS}, not an array"),
        ({"edit": "drop_instance", "name": 1}, "name: must be a string, not 1"),
        ({**EXAMPLES[0], "route": {"name": "R", "address": "ftp:"}},
         'route.address: must be LOCAL, TRANSPORT or tcp://HOST[:PORT], not "ftp:"'),
        ({"edit": "put_instance", "instance": {"name": "i", "databases": [{"name": "d"}, {"name": "d"}]}},
         'instance.databases[1].name: stands twice: "d"'),
        ({"edit": "put_database", "instance": "i", "database": {"name": "d", "queues": [{"name": "q"}, 7]}},
         "database.queues[1]: must be an object, not 7"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_path(value: Any, problem: str) -> None:
    with pytest.raises(Invalid) as caught:
        edit_from(value)
    assert str(caught.value) == problem


def test_in_a_list_the_path_begins_with_the_index() -> None:
    with pytest.raises(Invalid) as caught:
        edits_from([EXAMPLES[0], {"edit": "set_hop_limit", "hop_limit": "3"}])
    assert caught.value.path == "[1].hop_limit"
