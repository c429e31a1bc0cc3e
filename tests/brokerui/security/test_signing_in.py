"""Guessing, and what a session and a token are worth, and for how long."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as site
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.utils import timezone

from brokerui.accounts.levels import Role
from brokerui.accounts.models import Token
from brokerui.accounts.services import first_login, token_create, user_save
from brokerui.core.client_ip import client_ip_middleware, client_ip_now, client_ip_of
from brokerui.core.home import CHECKOUT
from brokerui.estate.models import AuditEntry
from brokerui.settings import AUTH_PASSWORD_VALIDATORS
from tests.brokerui.api.helpers import API, send
from tests.brokerui.site import PASSWORD, signed_in, user_of

LOGIN = "/account/login/"
NEW = "another staple of batteries"

pytestmark = pytest.mark.django_db


def sign_in(client: Client, name: str, password: str, **headers: str) -> Any:
    return client.post(LOGIN, {"username": name, "password": password}, headers=headers)


def guesses(count: int, **headers: str) -> list[int]:
    name = user_of(Role.VIEWER).username
    words = [{key: value.format(number) for key, value in headers.items()} for number in range(count)]
    return [sign_in(Client(), name, "guess", **each).status_code for each in words]


# -- Guessing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Real-Ip", "Forwarded", "Client-Ip", "True-Client-Ip"])
def test_no_header_makes_another_client_of_who_guesses(header: str) -> None:
    statuses = guesses(site.AXES_FAILURE_LIMIT + 1, **{header: "198.51.100.{}"})
    assert statuses[-1] == 429


def test_behind_a_proxy_the_address_is_what_the_proxy_says_and_not_what_the_client_adds(settings: Any) -> None:
    settings.PROXIES = 1
    statuses = guesses(site.AXES_FAILURE_LIMIT + 1, **{"X-Forwarded-For": "203.0.113.{}, 198.51.100.1"})
    assert statuses[-1] == 429
    name = user_of(Role.VIEWER).username
    assert sign_in(Client(), name, PASSWORD, **{"X-Forwarded-For": "198.51.100.2"}).status_code == 302


def test_another_spelling_of_a_name_is_no_other_name() -> None:
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in user_of(Role.VIEWER).username)
    statuses = [sign_in(Client(), name, "guess").status_code for name in [wide, "viewer"] * site.AXES_FAILURE_LIMIT]
    assert statuses[site.AXES_FAILURE_LIMIT] == 429


@pytest.mark.parametrize(
    ("proxies", "forwarded_for", "address"),
    [
        (0, "198.51.100.1", "127.0.0.1"),
        (1, "", "127.0.0.1"),
        (1, "198.51.100.1", "198.51.100.1"),
        (1, "192.0.2.1, 198.51.100.1", "198.51.100.1"),
        (2, "192.0.2.1,198.51.100.1", "192.0.2.1"),
        (2, "198.51.100.1", "127.0.0.1"),
        (1, "unknown", "127.0.0.1"),
        (1, "2001:DB8:0::1", "2001:db8::1"),
        (1, "x" * 9_000, "127.0.0.1"),
    ],
)
def test_the_address_of_a_client(settings: Any, proxies: int, forwarded_for: str, address: str) -> None:
    settings.PROXIES = proxies
    request = RequestFactory().get("/", headers={"X-Forwarded-For": forwarded_for} if forwarded_for else {})
    assert client_ip_of(request) == address
    seen: list[str | None] = []
    client_ip_middleware(lambda _: seen.append(client_ip_now()))(request)  # type: ignore[arg-type,func-returns-value] - the answer is not looked at
    assert (seen, client_ip_now()) == ([address], None)


@pytest.mark.parametrize("name", ["viewer", "nobody", "inactive"])
def test_a_name_that_is_none_takes_as_much_work_as_one_that_is(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hash of the password is made whether or not there is such a user."""
    user_of(Role.VIEWER)
    User.objects.create_user("inactive", password=PASSWORD, is_active=False)
    made: list[str] = []
    encode = MD5PasswordHasher.encode
    monkeypatch.setattr(MD5PasswordHasher, "encode", lambda *args: made.append("hash") or encode(*args))  # type: ignore[func-returns-value] - `append` returns None, so the hash follows
    assert sign_in(Client(), name, "guess").status_code == 200
    assert made == ["hash"]


