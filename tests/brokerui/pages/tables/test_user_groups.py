"""The form of a user: a role for each group of instances."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from brokerui.accounts.instance_groups import group_save, groups_of, user_groups_set
from brokerui.accounts.levels import Role
from brokerui.accounts.models import InstanceGroup
from tests.brokerui.site import signed_in, user_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def administrator() -> Client:
    return signed_in(Role.ADMINISTRATOR)


@pytest.fixture
def groups() -> tuple[InstanceGroup, InstanceGroup]:
    return tuple(group_save(name=name, instances=[name], author="test") for name in ("north", "south"))  # type: ignore[return-value]  # two


def sent(user: User, role: Role, **groups: str) -> tuple[str, dict[str, str]]:
    return f"/tables/auth/user/{user.pk}/change/", {"role": role.value, "active": "on", **groups}


def test_a_user_gets_the_own_role_for_one_group_and_a_lower_one_for_another(
    administrator: Client, groups: tuple[InstanceGroup, InstanceGroup]
) -> None:
    user, (north, south) = user_of(Role.OPERATOR), groups
    url, form = sent(user, Role.EDITOR, **{f"group_{north.pk}": "own", f"group_{south.pk}": "viewer"})
    assert administrator.post(url, form).status_code == 302
    assert groups_of(user) == {north: None, south: Role.VIEWER}
    text = administrator.get(url).content.decode()
    assert '<option value="own" selected>' in text
    assert text.count('<option value="viewer" selected>') == 1
    assert "north, south: viewer" in administrator.get("/tables/auth/user/").content.decode()


def test_no_group_has_more_than_the_role_of_the_user(
    administrator: Client, groups: tuple[InstanceGroup, InstanceGroup]
) -> None:
    user, (north, _south) = user_of(Role.OPERATOR), groups
    url, form = sent(user, Role.OPERATOR, **{f"group_{north.pk}": "editor"})
    answer = administrator.post(url, form)
    assert (answer.status_code, groups_of(user)) == (422, {})
    assert "more than the role of the user" in answer.content.decode()


def test_with_no_role_for_a_group_the_role_is_for_all_instances_again(
    administrator: Client, groups: tuple[InstanceGroup, InstanceGroup]
) -> None:
    user = user_of(Role.OPERATOR)
    user_groups_set(user=user, groups={groups[0]: Role.VIEWER}, author="test")
    url, form = sent(user, Role.OPERATOR, **{f"group_{groups[0].pk}": ""})
    assert administrator.post(url, form).status_code == 302
    assert groups_of(user) == {}
