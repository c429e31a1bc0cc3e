"""Permissions for every view of the interface and every method: a new one cannot be forgotten here."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.conf import settings as site
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.settings import api_settings

from brokerui.accounts.levels import Level, Permission, Right, Role, may
from brokerui.accounts.services import token_create, user_save
from brokerui.analysis.alerts.models import AlertChannel, AlertRule
from brokerui.analysis.alerts.rule_writing import silence_begin
from brokerui.analysis.imports.models import ImportRun, ImportState
from brokerui.analysis.routing_tests.models import KeptTestFile
from brokerui.analysis.routing_tests.services import routing_tests_write
from brokerui.analysis.servers.models import CollectionSource
from brokerui.analysis.servers.services import collection_keep
from brokerui.analysis.servers.sums import DatabaseSums, ServerSums
from brokerui.analysis.traffic.rounds import round_ask_generated
from brokerui.api.base import ApiView
from brokerui.api.ids import id_of
from brokerui.changes.models import SavedDraft
from brokerui.changes.services import draft_create
from brokerui.estate.map_views.models import MapView
from brokerui.estate.map_views.services import map_view_create
from routing.model.endpoint_groups import EndpointGroup
from tests.brokerui.api.helpers import API, NEW, QUESTION, ROWS, row, send, views
from tests.brokerui.site import nothing_shown, reader_of_bodies, signed_in, user_of
from tests.extent import IS_ALL

__all__ = ["nothing_shown"]
pytestmark = pytest.mark.usefixtures("shared_small", "nothing_shown")

METHODS = ("get", "post", "put", "patch", "delete")
VIEWS = {name: pattern for name, pattern in views() if hasattr(pattern.callback, "cls")}
SINGULAR = {
    "instance": "instances",
    "database": "databases",
    "service": "services",
    "queue": "queues",
    "route": "routes",
}
NOWHERE = {
    **dict.fromkeys(("dialog", "dialog_messages", "dialog_end", "dialog_move", "dialog_timer", "receipt"), 1),
    **dict.fromkeys(("dialog_body", "dialog_history"), 1),
    **dict.fromkeys(("database_broker", "database_failover"), 2),
    **dict.fromkeys(("queue_conversation_group", "queue_messages", "queue_receive", "queue_status"), 3),
}
"""Views of what runs: nothing does here. With how many names stand in their addresses."""


def collected(name: str) -> str | int:
    """Keep a collection; return the key of its server, of its database, or of itself."""
    groups = (EndpointGroup(endpoints=5, state="DI"),)
    sums = ServerSums(server="far", at=timezone.now(), databases=(DatabaseSums(name="Orders", endpoints=groups),))
    kept = collection_keep(sums=sums, author="x", source=CollectionSource.PASTED)
    return {"server": id_of(("far",)), "server_leak": id_of(("far", "Orders"))}.get(name, kept.pk)


def of_alerts(name: str) -> int:
    """The number of a rule, a channel or a silence."""
    at = timezone.now()
    if name == "alert_rule":
        return AlertRule.objects.earliest("pk").pk
    if name == "alert_silence":
        whole = {"rule": None, "instance": "", "key": "", "owner": "x", "reason": "x", "author": "x"}
        return silence_begin(**whole, ends=at + timedelta(days=1), at=at).pk
    values = {"kind": "email", "target": "a@b.example", "place": "x", "severity": "error", "changed_at": at}
    return AlertChannel.objects.get_or_create(name="x", defaults=values)[0].pk


NUMBERED = {
    **{
        name: partial(of_alerts, name)
        for name in ("alert_rule", "alert_channel", "alert_channel_test", "alert_silence")
    },
    "user": lambda: user_of(Role.VIEWER).pk,
    "round": lambda: round_ask_generated(author="x").pk,
}


def path_of(name: str) -> str:
    match name:
        case _ if name in NOWHERE:
            return reverse(f"api:{name}", args=["nowhere"] * NOWHERE[name])
        case "version" | "version_diff" | "version_restore":
            return reverse(f"api:{name}", args=["1"])
        case _ if name.startswith("change_") or name == "change":
            draft = SavedDraft.objects.first() or draft_create(name="x", author="x")
            return reverse(f"api:{name}", args=[draft.id])
        case "routing_test_file":
            if not KeptTestFile.objects.exists():
                routing_tests_write(name="a.yaml", text="tests: []", seen="", author="x")
            return reverse("api:routing_test_file", args=["a.yaml"])
        case "server" | "server_leak" | "collection":
            return reverse(f"api:{name}", args=[collected(name)])
        case _ if name in NUMBERED:
            return reverse(f"api:{name}", args=[NUMBERED[name]()])
        case "saved_view":
            view = MapView.objects.filter(page="events").first() or map_view_create(
                title="y", page="events", query={}, is_shared=True, owner="somebody"
            )
            return reverse("api:saved_view", args=[view.key])
        case "map_view":
            view = MapView.objects.first() or map_view_create(
                title="x", query={}, places=[], is_shared=True, owner="somebody"
            )
            return reverse("api:map_view", args=[view.key])
        case "import_run":
            run, _ = ImportRun.objects.get_or_create(
                token="t", defaults={"created_at": timezone.now(), "state": ImportState.UPLOADED}
            )
            return reverse("api:import_run", args=[run.pk])
        case _ if name in SINGULAR:
            return reverse(f"api:{name}", args=[id_of(ROWS[SINGULAR[name]])])
    return reverse(f"api:{name}")


def view_of(name: str) -> Any:
    return VIEWS[name].callback.cls


def test_every_view_is_one_of_ours_but_for_the_page_that_tells_of_them() -> None:
    assert {name for name, pattern in views() if not hasattr(pattern.callback, "cls")} == {"docs"}
    assert all(issubclass(view_of(name), ApiView) for name in VIEWS)
    assert {name for name in VIEWS if view_of(name).read is not Level.VIEW} == {
        *("audit", "users", "user", "instance_groups")
    }


def test_what_takes_less_than_editing_is_a_short_list() -> None:
    assert {name for name in VIEWS if view_of(name).write is Level.VIEW} == {
        "whatif",
        "map_views",
        "map_view",
        "preferences",
        "saved_views",
        "saved_view",
    }
    assert {name for name in VIEWS if not view_of(name).stores} == {"whatif"}
    assert {name for name in VIEWS if view_of(name).write is Level.OPERATE} == {
        "dialogs",
        "dialogs_messages",
        *("dialogs_end", "dialogs_retry", "queues_status"),
        *("collections", "collection", "alert_silences", "alert_silence", "round", "rounds"),
        *NOWHERE,
    } - {"database_broker", "database_failover", "dialog_body"}
    assert {name for name in VIEWS if view_of(name).write in list(Right)} == {"dialog_body"}


@pytest.mark.parametrize("name", VIEWS)
def test_strangers_are_told_to_identify_themselves(stranger: Client, name: str) -> None:
    for method in METHODS:
        response = send(stranger, method, path_of(name))
        assert response.status_code == 401
        assert response.headers["WWW-Authenticate"].startswith("Bearer ")
        assert response.headers["Content-Type"] == "application/problem+json"
        assert response.json()["code"] == "not_authenticated"


def roles_asked(permission: Permission) -> list[Role]:
    """The highest role that may not write and the lowest that may; every role in make test-all, or where none may."""
    if isinstance(permission, Right):
        return list(Role)
    lowest = next(number for number, role in enumerate(Role) if permission in role.levels)
    return list(Role) if IS_ALL else list(Role)[max(lowest - 1, 0) : lowest + 1]


def methods_asked(name: str) -> list[str]:
    """The methods that a view has, and by turns one that it has not; every method in make test-all."""
    without = [method for method in METHODS if not hasattr(view_of(name), method)]
    one = without[list(VIEWS).index(name) % len(without) :][:1] if without else []
    return [method for method in METHODS if IS_ALL or method not in without or method in one]


@pytest.mark.parametrize("name", VIEWS)
def test_a_role_may_what_the_view_says(name: str) -> None:
    view, path = view_of(name), path_of(name)
    for role in roles_asked(view.write):
        client, user = signed_in(role), user_of(role)
        for method in methods_asked(name):
            is_reading = method == "get"
            status = send(client, method, path, None if is_reading else {}).status_code
            if not hasattr(view, method):
                assert status == 405, (role, method)
            elif may(user, view.read if is_reading else view.write):
                # Nothing differs from the live version, and there is nothing that a round could take in.
                refused = (409,) if name in ("version_restore", "rounds") else (422, 428)
                refused = (201,) if name == "alert_channel_test" else refused  # it takes no body
                expected = (200,) if is_reading else refused
                assert status in (expected if name not in NOWHERE else (404, 422)), (role, method)
            else:
                assert status == 403, (role, method)


def test_editors_edit_and_viewers_ask(editor: Client, viewer: Client, operator: Client) -> None:
    assert send(editor, "post", f"{API}/routes/", NEW["routes"]).status_code == 201
    assert send(viewer, "post", f"{API}/whatif/", QUESTION).status_code == 200
    for client in (viewer, operator):
        assert send(client, "post", f"{API}/routes/", NEW["routes"]).json()["code"] == "forbidden"


@pytest.mark.parametrize("kind", NEW)
def test_nobody_writes_on_a_site_that_is_read_only(client: Client, settings: Any, kind: str) -> None:
    settings.READ_ONLY = True
    response = send(client, "post", f"{API}/{kind}/", NEW[kind])
    assert (response.status_code, response.json()["code"]) == (403, "read_only")
    assert send(client, "delete", row(kind), If_Match="*").status_code == 403
    assert send(client, "post", f"{API}/whatif/", QUESTION).status_code == 200


def test_a_user_without_a_role_sees_nothing(stranger: Client) -> None:
    user = user_of(Role.VIEWER)
    user.groups.clear()
    stranger.force_login(user, backend="brokerui.accounts.backend.Backend")
    methods = {name: "get" if hasattr(view_of(name), "get") else "post" for name in VIEWS}
    assert {send(stranger, method, path_of(name)).status_code for name, method in methods.items()} == {403}


def is_asked(view: Any, scope: Level | None) -> bool:
    """Whether `make test` tries a scope there: the highest that does not include it, the lowest that does, and none."""
    lowest = len(Level) if isinstance(view.write, Right) else list(Level).index(view.write)
    return IS_ALL or scope is None or list(Level).index(scope) in (lowest - 1, lowest)


@pytest.mark.parametrize("scope", [*Level, None])
def test_a_token_writes_where_its_scope_includes_it(stranger: Client, scope: Level | None) -> None:
    """The addresses that write, for an administrator who may even read bodies; everything can be read."""
    _token, secret = token_create(user=reader_of_bodies(Role.ADMINISTRATOR), name="script", level=scope)
    included: list[Permission] = [*Level, *Right] if scope is None else list(Level)[: list(Level).index(scope) + 1]
    refused, due = set(), set()
    for name in VIEWS:
        if not is_asked(view_of(name), scope):
            continue
        path = path_of(name)
        for method in METHODS[1:]:
            if hasattr(view_of(name), method):
                due |= set() if view_of(name).write in included else {(name, method)}
                response = send(stranger, method, path, {}, Authorization=f"Bearer {secret}")
                refused |= {(name, method)} if response.status_code == 403 else set()
                assert response.status_code != 401
    assert refused == due
    assert bool(due) is (scope is not None)


def test_a_scope_never_gives_more_than_the_role_and_the_refusal_names_it(stranger: Client) -> None:
    user_of(Role.ADMINISTRATOR)
    user = user_of(Role.EDITOR)
    _token, secret = token_create(user=user, name="script", level=Level.EDIT)
    user_save(user=user, role=Role.VIEWER, active=True, author="administrator")
    headers = {"Authorization": f"Bearer {secret}"}
    response = send(stranger, "post", f"{API}/routes/", NEW["routes"], **headers)
    assert (response.status_code, response.json()["code"]) == (403, "forbidden")
    assert "See, operate and edit" in response.json()["detail"]
    assert send(stranger, "get", f"{API}/routes/", **headers).status_code == 200


# -- Tokens and sessions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["Bearer", "Token", "bearer"])
def test_a_token_stands_for_its_user(stranger: Client, scheme: str) -> None:
    _token, secret = token_create(user=user_of(Role.EDITOR), name="script")
    response = send(stranger, "post", f"{API}/routes/", NEW["routes"], Authorization=f"{scheme} {secret}")
    assert response.status_code == 201
    version = send(stranger, "get", f"{API}/versions/", Authorization=f"{scheme} {secret}").json()["results"][0]
    assert version["author"] == "editor"


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer a b", "Bearer " + "0" * 64, "Bearer \xff\xfe", "Bearer ../..", "Basic YTpi", "\xff"]
)
def test_what_is_no_token_is_refused_alike(stranger: Client, header: str) -> None:
    response = send(stranger, "get", f"{API}/routes/", Authorization=header)
    assert (response.status_code, response.json()["code"]) == (401, "not_authenticated")


def test_a_token_of_who_left_is_none(stranger: Client) -> None:
    user = user_of(Role.EDITOR)
    _token, secret = token_create(user=user, name="script")
    user.is_active = False
    user.save()
    assert send(stranger, "get", f"{API}/routes/", Authorization=f"Bearer {secret}").status_code == 401


def test_a_session_alone_does_not_write_for_another_site() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(user_of(Role.EDITOR), backend="brokerui.accounts.backend.Backend")
    response = send(client, "post", f"{API}/routes/", NEW["routes"])
    assert (response.status_code, response.json()["code"]) == (403, "forbidden")
    client.get("/scenarios/")
    secret = client.cookies[site.CSRF_COOKIE_NAME].value
    assert send(client, "post", f"{API}/routes/", NEW["routes"], X_CSRFToken=secret).status_code == 201


def test_who_asks_too_often_has_to_wait(stranger: Client, viewer: Client, monkeypatch: Any) -> None:
    monkeypatch.setattr(api_settings, "DEFAULT_THROTTLE_RATES", {"anon": "2/min", "user": "3/min"})
    path = f"{API}/instances/"
    guesses = [send(stranger, "get", path, Authorization="Bearer 0").status_code for _ in range(3)]
    assert guesses == [401, 401, 429]
    late = send(stranger, "get", path)
    assert late.status_code == 429
    assert int(late.headers["Retry-After"]) > 0
    assert late.json()["code"] == "too_many_requests"
    assert [send(viewer, "get", path).status_code for _ in range(4)] == [200, 200, 200, 429]


def test_another_address_cannot_be_claimed_to_go_on_guessing(stranger: Client, monkeypatch: Any) -> None:
    monkeypatch.setattr(api_settings, "DEFAULT_THROTTLE_RATES", {"anon": "2/min", "user": None})
    path = f"{API}/instances/"
    statuses = [send(stranger, "get", path, X_Forwarded_For=f"192.0.2.{n}").status_code for n in range(3)]
    assert statuses == [401, 401, 429]
