"""The log of refused requests: one line each, without a traceback, and what a client wrote cannot forge another."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings as site
from django.test import Client
from django.utils import timezone

from brokerui.accounts.levels import Role
from brokerui.accounts.services import lockout_release
from brokerui.core import refusals
from brokerui.core.logs import LineFormatter
from brokerui.core.refusals import LINES_MAX, PERIOD_S, QUOTED_MAX_CHARS, LineBudget, quoted
from brokerui.estate.models import AuditEntry
from tests.brokerui.api.helpers import API
from tests.brokerui.site import PASSWORD, user_of

LOGIN = "/account/login/"
HERE = "198.51.100.7"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of other tests take none of this one's."""
    monkeypatch.setattr(refusals, "_budget", LineBudget())


def client(**options: Any) -> Client:
    return Client(REMOTE_ADDR=HERE, **options)


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The log as an operator reads it, without the moments."""
    return [LineFormatter().format(record).split(" ", 2)[2] for record in caplog.records]


# -- Host ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/where/?secret=1", f"{API}/routes/", "/healthz"])
@pytest.mark.parametrize(
    ("host", "text"),
    [
        ("evil.example", "'evil.example'"),
        ("127.0.0.1:80:80", "'127.0.0.1:80:80'"),
        ("a\x00\r\nERROR forged\x1b[2J\xff", r"'a\x00\r\nERROR forged\x1b[2Jÿ'"),
        ("\x80\x81", r"'\x80\x81'"),
        ("x" * 60_000, f"'{'x' * QUOTED_MAX_CHARS}'…"),
    ],
    ids=["other", "twice", "forging", "bytes", "long"],
)
def test_a_host_that_is_not_ours_is_one_line(
    caplog: pytest.LogCaptureFixture, mailoutbox: list[Any], settings: Any, path: str, host: str, text: str
) -> None:
    settings.ADMINS = [("Ann", "ann@broker.example")]
    assert client().get(path, headers={"Host": host}).status_code == 400
    place = path.partition("?")[0]
    assert lines(caplog) == [
        f"WARNING brokerui.refused: 400 'GET' '{place}' from {HERE}: the Host header {text} is not in ALLOWED_HOSTS"
    ]
    assert mailoutbox == []


def test_its_page_says_what_to_do(caplog: pytest.LogCaptureFixture) -> None:
    page = client().get("/where/", headers={"Host": "evil.example"}).content.decode()
    assert "This site does not answer under that name." in page
    assert "evil.example" not in page


# -- Signing in ----------------------------------------------------------------------------------------------


def guess(name: str, password: str = "guess") -> Any:
    return client().post(LOGIN, {"username": name, "password": password})


def test_a_lock_out_says_whom_from_where_and_until_when(caplog: pytest.LogCaptureFixture) -> None:
    name = user_of(Role.VIEWER).username
    began = datetime.now(UTC)
    answers = [guess(name) for _ in range(site.AXES_FAILURE_LIMIT + 1)]
    assert [answer.status_code for answer in answers] == [200] * (site.AXES_FAILURE_LIMIT - 1) + [429] * 2
    found = lines(caplog)
    start = f"WARNING brokerui.refused: 200 'POST' '{LOGIN}' from {HERE}: "
    assert found[:-2] == [f"{start}wrong password, or no such user: '{name}'"] * (site.AXES_FAILURE_LIMIT - 1)
    until = datetime.strptime(found[-1][-23:], "%Y-%m-%d %H:%M:%S UTC").replace(tzinfo=UTC)
    assert found[-1].startswith(f"WARNING brokerui.refused: 429 'POST' '{LOGIN}' from {HERE}: '{name}' is locked out")
    assert timedelta(0) <= until - (began + site.AXES_COOLOFF_TIME) < timedelta(minutes=2)
    assert f"Try again at {until:%H:%M} UTC, in 15" in answers[-1].content.decode()


def test_a_lock_out_stands_in_the_audit_once_and_again_after_a_release() -> None:
    name = user_of(Role.VIEWER).username
    for _ in range(site.AXES_FAILURE_LIMIT + 3):
        guess(name)
    entry = AuditEntry.objects.get(action="lockout.begin")
    assert (entry.author, entry.address, entry.note) == ("brokerui", HERE, f"{name} {HERE}")
    lockout_release(name=name, address=HERE, author="administrator")
    assert guess(name, PASSWORD).status_code == 302
    for _ in range(site.AXES_FAILURE_LIMIT):
        guess(name)
    assert AuditEntry.objects.filter(action="lockout.begin").count() == 2


def test_a_lock_out_that_tries_prolong_is_in_the_audit_again(monkeypatch: pytest.MonkeyPatch) -> None:
    name = user_of(Role.VIEWER).username
    for _ in range(site.AXES_FAILURE_LIMIT):
        guess(name)
    later = timezone.now() + site.AXES_COOLOFF_TIME
    monkeypatch.setattr("django.utils.timezone.now", lambda: later)
    guess(name)
    assert AuditEntry.objects.filter(action="lockout.begin").count() == 2


def test_a_name_cannot_forge_a_line(caplog: pytest.LogCaptureFixture) -> None:
    guess("viewer\r\n2026-01-01 ERROR forged \u202e\u2028")
    (line,) = lines(caplog)
    assert line.endswith(r"no such user: 'viewer\r\n2026-01-01 ERROR forged \u202e'")


def test_a_form_without_a_password_is_no_guess(caplog: pytest.LogCaptureFixture) -> None:
    assert guess("viewer", "").status_code == 200
    assert lines(caplog) == []


# -- Others --------------------------------------------------------------------------------------------------


def test_a_form_without_its_token_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    assert client(enforce_csrf_checks=True).post(LOGIN, {"username": "viewer"}).status_code == 403
    (line,) = lines(caplog)
    assert line == (
        f"WARNING brokerui.refused: 403 'POST' '{LOGIN}' from {HERE}: the form was not accepted: 'CSRF cookie not set.'"
    )


def test_a_session_without_its_token_is_one_line_of_rest(caplog: pytest.LogCaptureFixture) -> None:
    signed_in = client(enforce_csrf_checks=True)
    signed_in.force_login(user_of(Role.EDITOR), "brokerui.accounts.backend.Backend")
    assert signed_in.post(f"{API}/routes/", {}, content_type="application/json").status_code == 403
    (line,) = lines(caplog)
    assert line.startswith(f"WARNING brokerui.refused: 403 'POST' '{API}/routes/' from {HERE}: 'CSRF Failed: ")


@pytest.mark.parametrize("token", ["0123456789abcdef", "a-b", "x" * 5_000])
def test_an_unknown_token_is_one_line_and_not_in_it(caplog: pytest.LogCaptureFixture, token: str) -> None:
    answer = client().get(f"{API}/routes/", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 401
    (line,) = lines(caplog)
    assert line.startswith(f"WARNING brokerui.refused: 401 'GET' '{API}/routes/' from {HERE}: ")
    assert token not in line


def test_a_body_that_is_too_large_is_one_line(caplog: pytest.LogCaptureFixture, settings: Any) -> None:
    settings.BODY_MAX_BYTES = 1_000
    answer = client().post(LOGIN, "x" * 1_001, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 413
    assert lines(caplog) == [
        f"WARNING brokerui.refused: 413 'POST' '{LOGIN}' from {HERE}: its body has 1,001 bytes, more than 1,000"
    ]


def test_a_query_that_is_too_long_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    assert client().get("/map/", {"q": "x" * 5_000}).status_code == 414
    assert lines(caplog) == [
        f"WARNING brokerui.refused: 414 'GET' '/map/' from {HERE}: its query is longer than 4,096 characters"
    ]


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ("x", "multipart/form-data", "MultiPartParserError"),
        ("&".join(f"a{number}=1" for number in range(1_001)), "application/x-www-form-urlencoded", "TooManyFieldsSent"),
        ("a=" + "x" * 3_000_000, "application/x-www-form-urlencoded", "RequestDataTooBig"),
    ],
    ids=["malformed", "fields", "large"],
)
def test_a_form_that_cannot_be_read_is_one_line(
    caplog: pytest.LogCaptureFixture, body: str, kind: str, text: str
) -> None:
    assert client().post(LOGIN, body, content_type=kind).status_code == 400
    (line,) = lines(caplog)
    assert line.startswith(f"WARNING brokerui.refused: 400 'POST' '{LOGIN}' from {HERE}: {text}: ")


def test_json_that_is_none_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    editor = client()
    editor.force_login(user_of(Role.EDITOR), "brokerui.accounts.backend.Backend")
    assert editor.post(f"{API}/whatif/", b"{\xff", content_type="application/json").status_code == 400
    (line,) = lines(caplog)
    assert line.startswith(f"WARNING brokerui.refused: 400 'POST' '{API}/whatif/' from {HERE}: ")


@pytest.mark.parametrize("path", ["/nowhere/", f"{API}/nowhere/", f"{API}/routes/"])
def test_a_mistyped_address_and_a_missing_sign_in_are_no_lines(caplog: pytest.LogCaptureFixture, path: str) -> None:
    assert client().get(path).status_code in (302, 401, 404)
    assert lines(caplog) == []


# -- How many ------------------------------------------------------------------------------------------------


def test_a_flood_writes_few_lines_and_says_how_many_are_missing(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(refusals, "_budget", LineBudget(lambda: now[0]))
    for _ in range(LINES_MAX + 7):
        client().get("/where/", headers={"Host": "evil.example"})
    assert len(caplog.records) == LINES_MAX
    now[0] = PERIOD_S
    client().get("/where/", headers={"Host": "evil.example"})
    assert len(caplog.records) == LINES_MAX + 2
    assert caplog.records[LINES_MAX].getMessage().startswith("7 more requests were refused")
    assert {record.levelno for record in caplog.records} == {logging.WARNING}


@pytest.mark.parametrize(("text", "shown"), [("Größe", "'Größe'"), ("a'b", '"a\'b"'), ("\ud800\t", r"'\ud800\t'")])
def test_what_can_be_printed_is(text: str, shown: str) -> None:
    assert quoted(text) == shown
