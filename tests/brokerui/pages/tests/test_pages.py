"""The pages of routing tests: files as text and as uploads, errors at their line, results; and a draft's review."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from brokerui.analysis.routing_tests.models import KeptTestFile
from brokerui.analysis.routing_tests.services import routing_tests_write
from brokerui.changes.services import draft_create
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.services import estate_import
from routing.model.edits import DropRoute

TEXT = """\
tests:
- {name: reserved, from: shop/Orders, to: //example/stock/Reserve, must: delivered}
- {name: posted, from: shop/Orders, to: //example/ledger/Post, must: delivered}
- {name: answered, from: depot/Stock, to: //example/orders/Cart, reply: true, must: delivered shop/Orders}
"""
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def example() -> None:
    estate_import(estate=scenario_get("three-servers"), author="import")


@pytest.fixture
def kept() -> KeptTestFile:
    return routing_tests_write(name="stock.yaml", text=TEXT, seen="", author="ana")


def upload(client: Client, content: bytes, name: str = "new.yaml") -> Any:
    return client.post("/tests/", {"document": SimpleUploadedFile(name, content)}, follow=True)


def test_an_upload_is_kept_under_its_name(editor: Client) -> None:
    page = upload(editor, TEXT.encode())
    assert page.request["PATH_INFO"] == "/tests/file/new.yaml/"
    assert KeptTestFile.objects.get().text == TEXT
    assert b"is kept already" in upload(editor, b"tests: []").content
    assert KeptTestFile.objects.get().text == TEXT


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        (b"\xff", "a.yaml", "is not UTF-8"),
        (b"tests:\n- {name: a}", "a.yaml", "is missing"),
        (b"tests: []", "a b.yaml", "must be letters"),
        (b"#" * ((1 << 20) + 1), "a.yaml", "is larger than"),
    ],
)
def test_an_upload_that_is_refused_says_why(editor: Client, content: bytes, name: str, says: str) -> None:
    page = upload(editor, content, name)
    assert (page.status_code, says in page.content.decode()) == (422, True)
    assert not KeptTestFile.objects.exists()


def test_the_list_counts_what_fails_on_the_live_estate(viewer: Client, kept: KeptTestFile) -> None:
    page = viewer.get("/tests/").content.decode()
    assert "stock.yaml" in page
    assert "1 fails" in page
    assert "data-drop" not in page, "a viewer uploads nothing"


def test_a_file_shows_failed_tests_first_with_what_they_got(viewer: Client, kept: KeptTestFile) -> None:
    answer = viewer.get("/tests/file/stock.yaml/")
    names = [result.judgement.test.name for result in answer.context["page"].results]
    assert names == ["posted", "reserved", "answered"]
    assert "exits tcp://office.example:1433" in answer.content.decode()
    assert viewer.get("/tests/file/none.yaml/").status_code == 404


def test_an_error_is_shown_at_its_line_and_what_was_typed_stays(editor: Client, kept: KeptTestFile) -> None:
    typed = TEXT.replace("delivered}", "lost}", 1)
    page = editor.post("/tests/file/stock.yaml/", {"sql": typed, "seen": kept.digest})
    text = page.content.decode()
    assert page.status_code == 422
    assert 'data-line="2"' in text
    assert "must: lost" in text
    again = editor.post("/tests/file/stock.yaml/", {"sql": TEXT, "seen": page.context["page"].seen})
    assert again.status_code == 302


def test_two_editors_do_not_overwrite_each_other(editor: Client, kept: KeptTestFile) -> None:
    routing_tests_write(name="stock.yaml", text="tests: []", seen=kept.digest, author="bo")
    page = editor.post("/tests/file/stock.yaml/", {"sql": TEXT, "seen": kept.digest})
    assert (page.status_code, "Somebody changed the file" in page.content.decode()) == (409, True)
    editor.post("/tests/file/stock.yaml/delete/", {"seen": kept.digest})
    assert KeptTestFile.objects.get().text == "tests: []"


def test_a_new_file_takes_a_free_name(editor: Client, kept: KeptTestFile) -> None:
    assert editor.post("/tests/new/", {"name": "stock.yaml", "sql": TEXT}).status_code == 409
    assert editor.post("/tests/new/", {"name": "", "sql": TEXT}).status_code == 422
    assert editor.post("/tests/new/", {"name": "other.yaml", "sql": TEXT}).status_code == 302
    assert KeptTestFile.objects.count() == 2


def test_the_review_of_a_draft_shows_the_tests_that_fail_by_it(viewer: Client, kept: KeptTestFile) -> None:
    draft = draft_create(name="Drop", edits=[DropRoute("shop", "Orders", "ReserveRoute")], author="ana")
    answer = viewer.get(f"/changes/{draft.id}/review/")
    page, text = answer.context["page"], answer.content.decode()
    assert [result.judgement.test.name for result in page.failed_tests] == ["reserved", "posted"]
    assert "2 of 3 routing tests fail with these edits" in text
    assert "1 of them fails without the edits as well" in text
    assert "delayed shop service_not_found" in text


def test_the_review_says_that_all_pass(viewer: Client) -> None:
    routing_tests_write(name="stock.yaml", text="".join(TEXT.splitlines(True)[:2]), seen="", author="ana")
    draft = draft_create(name="Drop", edits=[DropRoute("shop", "Orders", "ArchiveRoute")], author="ana")
    assert "the routing test, with these edits" in viewer.get(f"/changes/{draft.id}/review/").content.decode()
