"""The audit shows each act with its values before and after; page, file and REST have the same."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from brokerui.accounts.levels import Role
from brokerui.accounts.services import user_save
from brokerui.estate.audit_changes import MOST_CHARS, MOST_FIELDS, changes_of
from brokerui.estate.audit_changes import text_of as text_of_columns
from brokerui.estate.models import AuditEntry
from brokerui.estate.services import estate_edit, estate_import
from brokerui.pages.audit import listing
from routing.documents.estate_document import read_estate
from routing.model.edits import DropRoute, PutRoute, SetHopLimit
from tests.brokerui.site import document, signed_in, user_of

pytestmark = pytest.mark.django_db
FIRST = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def editor() -> Client:
    return signed_in(Role.EDITOR)


def text_of(client: Client, **query: str) -> str:
    return client.get("/audit/", query).content.decode()


def entry(number: int, **values: object) -> AuditEntry:
    given = {"at": FIRST + timedelta(minutes=number), "author": "kim", "action": "user.change", "note": f"n{number}"}
    return AuditEntry.objects.create(**{**given, **values})


def test_a_user_who_changes_is_shown_before_and_after(editor: Client) -> None:
    user_of(Role.ADMINISTRATOR)
    user_save(user=user_of(Role.VIEWER), role=Role.OPERATOR, active=False, password="Kq7-longer", author="kim")
    text = text_of(editor, action="user.change")
    for part in ("<del>viewer</del>", "<ins>operator</ins>", "may sign in"):
        assert part in text
    assert "Kq7-longer" not in "".join(str(one.changes) for one in AuditEntry.objects.all())


def test_an_edit_of_the_estate_names_fields() -> None:
    written = estate_import(estate=read_estate(document("one")), author="kim")
    instance = next(iter(written.estate.instances.values()))
    database = next(iter(instance.databases.values()))
    route = next(iter(database.table.routes.values()))
    edits = [SetHopLimit(7), DropRoute(instance.name, database.name, route.name)]
    estate_edit(edits=edits, base_version=written.version, author="kim")
    changes = AuditEntry.objects.earliest("-id").changes
    assert ["hop_limit", 10, 7] in changes
    [dropped] = [one for one in changes if one[0].endswith(f"routes {route.name}")]
    assert route.address.text in dropped[1]
    assert dropped[2] is None
    estate_edit(edits=[PutRoute(instance.name, database.name, route)], base_version=written.version + 1, author="kim")
    assert AuditEntry.objects.earliest("-id").changes[0][1] is None


def test_values_are_bounded_and_of_the_fields_that_differ() -> None:
    assert changes_of({"a": 1, "b": [1, 2]}, {"a": 1, "b": [2]}) == [["b", "1, 2", "2"]]
    assert text_of_columns({"forwarding": True, "port": 1, "note": ""}) == "forwarding yes, port 1"
    assert changes_of(None, {"at": FIRST}) == [["at", None, "2030-01-01T00:00:00Z"]]
    many = changes_of(None, {str(number): "x" * 999 for number in range(999)})
    assert len(many) == MOST_FIELDS
    assert len(many[0][2]) == MOST_CHARS + 1  # type: ignore[arg-type]  # a text


def test_an_entry_without_values_says_so(editor: Client) -> None:
    entry(1)
    assert "Written before values were kept." in text_of(editor)
    assert editor.get("/api/v1/audit/", {"author": "kim"}).json()["results"][0]["changes"] is None


def test_filters_and_pages_begin_after_a_key(editor: Client) -> None:
    for number in range(listing.ROWS + 5):
        entry(number)
    entry(500, author="lee", action="token.create", changes=[["name", None, "=1+1"]])
    text = text_of(editor, author="kim")
    assert "n104" in text
    assert "n4<" not in text
    older = text.partition('rel="next"')[0].rpartition('href="?')[2].partition('"')[0].replace("&amp;", "&")
    assert "n4<" in editor.get(f"/audit/?{older}").content.decode()
    assert "n1<" in text_of(editor, until="2030-01-01T00:02:00Z", about="n1")
    assert text_of(editor, action="token.").count("<tr id=") == 1


def test_a_moment_that_is_none_is_told(editor: Client) -> None:
    assert "yesterday" in text_of(editor, since="yesterday")


def test_the_file_has_a_line_for_each_field() -> None:
    entry(0, changes=[["role", "viewer", "editor"], ["may sign in", True, False]])
    answer = signed_in(Role.EDITOR).get("/audit/audit.csv", {"author": "kim"})
    found = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert [(row["field"], row["old"], row["new"]) for row in found] == [
        ("role", "viewer", "editor"),
        ("may sign in", "True", "False"),
    ]
    assert found[0]["at (UTC)"] == "2030-01-01T00:00:00+00:00"


def test_a_viewer_does_not_read_it() -> None:
    assert signed_in(Role.VIEWER).get("/audit/").status_code == 403
    assert signed_in(Role.VIEWER).get("/api/v1/audit/").status_code == 403


def pages(client: Client) -> Iterator[list[str]]:
    url = "/api/v1/audit/?limit=2&author=kim"
    while url:
        body = client.get(url).json()
        yield [row["note"] for row in body["results"]]
        url = body["next"]


def test_rest_has_the_same_by_pages(editor: Client) -> None:
    for number in (3, 1, 2):
        entry(number)
    entry(2, note="n2b", changes=[["role", "viewer", "editor"]])
    assert [note for page in pages(editor) for note in page] == ["n3", "n2b", "n2", "n1"]
    row = editor.get("/api/v1/audit/", {"about": "n2b"}).json()["results"][0]
    assert row["changes"] == [{"field": "role", "old": "viewer", "new": "editor"}]


def test_columns_of_page_and_file_are_those_of_the_address(editor: Client) -> None:
    entry(1, changes=[["role", "viewer", "operator"]])
    text = text_of(editor, columns="author,changes")
    assert "<ins>operator</ins>" in text
    assert "user.change</code>" not in text
    lines = editor.get("/audit/audit.csv", {"columns": "author,changes"}).getvalue().decode().splitlines()
    assert lines[0] == "at (UTC),author,field,old,new"
    assert editor.get("/audit/", {"columns": "secret"}).status_code == 400


def test_the_page_says_yes_and_no_and_breaks_acts_behind_a_full_stop(editor: Client) -> None:
    entry(0, action="pipeline.generate", changes=[["may sign in", True, False]])
    text = text_of(editor)
    assert "pipeline.<wbr>generate" in text
    assert re.search(r"<del>yes</del>.*<ins>no</ins>", text)
    assert "True" not in text
