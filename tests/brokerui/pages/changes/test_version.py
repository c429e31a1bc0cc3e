"""The page of one version: what differs, in words, as T-SQL and by object, and the way back as a draft."""

from __future__ import annotations

import pytest
from django.test import Client

from brokerui.accounts.levels import Role
from brokerui.changes.models import SavedDraft
from brokerui.estate.selectors import estate_as_of
from brokerui.pages.changes import version_page
from routing.documents.estate_document import write_estate
from routing.model.edits import DropInstance, SetHopLimit
from tests.brokerui.changes.helpers import document_of, drop, put
from tests.brokerui.estate.helpers import REACHED, TWO, brought_in, changed
from tests.brokerui.pages.changes.test_page import words_of
from tests.brokerui.site import nothing_shown, signed_in

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown", "history")]


@pytest.fixture
def history() -> None:
    """Four versions: an import, two routes more, another address of the first, and the hop limit."""
    brought_in(TWO)
    changed(put("one"), put("two"))
    changed(put("one", "tcp://elsewhere.example"))
    changed(SetHopLimit(7), drop("two"))


def shown(client: Client, path: str) -> str:
    return words_of(client.get(f"/changes/versions/{path}"))


def test_a_version_says_what_differs_from_the_one_before() -> None:
    page = shown(signed_in(Role.VIEWER), "3/")
    assert "What changed in version 3" in page
    assert "compared with version 2" in page
    assert "1 altered" in page
    assert "Alters route one of here/Orders: address tcp://there.example → tcp://elsewhere.example." in page
    assert "two" not in page.partition("Differences")[2].partition("The estate in version")[0]


def test_any_two_versions_are_compared_either_way(editor: Client) -> None:
    assert "Adds route one to here/Orders" in shown(editor, "3/?against=1")
    back = shown(editor, "1/?against=3")
    assert "Drops route one of here/Orders." in back
    assert "Drops route two of here/Orders." in back
    assert "Nothing differs" in shown(editor, "3/?against=3")


def test_conversations_that_end_otherwise_are_named(editor: Client) -> None:
    brought_in(REACHED)
    changed(put("R", "tcp://elsewhere.example"))
    page = shown(editor, "6/").partition("Conversations")[2]
    assert "1 worse, 0 elsewhere, 0 better" in page
    assert "Worse Orders on here → Parts" in page
    assert "always delivered to Parts on there" in page
    assert "After: always sent out of the estate to tcp://elsewhere.example" in page


def test_what_differs_is_there_as_statements_and_as_objects(editor: Client) -> None:
    sql = shown(editor, "4/?show=sql")
    assert "DROP ROUTE [two]" in sql
    assert "hop_limit" not in sql
    objects = shown(editor, "4/?show=objects")
    assert "hop_limit Before: 10 After: 7" in objects
    assert "here/Orders routes two" in objects
    assert "Lets a message be forwarded up to 7 times." in shown(editor, "4/")


def test_the_first_version_is_compared_with_the_empty_estate(editor: Client) -> None:
    page = shown(editor, "1/")
    assert "compared with the empty estate before the first version" in page
    assert "Adds instance here." in page
    assert "CREATE DATABASE [Orders]" in shown(editor, "1/?show=sql")


def test_an_instance_that_was_dropped_has_every_view(editor: Client) -> None:
    changed(DropInstance("here"))
    assert "Drops instance here with all its databases." in shown(editor, "5/")
    assert "here" in shown(editor, "5/?show=sql")
    assert "here instance" in shown(editor, "5/?show=objects")


def test_large_differences_are_counted_beyond_what_is_listed(editor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version_page, "SHOWN_ROWS", 2)
    changed(*(put(f"many{number}") for number in range(5)))
    page = shown(editor, "5/")
    assert page.count("Adds route") == 2
    assert "3 more differences are not listed; the documents have all." in page
    assert "3 more objects differ and are not listed; the documents have all." in shown(editor, "5/?show=objects")
    assert "more lines are in the copy." in shown(editor, "5/?show=sql")


def test_pages_lead_to_the_estate_of_then(editor: Client) -> None:
    answer = editor.get("/changes/versions/2/").content.decode()
    for page in ("/map/", "/routes/", "/findings/"):
        assert f'href="{page}?as_of=2"' in answer
    assert 'href="/changes/versions/2/"' in editor.get("/map/?as_of=2").content.decode()
    assert 'href="/changes/versions/2/"' in editor.get("/tables/estate/version/").content.decode()


def test_a_version_that_never_was_is_said_so(editor: Client) -> None:
    assert editor.get("/changes/versions/9/").status_code == 404
    assert editor.get("/changes/versions/0/").status_code == 404
    answer = editor.get("/changes/versions/2/?against=9")
    assert answer.status_code == 404
    assert "There is no version 9; the newest is 4." in words_of(answer)
    assert editor.get("/changes/versions/2/?against=x").status_code == 404


def test_editors_restore_a_version_as_a_draft(editor: Client) -> None:
    assert "Restore as a draft" in shown(editor, "2/")
    page = words_of(editor.post("/changes/versions/2/restore/", follow=True))
    assert "Restore version 2" in page
    assert document_of(SavedDraft.objects.get()) == write_estate(estate_as_of(version=2).estate)


def test_the_live_version_is_not_restored(editor: Client) -> None:
    assert "Restore as a draft" not in shown(editor, "4/")
    page = words_of(editor.post("/changes/versions/4/restore/", follow=True))
    assert "The live estate does not differ from version 4." in page
    assert editor.post("/changes/versions/9/restore/").status_code == 404
    assert not SavedDraft.objects.exists()


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_readers_see_all_and_restore_nothing(role: Role) -> None:
    client = signed_in(role)
    assert "Restore as a draft" not in shown(client, "2/")
    assert client.post("/changes/versions/2/restore/").status_code == 403
    assert not SavedDraft.objects.exists()
