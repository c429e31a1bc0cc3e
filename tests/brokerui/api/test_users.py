"""`users/` and `instance_groups/`: the roles of users for groups of instances, for administrators."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from brokerui.accounts.instance_groups import group_save, groups_of
from brokerui.accounts.levels import Role
from brokerui.estate.models import AuditEntry
from tests.brokerui.site import signed_in, user_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator() -> User:
    for name in ("north", "south"):
        group_save(name=name, instances=[f"{name}1", f"{name}2"], author="test")
    return user_of(Role.OPERATOR)


@pytest.fixture
def administrator() -> Client:
    return signed_in(Role.ADMINISTRATOR)


def changed(client: Client, user: User, *groups: dict[str, Any]) -> Any:
    url = f"/api/v1/users/{user.pk}/"
    headers = {"If-Match": client.get(url).headers["ETag"]}
    return client.patch(url, {"groups": list(groups)}, content_type="application/json", headers=headers)


def test_a_user_gets_roles_for_groups(administrator: Client, operator: User) -> None:
    answer = changed(administrator, operator, {"group": "north"}, {"group": "south", "role": "viewer"})
    assert answer.status_code == 200, answer.content.decode()
    expected = [{"group": "north", "role": None}, {"group": "south", "role": "viewer"}]
    assert (answer.json()["role"], answer.json()["groups"]) == ("operator", expected)
    assert {group.name: role for group, role in groups_of(operator).items()} == {"north": None, "south": Role.VIEWER}
    [listed] = [one for one in administrator.get("/api/v1/users/").json()["results"] if one["name"] == "operator"]
    assert listed == administrator.get(f"/api/v1/users/{operator.pk}/").json() == answer.json()
    assert AuditEntry.objects.get(action="user.instances").note == "operator: north, south: viewer"
    assert changed(administrator, operator).json()["groups"] == []


@pytest.mark.parametrize(
    ("groups", "pointer", "words"),
    [
        ([{"group": "west"}], "groups[0].group", "no such group"),
        ([{"group": "north"}, {"group": "north", "role": "viewer"}], "groups[1].group", "twice"),
        ([{"group": "north", "role": "editor"}], "groups[0].role", "more than the role"),
        ([{"group": "north", "role": "emperor"}], "groups[0].role", "emperor"),
    ],
)
def test_a_role_that_cannot_be_is_refused_with_its_place(
    administrator: Client, operator: User, groups: list[dict[str, Any]], pointer: str, words: str
) -> None:
    answer = changed(administrator, operator, *groups)
    text = answer.content.decode()
    assert (answer.status_code, groups_of(operator)) == (422, {})
    assert pointer in text
    assert words in text


def test_the_groups_have_their_instances(administrator: Client, operator: User) -> None:
    found = administrator.get("/api/v1/instance_groups/").json()
    assert [(one["name"], one["instances"]) for one in found["results"]] == [
        ("north", ["north1", "north2"]),
        ("south", ["south1", "south2"]),
    ]


def test_a_change_takes_what_was_read_and_an_administrator(administrator: Client, operator: User) -> None:
    url, body = f"/api/v1/users/{operator.pk}/", {"groups": []}
    assert administrator.patch(url, body, content_type="application/json").status_code == 428
    stale = {"If-Match": '"other"'}
    assert administrator.patch(url, body, content_type="application/json", headers=stale).status_code == 412
    assert administrator.get("/api/v1/users/999999/").status_code == 404
    assert administrator.get("/api/v1/users/x/").status_code == 404
    editor = signed_in(Role.EDITOR)
    assert {editor.get(path).status_code for path in (url, "/api/v1/users/", "/api/v1/instance_groups/")} == {403}