@pytest.mark.parametrize("weak", ["short", "password123", "viewer2026"])
def test_weak_passwords_are_refused(viewer: Client, weak: str) -> None:
    typed = {"old_password": PASSWORD, "new_password1": weak, "new_password2": weak}
    assert viewer.post("/account/password/", typed).status_code == 200
    assert user_of(Role.VIEWER).check_password(PASSWORD)
    assert len(AUTH_PASSWORD_VALIDATORS) == 3


# -- Sessions ----------------------------------------------------------------------------------------------


def test_a_session_that_was_there_before_is_not_the_one_after_signing_in() -> None:
    user_of(Role.VIEWER)
    client = Client()
    planted = client.session
    planted["planted"] = True
    planted.save()
    client.cookies["sessionid"] = planted.session_key
    client.get(LOGIN)
    csrf = client.cookies["csrftoken"].value
    sign_in(client, "viewer", PASSWORD)
    assert client.cookies["sessionid"].value != planted.session_key
    assert client.cookies["csrftoken"].value != csrf
    other = Client()
    other.cookies["sessionid"] = planted.session_key
    assert other.get("/where/").status_code == 302


def test_a_new_password_ends_all_other_sessions(viewer: Client) -> None:
    elsewhere = signed_in(Role.VIEWER)
    typed = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert viewer.post("/account/password/", typed).status_code == 302
    assert (viewer.get("/where/").status_code, elsewhere.get("/where/").status_code) == (200, 302)


def test_who_may_no_longer_sign_in_is_out_at_once_and_without_tokens(editor: Client) -> None:
    user_of(Role.ADMINISTRATOR)
    user = user_of(Role.EDITOR)
    _token, secret = token_create(user=user, name="script")
    user_save(user=user, role=Role.EDITOR, active=False, author="administrator")
    assert editor.get("/where/").status_code == 302
    user_save(user=user, role=Role.EDITOR, active=True, author="administrator")
    assert send(Client(), "get", f"{API}/routes/", Authorization=f"Bearer {secret}").status_code == 401


def test_cookies_are_out_of_reach_of_scripts_and_of_other_sites() -> None:
    user_of(Role.VIEWER)
    client = Client()
    client.get(LOGIN)
    sign_in(client, "viewer", PASSWORD)
    client.post("/theme/", {"theme": "dark"})
    assert {"sessionid", "csrftoken", "theme"} <= client.cookies.keys()
    for name in ("sessionid", "csrftoken", "theme"):
        assert (client.cookies[name]["httponly"], client.cookies[name]["samesite"]) == (True, "Lax")


def test_over_https_cookies_stay_there(tmp_path: Any) -> None:
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "LANGUAGE_COOKIE_SECURE", "SECURE_SSL_REDIRECT")
    script = f"from django.conf import settings as s; print([getattr(s, n) for n in {names}], s.SECURE_HSTS_SECONDS)"
    environ = {**os.environ, "BROKERUI_HOME": str(tmp_path), "HTTPS": "1"}
    environ.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)
    command = [sys.executable, "manage.py", "shell", "-v0", "-c", script]
    output = subprocess.run(command, cwd=CHECKOUT, env=environ, capture_output=True, text=True, check=False).stdout
    assert output.endswith("[True, True, True, True] 31536000\n")


# -- Tokens ------------------------------------------------------------------------------------------------


def test_of_a_token_only_a_digest_is_kept_and_it_ends(stranger: Client) -> None:
    token, secret = token_create(user=user_of(Role.VIEWER), name="script")
    kept = " ".join(str(value) for value in Token.objects.values_list().get())
    assert secret not in kept
    assert len(secret) >= 60
    assert timedelta(days=89) < token.expiry - timezone.now() <= timedelta(days=90)
    Token.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    assert send(stranger, "get", f"{API}/routes/", Authorization=f"Bearer {secret}").status_code == 401


def test_what_the_product_does_by_itself_says_so() -> None:
    first_login()
    entry = AuditEntry.objects.get()
    assert (entry.author, entry.action, entry.address) == ("brokerui", "user.create", None)
    assert "password" not in entry.note
