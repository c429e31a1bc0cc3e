"""Roles, and what signing in does. Permissions at each address: security/test_roles.py."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from brokerui.accounts.levels import Level, Permission, Right, Role, limit_to, may
from brokerui.accounts.services import first_login, roles_ensure
from tests.brokerui.site import PASSWORD, reader_of_bodies, user_of

LOGIN = "/account/login/"


@pytest.mark.parametrize("path", ["/", "/where/", "/scenarios/", "/estate.json", "/account/password/"])
def test_a_stranger_is_asked_to_sign_in_and_comes_back(stranger: Client, path: str) -> None:
    response = stranger.get(path)
    assert response.status_code == 302
    assert response.headers["Location"] == f"{LOGIN}?next={path}"


def test_a_piece_of_a_page_never_becomes_the_form_to_sign_in(stranger: Client) -> None:
    response = stranger.get("/where/", headers={"HX-Request": "true"})
    assert (response.content, response.headers["HX-Refresh"]) == (b"", "true")


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("level", Level)
@pytest.mark.django_db
def test_a_role_may_what_those_before_it_may(role: Role, level: Level) -> None:
    may_it = list(Level).index(level) <= list(Role).index(role)
    assert may(user_of(role), level) is may_it


@pytest.mark.parametrize("role", Role)
@pytest.mark.django_db
def test_nobody_changes_anything_on_a_site_that_is_read_only(role: Role, settings: Any) -> None:
    settings.READ_ONLY = True
    assert [level for level in Level if may(user_of(role), level)] == [Level.VIEW]


@pytest.mark.django_db
def test_who_is_no_longer_active_may_nothing() -> None:
    user = user_of(Role.ADMINISTRATOR)
    user.is_active = False
    assert not any(may(user, level) for level in Level)


@pytest.mark.parametrize("scope", ["", *(level.codename for level in Level), "unknown"])
@pytest.mark.django_db
def test_a_scope_only_takes_away(scope: str) -> None:
    """A user has what both the role and the scope of the token include, and a right without a scope alone."""
    permissions: list[Permission] = [*Level, *Right]
    for role in Role:
        user = reader_of_bodies(role)
        without = [permission for permission in permissions if may(user, permission)]
        limit_to(user, scope)
        codenames = [level.codename for level in Level]
        within = [*Level][: codenames.index(scope) + 1] if scope in codenames else []
        assert [one for one in permissions if may(user, one)] == [one for one in without if not scope or one in within]


def test_a_user_without_a_role_sees_a_refusal_and_no_estate(stranger: Client) -> None:
    user = User.objects.create_user("nobody", password=PASSWORD)
    stranger.force_login(user, backend="brokerui.accounts.backend.Backend")
    response = stranger.get("/where/")
    assert response.status_code == 403
    assert "Not allowed" in response.content.decode()


def test_a_viewer_cannot_write(viewer: Client, operator: Client) -> None:
    assert viewer.post("/scenarios/").status_code == 403
    assert operator.post("/scenarios/").status_code == 422


@pytest.mark.django_db
def test_a_group_that_was_changed_by_hand_is_mended_at_the_next_start() -> None:
    roles_ensure()
    Group.objects.get(name=Role.VIEWER).permissions.set(Group.objects.get(name=Role.EDITOR).permissions.all())
    roles_ensure()
    assert [row.codename for row in Group.objects.get(name=Role.VIEWER).permissions.all()] == ["view"]


@pytest.mark.django_db
def test_the_first_login_is_made_once_and_is_random() -> None:
    made = first_login()
    assert made is not None
    name, password = made
    assert len(password) >= 16
    assert User.objects.get(username=name).check_password(password)
    assert first_login() is None
    assert may(User.objects.get(username=name), Level.ADMINISTER)


@pytest.mark.django_db
def test_the_first_password_may_be_given() -> None:
    assert first_login("the one that I chose") == ("admin", "the one that I chose")


def sign_in(client: Client, name: str, password: str, **more: str) -> Any:
    return client.post(LOGIN, {"username": name, "password": password, **more})


def test_signing_in_leads_back_to_the_page_and_nowhere_else(stranger: Client) -> None:
    name = user_of(Role.VIEWER).username
    assert sign_in(stranger, name, PASSWORD, next="/scenarios/").headers["Location"] == "/scenarios/"
    assert sign_in(Client(), name, PASSWORD, next="//evil.example/").headers["Location"] == "/"


def test_a_wrong_password_says_as_much_as_a_wrong_name(stranger: Client) -> None:
    name = user_of(Role.VIEWER).username
    pages = [sign_in(stranger, *words).content.decode() for words in ((name, "no"), ("nobody", "no"))]
    assert all("Wrong name or password." in page for page in pages)


def test_who_guesses_has_to_wait_and_locks_nobody_else_out(stranger: Client, settings: Any) -> None:
    name = user_of(Role.VIEWER).username
    answers = [sign_in(stranger, name, "guess").status_code for _ in range(settings.AXES_FAILURE_LIMIT + 1)]
    assert answers[0] == 200
    assert answers[-1] == 429
    assert sign_in(stranger, name, PASSWORD).status_code == 429
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    assert sign_in(elsewhere, name, PASSWORD).status_code == 302


def test_signing_out_is_a_post_and_ends_the_session(viewer: Client) -> None:
    assert viewer.get("/account/logout/").status_code == 405
    assert viewer.get("/where/").status_code == 200
    assert viewer.post("/account/logout/").status_code == 302
    assert viewer.get("/where/").status_code == 302


def test_one_changes_the_own_password_knowing_the_old_one(viewer: Client) -> None:
    new = "another staple of batteries"
    wrong = viewer.post("/account/password/", {"old_password": "no", "new_password1": new, "new_password2": new})
    assert wrong.status_code == 200
    right = viewer.post("/account/password/", {"old_password": PASSWORD, "new_password1": new, "new_password2": new})
    assert right.status_code == 302
    assert user_of(Role.VIEWER).check_password(new)
