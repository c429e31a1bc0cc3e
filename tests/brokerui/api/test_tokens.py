"""The page of one's tokens, and the page about the interface."""

from __future__ import annotations

import re
import shlex

import pytest
from django.test import Client

from brokerui.accounts.levels import Role
from brokerui.accounts.models import Token
from brokerui.accounts.services import TOKENS, token_create
from brokerui.api.schema import schema
from brokerui.estate.models import AuditEntry
from tests.brokerui.api.helpers import API, send, views
from tests.brokerui.site import signed_in, user_of

PAGE = "/account/tokens/"


def secret_in(page: str) -> str:
    found = re.search(r'class="secret">([^<]+)<', page)
    assert found
    return found[1]


def test_a_token_is_shown_once_and_kept_nowhere(viewer: Client, stranger: Client) -> None:
    made = viewer.post(PAGE, {"name": "nightly"})
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
    actions = AuditEntry.objects.filter(note="nightly").values_list("action", flat=True)
    assert set(actions) == {"token.create", "token.revoke"}


def test_names_tell_tokens_apart(viewer: Client) -> None:
    viewer.post(PAGE, {"name": "nightly"})
    again = viewer.post(PAGE, {"name": "nightly"})
    assert again.status_code == 422
    assert "You have a token of this name already." in again.content.decode()
    assert viewer.post(PAGE, {"name": ""}).status_code == 422
    assert viewer.post(PAGE, {"name": "x" * 101}).status_code == 422
    assert viewer.post(PAGE, {"name": "a\0b"}).status_code == 422


def test_there_are_not_too_many(viewer: Client) -> None:
    for number in range(TOKENS):
        token_create(user=user_of(Role.VIEWER), name=str(number))
    refused = viewer.post(PAGE, {"name": "one more"})
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
