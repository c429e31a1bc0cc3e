"""Each error says in our look what happened and where to go, in the right theme, without a database."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from brokerui.accounts.levels import Role
from tests.brokerui.site import signed_in


def check(response: Any, status: int, sentence: str) -> None:
    page = response.content.decode()
    assert response.status_code == status
    assert sentence in page
    assert '<a class="button primary" href="/">' in page
    assert "Content-Security-Policy" in response.headers


def test_404(client: Client) -> None:
    client.cookies["theme"] = "dark"
    response = client.get("/nowhere")
    check(response, 404, "Nothing is here")
    assert 'data-theme="dark"' in response.content.decode()


def test_500(client: Client, settings: Any) -> None:
    settings.ROOT_URLCONF = "tests.brokerui.gallery"
    client.raise_request_exception = False
    response = client.get("/broken/")
    check(response, 500, "Something broke")
    assert "on purpose" not in response.content.decode()


def test_400_for_a_host_that_is_not_ours(client: Client) -> None:
    response = client.get("/nowhere/", headers={"Host": "evil.example"})
    check(response, 400, "The name of this site is another")


@pytest.mark.django_db
@pytest.mark.parametrize("checks", [False, True])
def test_400_for_two_files_at_once_and_nothing_in_the_log(checks: bool, caplog: Any) -> None:
    client = signed_in(Role.OPERATOR)
    client.handler.enforce_csrf_checks = checks
    client.cookies["csrftoken"] = "x" * 32
    files = [SimpleUploadedFile(name, b"{}") for name in ("a.json", "b.json")]
    body = {"document": files, "csrfmiddlewaretoken": "x" * 32}
    check(client.post("/scenarios/", body), 400, "Choose one document at a time.")
    assert caplog.text == ""


def test_400_for_more_files_than_any_form_takes(client: Client, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 2
    files = [SimpleUploadedFile(f"{number}.sql", b"GO") for number in range(3)]
    check(client.post("/imports/", {"files": files}), 400, "Choose at most 2 files at a time.")


def test_403_for_a_form_that_is_not_ours() -> None:
    client = Client(enforce_csrf_checks=True)
    check(client.post("/theme/", {"theme": "dark"}), 403, "The form was not accepted")


def test_413_before_anything_is_stored(client: Client, settings: Any) -> None:
    settings.BODY_MAX_BYTES = 1000
    response = client.post("/scenarios/", data=b"x" * 1001, content_type="application/json")
    check(response, 413, "That is too large")


def test_a_length_that_is_no_number_is_no_length(client: Client) -> None:
    assert client.post("/theme/", data=b"", content_type="text/plain", CONTENT_LENGTH="many").status_code == 302
