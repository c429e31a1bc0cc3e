"""The lists of the tables: permissions, filters, actions on many rows, and their cost."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from brokerui.accounts.access import level_needed
from brokerui.accounts.levels import Level, Role
from brokerui.accounts.models import Token
from brokerui.accounts.services import token_create
from brokerui.estate.cache import estates
from brokerui.estate.models import AuditEntry, Database, Queue, Route, Version
from brokerui.estate.selectors import estate_current
from tests.brokerui.estate.helpers import LOCAL, TWO, brought_in, estate_of, server
from tests.brokerui.site import PASSWORD, confirmed_post, short_refusals, signed_in, user_of
from tests.extent import IS_ALL

__all__ = ["short_refusals"]

pytestmark = pytest.mark.django_db
ROUTES, QUEUES, USERS = "/tables/estate/route/", "/tables/estate/queue/", "/tables/auth/user/"
TABLES = (
    "instance",
    "database",
    "route",
    "service",
    "queue",
    "contract",
    "messagetype",
    "priority",
    "remoteservicebinding",
)
LISTS = [f"/tables/estate/{name}/" for name in (*TABLES, "version")]
FOR_ADMINISTRATORS = [USERS, f"{USERS}add/", "/tables/accounts/token/", "/tables/axes/accessattempt/"]


@pytest.fixture(autouse=True)
def estate() -> Iterator[None]:
    estates.clear()
    brought_in(TWO)
    yield
    estates.clear()


def admin_patterns() -> list[tuple[str, Any]]:
    """Every address below /tables/, with a number where one stands."""
    found: list[tuple[str, Any]] = []

    def walk(resolver: Any, before: str) -> None:
        for one in resolver.url_patterns:
            here = before + str(one.pattern)
            if isinstance(one, URLResolver):
                walk(one, here)
            elif isinstance(one, URLPattern):
                found.append((f"/{here}".replace("<int:row>", "1").replace("<slug:kind>", "instance"), one.callback))

    root = next(one for one in get_resolver().url_patterns if str(one.pattern) == "tables/")
    walk(root, "tables/")
    return found


ADDRESSES = admin_patterns()


# -- Permissions -------------------------------------------------------------------------------------------


def test_every_address_declares_what_writing_takes() -> None:
    assert len(ADDRESSES) > 50
    assert {level_needed(view, "POST") for _, view in ADDRESSES} == {Level.EDIT}


@pytest.mark.thorough("security/test_roles.py asks each address as the highest role that may not.")
@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_who_may_not_edit_sees_none_of_it(role: Role, short_refusals: None) -> None:
    client = signed_in(role)
    for url, _ in ADDRESSES:
        assert (client.get(url).status_code, client.post(url).status_code) == (403, 403), url


def test_strangers_are_asked_to_sign_in(stranger: Client) -> None:
    for url, _ in ADDRESSES:
        response = stranger.get(url)
        assert response.status_code == 302, url
        assert response.headers["Location"].startswith("/account/login/?next=/tables/")


def test_editors_see_the_estate_and_not_the_users(editor: Client) -> None:
    for url, _ in ADDRESSES:
        expected = 403 if url.startswith(("/tables/auth/", "/tables/accounts/", "/tables/axes/")) else 200
        if url.endswith(("/change/", "/preview/", "/delete/")) and expected == 200:
            continue  # rows are asked for in the tests of forms
        assert editor.get(url).status_code == expected, url


def test_administrators_see_everything(client: Client) -> None:
    assert [client.get(url).status_code for url in [*LISTS, *FOR_ADMINISTRATORS]] == [200] * (len(LISTS) + 4)


def test_the_first_page_names_what_one_may_see(editor: Client, client: Client) -> None:
    assert USERS not in editor.get("/tables/").content.decode()
    page = client.get("/tables/").content.decode()
    assert all(f'href="{url}"' in page for url in [*LISTS, USERS])


def test_the_navigation_leads_there(editor: Client, viewer: Client) -> None:
    assert 'href="/tables/"' in editor.get("/where/").content.decode()
    assert 'href="/tables/"' not in viewer.get("/where/").content.decode()


# -- Narrowing ---------------------------------------------------------------------------------------------


def names(client: Client, url: str) -> list[str]:
    return [row.name for row in client.get(url).context["cl"].result_list]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=Parts", ["R"]),
        ("q=there.example", ["R"]),
        ("instance=there", ["AutoCreatedLocal"]),
        ("database=here/Orders", ["AutoCreatedLocal", "R"]),
        ("for=any&instance=here", ["AutoCreatedLocal", "AutoCreatedLocal"]),
        ("for=named", ["R"]),
        ("address=network", ["R"]),
        ("address=mirrored", []),
        ("lifetime=expired", []),
        ("lifetime=never&for=named", ["R"]),
        ("lifetime=rubbish&for=named", ["R"]),
    ],
)
def test_routes_are_narrowed(editor: Client, query: str, found: list[str]) -> None:
    assert sorted(names(editor, f"{ROUTES}?{query}")) == found


def test_by_the_number_of_a_database(editor: Client) -> None:
    number = Database.objects.get(name="Parts").pk
    assert names(editor, f"{ROUTES}?database={number}") == ["AutoCreatedLocal"]


OF_FILTERS = ("when=x", "database=///")
"""Rubbish for filters that only some lists have."""
OF_ALL = ("p=0", "p=x", "o=99", "nonsense=1", "q=%00")
DRAWN = 2
"""How many of these `make test` tries on each list, others each time: all lists read them with the same code."""


@pytest.mark.parametrize("url", LISTS)
def test_rubbish_in_the_address_is_no_accident(editor: Client, url: str) -> None:
    for query in (*OF_FILTERS, *(OF_ALL if IS_ALL else random.sample(OF_ALL, DRAWN))):
        assert editor.get(f"{url}?{query}", follow=True).status_code == 200, query


def test_suggestions_are_few_and_fit(editor: Client) -> None:
    def values(kind: str, query: str) -> list[str]:
        return [one["value"] for one in editor.get(f"/tables/options/{kind}/?{query}").json()]

    assert values("instance", "q=her") == ["here", "there"]
    assert values("database", "q=here/Or") == ["here/Orders"]
    assert values("service", "q=par") == ["Parts"]
    assert values("identifier", "service=Own") == ["5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"]
    assert values("address", "q=LO") == ["LOCAL"]
    assert values("network", "q=there") == ["tcp://there.example:4022"]
    assert editor.get("/tables/options/nonsense/").status_code == 404


# -- Many rows at once -------------------------------------------------------------------------------------


def act(client: Client, url: str, action: str, rows: Any, **more: Any) -> Any:
    sent = {"action": action, "index": "0", "_selected_action": [str(row.pk) for row in rows], **more}
    return client.post(url, sent)


def confirmed(client: Client, url: str, action: str, rows: Any, **more: Any) -> Any:
    """What the page that asks sends, once the button on it is pushed."""
    page = act(client, url, action, rows)
    assert page.status_code == 200
    sent: dict[str, Any] = {"base_version": page.context["base_version"], **more}
    for name, value in page.context["sent"]:
        sent.setdefault(name, []).append(value)
    return confirmed_post(client, url, sent)


def test_deleting_many_asks_with_their_number_and_is_one_version(editor: Client) -> None:
    rows = list(Route.objects.filter(name="AutoCreatedLocal"))
    page = act(editor, ROUTES, "delete_rows", rows)
    assert "Delete: 3 routes?" in page.content.decode()
    assert Version.objects.count() == 1
    refused = act(editor, ROUTES, "delete_rows", rows, base_version=page.context["base_version"])
    assert refused.status_code == 422, "what gets worse is confirmed first"
    assert Version.objects.count() == 1
    assert confirmed(editor, ROUTES, "delete_rows", rows).status_code == 302
    assert [route.name for route in Route.objects.all()] == ["R"]
    assert AuditEntry.objects.get(version__number=2).note == "Tables: deleted 3 routes"


def test_a_lifetime_for_many(editor: Client) -> None:
    rows = Route.objects.filter(name="AutoCreatedLocal")
    confirmed(editor, ROUTES, "set_lifetime", rows, lifetime="2031-01-01")
    assert {f"{row.lifetime:%Y-%m-%d}" for row in rows.all() if row.lifetime} == {"2031-01-01"}
    refused = confirmed(editor, ROUTES, "set_lifetime", rows, lifetime="never ever")
    assert refused.status_code == 200
    assert estate_current().version == 2


def test_queues_are_switched(editor: Client) -> None:
    brought_in(estate_of(server("here", {"name": "D", "queues": [{"name": "dbo.A"}, {"name": "dbo.B"}]})))
    confirmed(editor, QUEUES, "disable", Queue.objects.all())
    assert [row.enabled for row in Queue.objects.all()] == [False, False]
    confirmed(editor, QUEUES, "enable", Queue.objects.filter(name="dbo.A"))
    assert [row.enabled for row in Queue.objects.all()] == [True, False]


def test_what_was_asked_about_an_older_version_is_asked_again(editor: Client) -> None:
    rows = list(Route.objects.filter(name="R"))
    response = act(editor, ROUTES, "delete_rows", rows, base_version="0")
    assert response.status_code == 200
    assert "was changed since you asked" in response.content.decode()
    assert Version.objects.count() == 1


def test_all_that_are_found_up_to_a_limit(editor: Client, monkeypatch: Any) -> None:
    url = f"{ROUTES}?instance=here"
    page = editor.post(url, {"action": "delete_rows", "index": "0", "_selected_action": "0", "select_across": "1"})
    assert page.context["count"] == 3
    monkeypatch.setattr("brokerui.pages.tables.base_admin.AT_ONCE", 2)
    over = editor.post(url, {"action": "delete_rows", "index": "0", "_selected_action": "0", "select_across": "1"})
    assert over.status_code == 302
    assert Version.objects.count() == 1


# -- What it costs -----------------------------------------------------------------------------------------


def queries(client: Client, url: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return len(captured.captured_queries)


MANY = 30 if IS_ALL else 6
"""Instances of the larger estate: three times those of the smaller one show a query for each row."""


def many(count: int) -> None:
    """Store `count` instances with two databases and some of everything in each."""
    routes = [{**LOCAL, "name": f"R{number}"} for number in range(3)]
    inside = {
        "services": [{"name": "S", "contracts": ["C"]}],
        "queues": [{"name": "dbo.Q"}],
        "contracts": [{"name": "C"}],
        "message_types": [{"name": "M"}],
        "priorities": [{"name": "P"}],
        "remote_service_bindings": [{"name": "B", "remote_service_name": "X"}],
        "routes": routes,
    }
    brought_in(estate_of(*(server(f"i{n}", {"name": "D", **inside}, {"name": "E", **inside}) for n in range(count))))


@pytest.mark.parametrize("url", [*LISTS, f"{ROUTES}?q=R&instance=i1&lifetime=never&address=local"])
def test_a_list_takes_no_more_queries_for_more_rows(editor: Client, url: str) -> None:
    many(2)
    few = queries(editor, url)
    many(MANY)
    assert queries(editor, url) == few
    assert few <= 14


# -- Access ------------------------------------------------------------------------------------------------


def test_an_administrator_makes_and_changes_users(client: Client) -> None:
    made = client.post(f"{USERS}add/", {"name": "new", "role": "editor", "active": "on", "password": PASSWORD})
    assert made.status_code == 302
    user = User.objects.get(username="new")
    assert user.check_password(PASSWORD)
    client.post(f"{USERS}{user.pk}/change/", {"role": "viewer", "password": ""})
    user.refresh_from_db()
    assert (user.is_active, [group.name for group in user.groups.all()]) == (False, ["viewer"])
    assert user.check_password(PASSWORD)
    assert [entry.action for entry in AuditEntry.objects.all()[:2]] == ["user.change", "user.create"]


def test_what_cannot_be_a_user(client: Client) -> None:
    weak = client.post(f"{USERS}add/", {"name": "new", "role": "editor", "password": "12345678"})
    assert weak.status_code == 422
    assert "password" in weak.context["form"].errors
    twice = client.post(f"{USERS}add/", {"name": "administrator", "role": "viewer", "password": PASSWORD})
    assert "name" in twice.context["form"].errors


def test_the_last_administrator_stays_one(client: Client) -> None:
    user = user_of(Role.ADMINISTRATOR)
    response = client.post(f"{USERS}{user.pk}/change/", {"role": "viewer", "active": "on"})
    assert response.status_code == 422
    assert user_of(Role.ADMINISTRATOR).groups.get().name == Role.ADMINISTRATOR
    assert client.get(USERS).status_code == 200


def test_a_token_is_revoked(client: Client) -> None:
    token, _secret = token_create(user=user_of(Role.EDITOR), name="ci")
    response = act(client, "/tables/accounts/token/", "revoke", [token])
    assert response.status_code == 302
    assert not Token.objects.exists()
    entry = AuditEntry.objects.first()
    assert entry is not None
    assert (entry.author, entry.action, entry.note) == ("administrator", "token.revoke", "editor: ci")


def test_who_is_locked_out_is_let_in_again(client: Client, settings: Any) -> None:
    user_of(Role.VIEWER)
    guesser = Client()
    for _ in range(settings.AXES_FAILURE_LIMIT + 1):
        guesser.post("/account/login/", {"username": "viewer", "password": "guess"})
    assert guesser.post("/account/login/", {"username": "viewer", "password": PASSWORD}).status_code == 429
    url = "/tables/axes/accessattempt/"
    assert "locked out" in client.get(url).content.decode()
    assert act(client, url, "release", AccessAttempt.objects.all()).status_code == 302
    assert guesser.post("/account/login/", {"username": "viewer", "password": PASSWORD}).status_code == 302
    entry = AuditEntry.objects.filter(action="lockout.release").get()
    assert entry.note == "viewer 127.0.0.1"
    assert entry.at <= timezone.now()


def test_a_read_only_site_releases_and_revokes_nothing(client: Client, settings: Any) -> None:
    token_create(user=user_of(Role.EDITOR), name="ci")
    settings.READ_ONLY = True
    assert client.get("/tables/accounts/token/").status_code == 200
    assert act(client, "/tables/accounts/token/", "revoke", Token.objects.all()).status_code == 403
    assert Token.objects.exists()
