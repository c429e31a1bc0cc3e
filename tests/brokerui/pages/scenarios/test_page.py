"""The page of scenarios: a plain form takes a document, and shows its faults."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from brokerui.accounts.levels import Role
from brokerui.estate.scenarios.models import Scenario
from brokerui.estate.scenarios.services import scenario_create
from tests.brokerui.site import document, signed_in, upload

pytestmark = pytest.mark.django_db
URL = "/scenarios/"


def page_of(response: Any) -> str:
    return " ".join(response.content.decode().split())


def test_it_lists_the_examples_and_says_that_nothing_is_uploaded(client: Client) -> None:
    page = page_of(client.get(URL))
    assert "Forwarding everything that is not local" in page
    assert "No document of yours yet" in page
    assert "At most 50 documents are kept" in page


def test_a_good_document_is_taken_in_and_opened(client: Client) -> None:
    response = client.post(URL, upload(document("a"), "Orders EMEA.json"))
    assert response.status_code == 302
    assert response.headers["Location"].endswith("?scenario=orders-emea")
    assert "Orders EMEA" in page_of(client.get(URL))


def test_a_bad_document_names_file_path_and_reason(client: Client) -> None:
    wrong = document("a").replace(b"LOCAL", b"ftp://x")
    response = client.post(URL, upload(wrong, "wrong.json"))
    page = page_of(response)
    assert response.status_code == 422
    assert "<code>wrong.json</code>" in page
    assert "instances[0].databases[0].routes[0].address</code>" in page
    assert "must be LOCAL, TRANSPORT or tcp://HOST[:PORT], not &quot;ftp://x&quot;" in page
    assert 'role="alert"' in page
    assert not Scenario.objects.exists()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({}, "Choose a file first."),
        ({"document": "text, not a file"}, "Choose a file first."),
        (upload(b""), "The file is empty."),
        (upload(b"\x00\x01\xff\xfe"), "estate.json"),
        (upload(b"PK\x03\x04"), "estate.json"),
    ],
)
def test_what_is_no_document_is_refused_with_a_reason(client: Client, data: Any, sentence: str) -> None:
    response = client.post(URL, data)
    assert response.status_code == 422
    assert sentence in page_of(response)


def test_a_document_over_the_limit_is_refused(client: Client, settings: Any) -> None:
    settings.SCENARIO_MAX_BYTES = 100
    response = client.post(URL, upload(document("a")))
    assert response.status_code == 422
    assert "Documents of up to 100" in page_of(response)


def test_a_body_over_the_limit_is_not_even_parsed(client: Client, settings: Any) -> None:
    settings.BODY_MAX_BYTES = 100
    assert client.post(URL, upload(document("a"))).status_code == 413
    assert not Scenario.objects.exists()


def test_a_large_file_goes_to_disk_on_its_way(client: Client) -> None:
    padded = document("a")[:-1] + b" " * (4 << 20) + b"}"
    assert client.post(URL, upload(padded)).status_code == 302
    assert Scenario.objects.get().size == len(padded)


def test_two_files_at_once_are_refused(client: Client) -> None:
    both = [upload(document("a"))["document"], upload(document("b"))["document"]]
    assert client.post(URL, {"document": both}).status_code == 400


HOSTILE = '"><script>alert(1)<img src=x onerror=alert(1)>'


@pytest.mark.parametrize("content", [document("a"), b"{", b'{"format": "' + b"<script>" + b'"}'])
def test_a_hostile_name_or_value_stays_text(client: Client, content: bytes) -> None:
    response = client.post(URL, upload(content, HOSTILE + ".json"), follow=True)
    page = page_of(response)
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "&lt;script" in page


def test_a_hostile_name_stays_out_of_headers(client: Client) -> None:
    client.post(URL, upload(document("a"), 'a"\r\nSet-Cookie: x=1.json'))
    name = Scenario.objects.get().name
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_")
    response = client.get(f"/scenarios/{name}/document.json")
    assert response.headers["Content-Disposition"] == f'attachment; filename="{name}.json"'
    assert "x" not in client.cookies


def test_without_the_token_nothing_is_taken_or_deleted() -> None:
    scenario_create(title="one", text=document("a"))
    client = Client(enforce_csrf_checks=True)
    assert client.post(URL, upload(document("a"))).status_code == 403
    assert client.post("/scenarios/one/delete/").status_code == 403
    assert Scenario.objects.count() == 1


def test_with_the_token_of_the_page_it_is() -> None:
    client = signed_in(Role.OPERATOR)
    client.handler.enforce_csrf_checks = True
    token = page_of(client.get(URL)).split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    response = client.post(URL, {**upload(document("a")), "csrfmiddlewaretoken": token})
    assert response.status_code == 302


def test_deleting_says_what_is_gone(client: Client) -> None:
    scenario_create(title="Old one", text=document("a"))
    response = client.post("/scenarios/old-one/delete/", follow=True)
    assert "Deleted: Old one." in page_of(response)
    assert not Scenario.objects.exists()


@pytest.mark.parametrize("name", ["1-default", "none"])
def test_what_is_not_yours_cannot_be_deleted(client: Client, name: str) -> None:
    assert client.post(f"/scenarios/{name}/delete/").status_code == 404


def test_a_link_deletes_nothing(client: Client) -> None:
    scenario_create(title="one", text=document("a"))
    assert client.get("/scenarios/one/delete/").status_code == 405
    assert Scenario.objects.exists()


def test_making_room_is_told(client: Client, settings: Any) -> None:
    settings.SCENARIO_KEEP = 1
    client.post(URL, upload(document("a"), "first.json"))
    client.post(URL, upload(document("a"), "second.json"))
    assert "Deleted to make room: first." in page_of(client.get(URL))


def test_a_document_comes_back_as_it_went_in(client: Client) -> None:
    scenario_create(title="one", text=document("a"))
    response = client.get("/scenarios/one/document.json")
    assert response.content == document("a")
    assert response.headers["Content-Type"] == "application/json"
    assert client.get("/scenarios/none/document.json").status_code == 404


def test_an_example_that_is_broken_does_not_take_the_page_along(client: Client, tmp_path: Any, settings: Any) -> None:
    settings.EXAMPLES = tmp_path
    (tmp_path / "1-default.json").write_bytes(b"{")
    (tmp_path / "2-good.json").write_bytes(document("a"))
    page = page_of(client.get(URL))
    assert "2-good" in page
    assert "1-default" not in page


def test_a_viewer_is_offered_no_upload() -> None:
    page = page_of(signed_in(Role.VIEWER).get(URL))
    assert "Operators upload documents" in page
    assert 'href="#document"' not in page
