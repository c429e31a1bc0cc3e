"""`brokerui user`, in this process."""

from __future__ import annotations

import json

import pytest

from brokerui.accounts.instance_groups import limit_of
from brokerui.accounts.levels import Level, Role
from brokerui.estate.services import estate_import
from routing.documents.estate_document import read_estate
from tests.brokerui.cli.command_line import Call, call_with, refused
from tests.brokerui.site import document, user_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


def test_a_role_is_for_the_instances_of_a_group_until_it_is_for_all_again(call: Call) -> None:
    user = user_of(Role.OPERATOR)
    estate_import(estate=read_estate(document("a", "b")), author="test")
    assert call("user", "group", "north", "a").out == "Saved: north.\n"
    assert call("user", "groups").out == "north: a\n"
    assert call("user", "limit", "operator", "north").out == "operator: operator, north\n"
    assert limit_of(user, Level.OPERATE) == {"a"}
    [listed] = json.loads(call("user", "list", "--json").out)
    assert listed == {"user": "operator", "role": "operator", "is_active": True, "groups": ["north"], "roles": {}}
    assert json.loads(call("user", "groups", "--json").out)[0]["users"] == ["operator"]
    assert call("user", "limit", "operator").out == "operator: operator, all instances\n"
    assert limit_of(user, Level.OPERATE) is None


def test_a_lower_role_is_for_a_group_of_its_own(call: Call) -> None:
    user = user_of(Role.OPERATOR)
    estate_import(estate=read_estate(document("a", "b")), author="test")
    call("user", "group", "north", "a")
    call("user", "group", "x=viewer", "b")
    limited = call("user", "limit", "operator", "north", "x=viewer=viewer").out
    assert limited == "operator: operator, north, x=viewer: viewer\n"
    assert (limit_of(user, Level.OPERATE), limit_of(user, Level.VIEW)) == ({"a"}, {"a", "b"})
    assert json.loads(call("user", "list", "--json").out)[0]["roles"] == {"x=viewer": "viewer"}
    assert "more than the role" in refused(call("user", "limit", "operator", "north=editor"))
    assert call("user", "limit", "operator", "north=operator").out == "operator: operator, north: operator\n"


def test_unknown_names_are_refused(call: Call) -> None:
    user_of(Role.OPERATOR)
    assert "no instance of this name" in refused(call("user", "group", "north", "x"))
    assert "no group of this name" in refused(call("user", "limit", "operator", "south"))
    assert "no user of this name" in refused(call("user", "limit", "nobody"))
