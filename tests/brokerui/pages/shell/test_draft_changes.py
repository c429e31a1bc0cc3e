"""Pages of a draft mark what differs from the version that it was made on."""

from __future__ import annotations

from html import unescape

import pytest
from django.test import Client

from brokerui.changes.models import SavedDraft
from brokerui.changes.services import draft_create
from routing.model.edits import PutDatabase
from routing.model.estate import Database
from tests.brokerui.analysis.reachability.test_page import figure
from tests.brokerui.changes.helpers import drop, put
from tests.brokerui.estate.helpers import REACHED, brought_in
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]
AWAY, ATTIC = put("R", "tcp://nowhere.example"), PutDatabase("there", Database("Attic"))


@pytest.fixture
def moved() -> SavedDraft:
    """A draft that sends the conversation for Parts out of the estate."""
    brought_in(REACHED)
    return draft_create(name="Move", author="ada", edits=[AWAY])


def text_of(client: Client, path: str, draft: SavedDraft, **query: str) -> str:
    page = client.get(path, {"draft": draft.id, **query})
    assert page.status_code == 200
    return unescape(page.content.decode())


def test_where_says_how_the_conversation_ended_before(viewer: Client, moved: SavedDraft) -> None:
    question = {"from": "here/Orders", "to": "Parts"}
    page = text_of(viewer, "/where/", moved, **question)
    assert "by the edits of this draft" in page
    assert "/where/?as_of=1&from=here" in page
    idle = draft_create(name="Attic", author="ada", edits=[ATTIC])
    assert "change nothing for this conversation: it ends as in version 1" in text_of(
        viewer, "/where/", idle, **question
    )
    assert "edits of this draft" not in viewer.get("/where/", question).content.decode()


def test_reachability_marks_the_pairs_that_the_draft_changes(viewer: Client, moved: SavedDraft) -> None:
    page = text_of(viewer, "/reachability/", moved)
    assert "The edits of this draft change 1 of these pairs since version 1." in page
    assert page.count('class="draft-mark" role="img"') == 1
    assert "changed by the draft; before: " in page
    marks = [trace for trace in figure(viewer.get("/reachability/", {"draft": moved.id}))["data"] if "text" in trace]
    assert [trace["text"] for trace in marks] == [["Δ"]]
    idle = draft_create(name="Nothing", author="ada", edits=[])
    assert "change none of these pairs" in text_of(viewer, "/reachability/", idle)


def test_flow_counts_the_ways_before(viewer: Client, moved: SavedDraft) -> None:
    page = text_of(viewer, "/flow/", moved)
    assert "change 1 of these pairs since version 1" in page
    assert page.count("before: ") >= 2  # the stream that is gone, and the one that is new
    assert "before: 1," in page
    assert "before: 0," in page


def test_rest_answers_for_the_draft_and_its_base(viewer: Client, moved: SavedDraft) -> None:
    conversation = {"from": {"instance": "here", "database": "Orders"}, "to_service": "Parts"}
    body = {"conversation": conversation, "draft": str(moved.id)}
    answer = viewer.post("/api/v1/whatif/", body, content_type="application/json").json()
    assert (answer["before"]["verdict"], answer["verdict"]) == ("must_deliver", "exits")


def test_a_list_over_rest_names_the_rows_that_the_draft_changes(viewer: Client, moved: SavedDraft) -> None:
    routes = viewer.get("/api/v1/routes/", {"draft": moved.id, "instance": "here"}).json()
    altered = next(row["id"] for row in routes["results"] if row["name"] == "R")
    assert routes["changed"] == {"added": [], "altered": [altered], "dropped": []}
    more = draft_create(name="More", author="ada", edits=[put("S"), drop("R"), ATTIC])
    edited = viewer.get("/api/v1/routes/", {"draft": more.id}).json()
    added = next(row["id"] for row in edited["results"] if row["name"] == "S")
    assert edited["changed"] == {"added": [added], "altered": [], "dropped": [altered]}
    assert len(viewer.get("/api/v1/databases/", {"draft": more.id}).json()["changed"]["added"]) == 1
    assert "changed" not in viewer.get("/api/v1/routes/").json()
    assert "changed" not in viewer.get(edited["next"] or "/api/v1/routes/?as_of=1").json()
