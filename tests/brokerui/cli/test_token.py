"""`brokerui token`, in this process."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from brokerui.accounts.levels import Level, Role
from brokerui.accounts.models import Token
from brokerui.accounts.services import token_create
from brokerui.accounts.token_limits import TOKENS
from brokerui.estate.models import AuditEntry
from tests.brokerui.cli.command_line import Call, call_with, misused, refused
from tests.brokerui.site import user_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.setenv("USER", "root")
    user_of(Role.OPERATOR)
    return call_with(capsys, monkeypatch)


def status_with(secret: str, method: str = "get") -> int:
    address = "/api/v1/alerts/silences/" if method == "post" else "/api/v1/routes/"
    ask = getattr(Client(), method)
    status: int = ask(
        address, content_type="application/json", headers={"Authorization": f"Bearer {secret}"}
    ).status_code
    return status


def test_a_token_is_created_used_and_revoked(call: Call) -> None:
    created = call("token", "create", "operator", "nightly")
    secret = created.out.rstrip("\n")
    assert (created.status, created.err, secret.isalnum()) == (0, "", True)
    assert (status_with(secret), status_with(secret, "post")) == (200, 403)
    token = Token.objects.get()
    assert token.level == "view"
    assert timedelta(days=89) < token.expiry - timezone.now() <= timedelta(days=90)
    assert call("token", "revoke", "operator", "nightly").out == "Revoked: nightly.\n"
    assert status_with(secret) == 401
    noted = AuditEntry.objects.filter(action__startswith="token.").order_by("id").values_list("author", "note")
    until = f"{token.expiry:%Y-%m-%d %H:%M} UTC"
    assert list(noted) == [("root", f"operator: nightly (view, until {until})"), ("root", "operator: nightly")]


def test_json_names_scope_and_expiry_and_the_list_no_secret(call: Call) -> None:
    words = ("token", "create", "operator", "ci", "--level", "operate", "--days", "7", "--json")
    created = json.loads(call(*words).out)
    secret = created.pop("token")
    assert status_with(secret, "post") == 422
    assert (created["user"], created["name"], created["level"]) == ("operator", "ci", "operate")
    token_create(user=user_of(Role.VIEWER), name="all")
    Token.objects.filter(name="all").update(expiry="2020-01-02T03:04:05Z")
    listed = call("token", "list", "--json").out
    assert json.loads(listed)[0] == created
    assert secret not in listed
    lines = call("token", "list").out.splitlines()
    assert lines[0].startswith(f"operator/ci: operate, expires {created['expires'][:16]}")
    assert lines[1].startswith("viewer/all: all permissions of the user, expired 2020-01-02T03:04:05Z, ")
    assert len(call("token", "list", "viewer").out.splitlines()) == 1
    assert call("token", "list", "operator").out.splitlines() == lines[:1]


def test_bad_input_is_one_error_and_creates_nothing(call: Call) -> None:
    user = user_of(Role.OPERATOR)
    assert call("token", "list").out == "No tokens.\n"
    for number in range(TOKENS):
        token_create(user=user, name=str(number), level=Level.VIEW)
    before = AuditEntry.objects.count()
    assert refused(call("token", "list", "who")) == "who: there is no user of this name"
    assert refused(call("token", "create", "who", "x")) == "who: there is no user of this name"
    assert refused(call("token", "revoke", "operator", "x")) == "operator: x: the user has no token of this name"
    taken = refused(call("token", "create", "operator", "1"))
    assert taken == "operator: 1: the user has a token of this name already"
    assert refused(call("token", "create", "operator", "x")) == f"operator: has {TOKENS} tokens: revoke one first"
    Token.objects.filter(name="1").delete()
    too_high = refused(call("token", "create", "operator", "x", "--level", "edit"))
    assert too_high == "operator: --level: the highest level of the user is operate"
    user.groups.clear()
    assert "no role" in refused(call("token", "create", "operator", "x"))
    for wrong in (("--level", "all"), ("--days", "0"), ("--days", "366"), ("--days", "x")):
        assert "error: " in misused(call("token", "create", "operator", "x", *wrong))
    for name in ("", " ", "a\nb", "x" * 101):
        assert "a name of 1 to 100 printable characters" in misused(call("token", "create", "operator", name))
    assert (Token.objects.count(), AuditEntry.objects.count()) == (TOKENS - 1, before)


def test_no_token_is_created_where_its_secret_cannot_be_written(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full, monkeypatch.context() as patch:
        patch.setattr("sys.stdout", full)
        assert call("token", "create", "operator", "nightly").status == 4
    assert not Token.objects.exists()
