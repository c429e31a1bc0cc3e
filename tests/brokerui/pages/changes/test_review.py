"""The page of a review: edits by server, who may take which step, and the effect of each step."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from brokerui.accounts.levels import Role
from brokerui.changes import deployment
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_get
from brokerui.changes.services import draft_create
from brokerui.estate.models import Instance
from brokerui.estate.selectors import estate_current, live_version
from brokerui.estate.services import estate_edit
from routing.documents.estate_document import write_estate
from routing.model.address import parse_address
from routing.model.edits import PutDatabase, PutInstance, PutRoute, SetHopLimit
from routing.model.estate import Database, Edit
from tests.brokerui.changes.helpers import drop, put
from tests.brokerui.estate.helpers import REACHED, TWO, brought_in
from tests.brokerui.pages.changes.test_page import words_of
from tests.brokerui.site import confirmed_post, nothing_shown, signed_in

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]


def made(*edits: Edit) -> SavedDraft:
    brought_in(TWO)
    return draft_create(name="Move parts", author="ada", edits=edits or [put("one")])


def press(client: Client, draft: SavedDraft, button: str, **values: Any) -> str:
    """The page that a button leads to, as it is read."""
    sent = {"revision": draft_get(draft.id).revision, **values}
    answer = confirmed_post(client, f"/changes/{draft.id}/{button}/", sent)
    return words_of(client.get(answer.headers["Location"]) if answer.status_code == 302 else answer)


def review(client: Client, draft: SavedDraft) -> str:
    return words_of(client.get(f"/changes/{draft.id}/review/"))


def test_the_page_shows_what_is_done_on_each_server(editor: Client) -> None:
    page = review(editor, made())
    assert "Apply this edit?" in page
    assert "CREATE ROUTE [one]" in page
    assert "SET NOEXEC ON" in page
    assert "Applying it changes no SQL Server. Each changes when you run its T-SQL there: here." in page


@pytest.mark.parametrize(("show", "has_words", "has_sql"), [("words", True, False), ("sql", False, True)])
def test_words_and_sql_can_be_seen_alone(editor: Client, show: str, has_words: bool, has_sql: bool) -> None:
    page = words_of(editor.get(f"/changes/{made().id}/review/?show={show}"))
    assert ("Adds route one" in page) == has_words
    assert ("CREATE ROUTE [one]" in page) == has_sql


def test_a_change_goes_through_review_to_the_live_estate_and_back(editor: Client, settings: Any) -> None:
    settings.CHANGES_APPROVAL = "other"
    draft, before = made(), write_estate(TWO)
    assert "It can be applied once it is approved." in review(editor, draft)
    page = press(editor, draft, "submit", comment="please")
    assert "May this edit be applied?" in page
    assert "please" in page
    assert "These 1 edits" not in page
    other = signed_in(Role.ADMINISTRATOR)
    assert "This edit is approved: apply it?" in press(other, draft, "approve")
    page = press(editor, draft, "apply")
    assert "Applied as version 2" in page
    assert "Tried: it gives version 1 again, byte for byte." in page
    assert "SQL Server itself was not changed by this: on here, run the T-SQL." in page
    assert "Rolled back with version 3" in press(editor, draft, "rollback", comment="it hurts")
    assert write_estate(estate_current().estate) == before


def test_an_author_is_told_that_somebody_else_must_approve(settings: Any) -> None:
    settings.CHANGES_APPROVAL = "other"
    brought_in(TWO)
    editor = signed_in(Role.EDITOR)
    draft = draft_create(name="own", author="editor", edits=[put("one")])
    page = press(editor, draft, "submit")
    assert "You wrote edits of it: somebody else must approve it." in page
    assert "You wrote edits of this draft: somebody else must approve it." in press(editor, draft, "approve")
    assert draft_get(draft.id).state == "submitted"


def test_an_apply_for_a_while_asks_for_its_confirmation(editor: Client) -> None:
    draft = made()
    page = press(editor, draft, "apply", confirm="on", minutes="10", delayed_limit="5")
    assert "Applied as version 2: confirm it before" in page
    assert "or with more than 5 delayed conversations" in page
    assert "Applied as version 2, and confirmed" in press(editor, draft, "confirm")


@pytest.mark.parametrize(
    ("minutes", "says"),
    [("", "Say within how many minutes it has to be confirmed"), ("0", "greater than or equal to 1")],
)
def test_a_time_that_cannot_be_is_refused(editor: Client, minutes: str, says: str) -> None:
    draft = made()
    assert says in press(editor, draft, "apply", confirm="on", minutes=minutes)
    assert live_version() == 1


def test_a_draft_behind_the_live_estate_is_rebased_here(editor: Client) -> None:
    draft = made()
    estate_edit(edits=[SetHopLimit(3)], base_version=1, author="ben")
    page = review(editor, draft)
    assert "The live estate has moved on to version 2" in page
    assert "Nothing of it collides with this draft" in page
    assert 'id="apply"' not in editor.get(f"/changes/{draft.id}/review/").content.decode()
    bar = editor.get(f"/map/?draft={draft.id}").content.decode()
    assert f'href="/changes/{draft.id}/review/#moved">Rebase…</a>' in bar
    assert "on version 2, which is live" in press(editor, draft, "rebase")
    assert "Rebase…" not in editor.get(f"/map/?draft={draft.id}").content.decode()


def test_what_collides_is_shown_with_its_three_values(editor: Client) -> None:
    draft = made()
    estate_edit(edits=[put("one", "tcp://elsewhere.example")], base_version=1, author="ben")
    page = review(editor, draft)
    assert "here/Orders routes one" in page
    assert "tcp://elsewhere.example" in page
    assert "The same objects were changed in another way since" in press(editor, draft, "rebase")


def test_a_comment_stands_at_its_edit(editor: Client) -> None:
    draft = made()
    assert "why not <LOCAL>?" in press(editor, draft, "comment", comment="why not <LOCAL>?", index=0)
    assert "The draft has no edit 2." in press(editor, draft, "comment", comment="?", index=1)
    assert "A comment needs some text" in press(editor, draft, "comment", comment=" ", index=0)


def test_a_hosted_instance_is_live_at_once(editor: Client) -> None:
    draft = made()
    Instance.objects.update(hosted=True)
    assert "Live at once" in review(editor, draft)


def test_a_reader_sees_everything_and_no_button(viewer: Client) -> None:
    draft = made()
    page = viewer.get(f"/changes/{draft.id}/review/").content.decode()
    assert "CREATE ROUTE" in page
    assert f'action="/changes/{draft.id}/' not in page


def test_a_button_of_somebody_who_saw_an_older_draft_writes_nothing(editor: Client) -> None:
    draft = made()
    press(editor, draft, "comment", comment="wait", index=0)
    page = words_of(editor.post(f"/changes/{draft.id}/apply/", {"revision": 1}, follow=True))
    assert "Somebody edited this draft after you opened it." in page
    assert live_version() == 1


def test_what_gets_worse_is_named_and_has_to_be_accepted(editor: Client) -> None:
    draft = made(drop("AutoCreatedLocal"))
    assert re.search(r"I have seen the \d+ kinds? of conversation that gets? worse", review(editor, draft))
    refused = editor.post(f"/changes/{draft.id}/apply/", {"revision": draft.revision, "consent": "another"})
    assert refused.status_code == 422
    assert "Nothing is saved yet" in words_of(refused)
    assert "Orders on here →" in words_of(refused), "what gets worse is named"
    assert live_version() == 1
    assert "Applied as version 2" in press(editor, draft, "apply")


def test_the_page_says_that_the_order_was_tried(editor: Client) -> None:
    other = next(name for name in TWO.instances if name != "here")
    draft = made(put("one"), PutDatabase(other, Database("Attic")))
    assert "Tried: between the steps, no conversation is worse" in review(editor, draft)


def test_a_step_that_makes_something_worse_for_a_moment_says_so(
    editor: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A port and the route to it move: in between nobody listens where the route leads, whichever is first."""
    address = parse_address("tcp://there.example:5022")
    brought_in(REACHED)
    elsewhere = PutInstance(replace(REACHED.instances["there"], addresses=(address,)))
    draft = draft_create(name="Move parts", author="ada", edits=[put("R", address.text), elsewhere])
    page = review(editor, draft)
    assert "This is the order in which the fewest conversations are worse for a moment." in page
    assert re.search(r"Until the next step, \d+ kinds? of conversation (is|are) worse than before and after", page)
    monkeypatch.setattr(deployment, "MOST_STEPS", 1)
    deployment.forget_orders()
    assert "This order was not tried out" in review(editor, draft)


def test_rolling_back_names_what_gets_worse_by_it(editor: Client) -> None:
    made()
    local = TWO.instances["here"].databases["Orders"].table.routes["AutoCreatedLocal"]
    estate_edit(edits=[drop(local.name)], base_version=1, author="ada")
    draft = draft_create(name="Mend", author="ada", edits=[PutRoute("here", "Orders", local)])
    press(editor, draft, "apply")
    draft = draft_get(draft.id)
    refused = editor.post(f"/changes/{draft.id}/rollback/", {"revision": draft.revision})
    assert refused.status_code == 422
    assert live_version() == 3
    press(editor, draft, "rollback")
    assert live_version() == 4


def test_a_draft_that_was_rolled_back_shows_the_sql_that_takes_it_back(editor: Client) -> None:
    draft = made()
    assert "CREATE ROUTE [one]" in press(editor, draft, "apply")
    page = press(editor, draft, "rollback")
    assert "DROP ROUTE [one]" in page
    assert "CREATE ROUTE [one]" not in page
    assert "takes the change back where it was run" in page
    assert "The rollback changed no SQL Server." in page
    Instance.objects.update(imported_at=timezone.now())
    assert "Seen in the import of" in review(editor, draft)
