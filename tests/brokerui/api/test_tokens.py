"""The page of one's tokens, and the page about the interface."""

from __future__ import annotations

import re
import shlex
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from brokerui.accounts.levels import Role
from brokerui.accounts.models import Token
from brokerui.accounts.services import token_create
from brokerui.accounts.token_limits import TOKENS
from brokerui.api.schema import schema
from brokerui.estate.models import AuditEntry
from tests.brokerui.api.helpers import API, send, views
from tests.brokerui.site import signed_in, user_of

PAGE = "/account/tokens/"
NIGHTLY = {"name": "nightly", "level": "view", "days": "90"}


def secret_in(page: str) -> str:
    found = re.search(r'class="secret">([^<]+)<', page)
    assert found
    return found[1]


def test_a_token_is_shown_once_and_kept_nowhere(viewer: Client, stranger: Client) -> None:
    made = viewer.post(PAGE, NIGHTLY)
    secret = secret_in(made.content.decode())
    assert "no-store" in made.headers["Cache-Control"]
    assert secret not in viewer.get(PAGE).content.decode()
    assert not Token.objects.filter(digest=secret).exists()
    assert send(stranger, "get", f"{API}/routes/", Authorization=f"Bearer {secret}").status_code == 200


def test_a_token_is_revoked_by_its_owner_alone(viewer: Client, stranger: Client) -> None:
    token, secret = token_create(user=user_of(Role.VIEWER), name="nightly")
    path = f"{PAGE}{token.token_key}/revoke/"
    assert signed_in(Role.ADMINISTRATOR).post(path).status_code == 404
    assert viewer.get(path).status_code == 405
    assert "Revoked: nightly." in viewer.post(path, follow=True).content.decode()
    assert send(stranger, "get", f"{API}/routes/", Authorization=f"Bearer {secret}").status_code == 401
    assert viewer.post(path).status_code == 404
    notes = dict(AuditEntry.objects.filter(action__startswith="token.").values_list("action", "note"))
    until = f"{token.expiry:%Y-%m-%d %H:%M} UTC"
    assert notes == {"token.create": f"nightly (all permissions, until {until})", "token.revoke": "nightly"}


def test_a_new_token_has_the_scope_and_the_expiry_that_were_chosen(viewer: Client, operator: Client) -> None:
    chosen = {"name": "nightly", "level": "operate", "days": "7"}
    assert viewer.post(PAGE, chosen).status_code == 422, "a viewer has no token that operates"
    page = operator.get(PAGE).content.decode()
    assert re.findall(r'<option value="(\w+)"( selected)?>', page) == [
        *(("view", ""), ("operate", ""), ("all", ""), ("1", ""), ("7", ""), ("30", "")),
        *(("90", " selected"), ("365", "")),
    ]
    assert "See and operate" in operator.post(PAGE, chosen).content.decode()
    token = Token.objects.get()
    assert (token.user, token.level) == (user_of(Role.OPERATOR), "operate")
    assert timedelta(days=6) < token.expiry - timezone.now() <= timedelta(days=7)
    assert 'chip plain">expired' not in operator.get(PAGE).content.decode()
    Token.objects.update(expiry=timezone.now() - timedelta(minutes=1))
    assert 'chip plain">expired' in operator.get(PAGE).content.decode()


def test_the_last_choice_is_a_token_without_a_scope(viewer: Client) -> None:
    viewer.post(PAGE, {**NIGHTLY, "level": "all"})
    assert Token.objects.get().level == ""


def test_names_tell_tokens_apart(viewer: Client) -> None:
    viewer.post(PAGE, NIGHTLY)
    again = viewer.post(PAGE, NIGHTLY)
    assert again.status_code == 422
    assert "You have a token of this name already." in again.content.decode()
    for wrong in ({"name": ""}, {"name": "x" * 101}, {"name": "a\0b"}, {"level": "edit"}, {"days": "2"}):
        assert viewer.post(PAGE, {**NIGHTLY, "name": "other", **wrong}).status_code == 422


def test_there_are_not_too_many(viewer: Client) -> None:
    for number in range(TOKENS):
        token_create(user=user_of(Role.VIEWER), name=str(number))
    refused = viewer.post(PAGE, {**NIGHTLY, "name": "one more"})
    assert refused.status_code == 422
    assert "Revoke one first." in refused.content.decode()


def test_strangers_have_none(stranger: Client) -> None:
    assert stranger.get(PAGE).status_code == 302


# -- The page about it -------------------------------------------------------------------------------------


def test_the_schema_tells_of_every_view_and_method() -> None:
    described = {(path, method) for path, methods in schema()["paths"].items() for method in methods}
    there = set()
    for _name, pattern in views():
        view = getattr(pattern.callback, "cls", None)
        path = "/api/v1/" + re.sub(r"<(?:str|path):(\w+)>", r"{\1}", str(pattern.pattern))
        there |= {(path, method) for method in ("get", "post", "put", "patch", "delete") if hasattr(view, method)}
    assert described == there
    assert schema()["openapi"] == "3.1.0"


def test_every_operation_is_summed_up_and_what_takes_a_body_shows_one() -> None:
    for methods in schema()["paths"].values():
        for operation in methods.values():
            assert operation["summary"]
            body = operation.get("requestBody")
            assert body is None or body["content"]["application/json"]["examples"]


@pytest.mark.django_db
def test_the_page_shows_every_operation_with_a_command(viewer: Client) -> None:
    page = viewer.get(f"{API}/docs/").content.decode()
    operations = [operation for methods in schema()["paths"].values() for operation in methods.values()]
    for operation in operations:
        assert f'id="{operation["operationId"]}"' in page
    commands = re.findall(r'<pre class="command"[^>]*>([^<]+)</pre>', page)
    assert len(commands) == len(operations) + 1
    assert all(shlex.split(command.replace("&#x27;", "'"))[0] == "curl" for command in commands)


def test_the_page_is_for_who_may_read(stranger: Client, viewer: Client) -> None:
    assert stranger.get(f"{API}/docs/").status_code == 302
    assert viewer.post(f"{API}/docs/").status_code == 405
    assert viewer.get(f"{API}/schema/", headers={"Accept": "application/vnd.oai.openapi"}).content.startswith(
        b"openapi:"
    )
