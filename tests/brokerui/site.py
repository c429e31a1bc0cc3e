"""Fixtures and documents for tests that ask for pages, here and in tests/browser."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from rest_framework.settings import api_settings

from brokerui.accounts.levels import Right, Role
from brokerui.accounts.services import roles_ensure, user_save
from brokerui.core.errors import error_page
from brokerui.core.problems import asks_for_problems
from tests.brokerui.users import one_value, session_made, user_marked_signed_in, user_repeated
from tests.extent import IS_ALL

_CONSENT = re.compile(r'name="consent" id="consent" value="(\w+)"')
PLAIN = "django.contrib.staticfiles.storage.StaticFilesStorage"


QUICK_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
BACKEND = "brokerui.accounts.backend.Backend"
PASSWORD = "correct horse battery staple"


def user_of(role: Role) -> User:
    """The user of this role, with the role's name."""
    if (pk := one_value("SELECT id FROM auth_user WHERE username = %s", str(role))) is not None:
        return User.objects.get(pk=pk)
    if one_value("SELECT id FROM auth_group WHERE name = %s", str(role)) is None:
        roles_ensure()  # a test that empties the tables takes the groups with it
    return user_repeated(role, PASSWORD)


def reader_of_bodies(role: Role) -> User:
    """The user of this role, who may read bodies of messages from now on."""
    user_of(Role.ADMINISTRATOR)
    user = user_of(role)
    user_save(user=user, role=role, active=True, rights=list(Right), author="test")
    return user_of(role)


def signed_in(role: Role) -> Client:
    """The client of a user who has this role.

    It leaves the rows of `force_login` of Django, in a fifth of the time: no session is made and thrown away on the
    way, and django-axes looks for no attempts that failed before.
    """
    client, user = Client(), user_of(role)
    session = session_made(
        {SESSION_KEY: str(user.pk), BACKEND_SESSION_KEY: BACKEND, HASH_SESSION_KEY: user.get_session_auth_hash()}
    )
    user_marked_signed_in(user)
    client.cookies[settings.SESSION_COOKIE_NAME] = str(session.session_key)
    return client


def confirmed_post(client: Client, url: str, sent: dict[str, Any]) -> Any:
    """Send a form; where the page answers that something gets worse, tick that it was seen and send it again."""
    answer = client.post(url, sent)
    token = _CONSENT.search(answer.content.decode()) if answer.status_code == 422 else None
    return client.post(url, {**sent, "consent": token[1]}) if token else answer


@contextmanager
def plain_and_quick() -> Iterator[None]:
    """Serve files under the names they have in the sources, for they are not collected, and hash passwords quickly:
    hashing that is slow on purpose is not what a test is for. Nor is counting requests, which goes to the database
    where no Redis runs: a quarter of a request. Tests of rates set them."""
    storages = {**settings.STORAGES, "staticfiles": {"BACKEND": PLAIN}}
    quick = override_settings(STORAGES=storages, PASSWORD_HASHERS=QUICK_HASHERS)
    with quick, pytest.MonkeyPatch.context() as patch:
        patch.setattr(api_settings, "DEFAULT_THROTTLE_RATES", {"anon": None, "user": None})
        yield


class ShortRefusals:
    """In place of the page of a refusal: whole for the first one of a test, a status alone for the others, whose page
    is the same. A test that sends some hundred requests which are refused needs half of their time."""

    def __init__(self) -> None:
        self.has_shown = False

    def __call__(self, request: HttpRequest, *, status: int, title: str, text: str, code: str = "") -> HttpResponse:
        is_page = not asks_for_problems(request)
        if is_page and self.has_shown:
            return HttpResponse(status=status)
        self.has_shown = self.has_shown or is_page
        return error_page(request, status=status, title=title, text=text, code=code)


@pytest.fixture
def short_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusals are short; in make test-all each has its page."""
    if not IS_ALL:
        monkeypatch.setattr("brokerui.core.errors.error_page", ShortRefusals())


class NoValkey:
    """In place of one where none runs: no worker and no endpoint shows anything there."""

    def hvals(self, _key: str) -> list[bytes]:
        return []

    def hgetall(self, _key: str) -> dict[bytes, bytes]:
        return {}


@pytest.fixture
def nothing_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Views of what stands in Valkey are empty."""
    monkeypatch.setattr("brokerui.api.messaging.sys_views.redis", NoValkey)


def document(*instances: str) -> bytes:
    """An estate document with these instances, each with a database `Orders` and one route."""
    route = {"name": "AutoCreatedLocal", "address": "LOCAL"}
    return json.dumps(
        {
            "format": "brokerui.estate/1",
            "instances": [
                {"name": name, "databases": [{"name": "Orders", "services": ["A", "B"], "routes": [route]}]}
                for name in instances
            ],
        }
    ).encode()


def upload(content: bytes, name: str = "estate.json") -> dict[str, SimpleUploadedFile]:
    """The body of the form on the page of scenarios."""
    return {"document": SimpleUploadedFile(name, content, content_type="application/json")}


def process_seconds(work: Callable[[], object]) -> float:
    """The seconds of a core that this takes."""
    begun = time.process_time()
    work()
    return time.process_time() - begun
