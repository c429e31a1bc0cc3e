"""The page of the effect of a draft: rows worst first, both ways, findings that come and go."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from brokerui.analysis.effect import effect
from brokerui.changes.models import SavedDraft
from brokerui.changes.services import draft_create
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.pages.changes import effect_views
from routing.model.address import parse_address
from routing.model.edits import DropRoute, PutRoute
from routing.model.estate import Edit
from routing.model.route import Route
from tests.brokerui.estate.helpers import brought_in
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]
ASK = DropRoute("office", "Ledger", "AskForRoutes")
NO_LABELS = DropRoute("shop", "Orders", "LabelsAtDepot")
POST = PutRoute(
    "shop",
    "Orders",
    Route("PostRoute", "//example/ledger/Post", None, None, parse_address("tcp://office.example:4022")),
)
NO_WAY_BACK = DropRoute("office", "Ledger", "BackToCart")


def made(*edits: Edit) -> SavedDraft:
    brought_in(scenario_get("three-servers"))
    return draft_create(name="Move parts", author="ada", edits=edits)


def words(answer: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def rows(answer: Any) -> list[str]:
    found = re.findall(r"<tr data-row.*?</tr>", answer.content.decode(), re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", row)).split()) for row in found]


def links(answer: Any) -> list[str]:
    return [unescape(one) for one in re.findall(r'<a href="\?([^"#]*)#row-', answer.content.decode())]


def whys_of(answer: Any) -> list[str]:
    """The addresses of the explanations before and after."""
    return [unescape(one) for one in re.findall(r'class="small" href="(/where/[^"]*)"', answer.content.decode())]


def test_the_worst_stands_first_and_counts_are_in_the_headline(viewer: Client) -> None:
    answer = viewer.get(f"/changes/{made(NO_LABELS, ASK, POST).id}/effect/")
    verdicts = [row.split()[0] for row in rows(answer)]
    assert verdicts == sorted(verdicts, key=["Worse", "Elsewhere", "Better"].index)
    assert {"Worse", "Better"} <= set(verdicts)
    assert "5 kinds of conversation get worse, 1 end elsewhere, 18 get better" in words(answer)
    assert "Of 1,365 kinds in the estate, 1,261 stay as they are." in words(answer)


def test_what_was_always_delivered_and_now_only_may_be_is_worse(viewer: Client) -> None:
    maybe = PutRoute(
        "shop",
        "Orders",
        Route("Labels2", "//example/print/Labels", None, None, parse_address("tcp://nobody.example:4022")),
    )
    two_ways = PutRoute(
        "shop", "Orders", Route("Labels3", "//example/print/Labels", None, None, parse_address("tcp://depot.example"))
    )
    answer = viewer.get(f"/changes/{made(two_ways, maybe).id}/effect/?show=worse")
    shown = " ".join(rows(answer))
    assert "Always delivered" in shown
    assert "May be delivered" in shown
    assert "May exit" in shown


def test_a_lost_way_back_is_worse_though_the_messages_arrive(viewer: Client) -> None:
    draft = made(POST, NO_WAY_BACK)
    answer = viewer.get(f"/changes/{draft.id}/effect/?show=worse")
    assert any("Ledger on office → //example/orders/Cart" in row and "replies" in row for row in rows(answer))


def test_answers_are_counted_before_and_after(viewer: Client) -> None:
    answer = viewer.get(f"/changes/{made(POST).id}/effect/?show=better")
    row = next(row for row in rows(answer) if "Orders on shop" in row and "without identifier" in row)
    assert "Always exits" in row
    assert "none → all" in row


def test_an_open_row_shows_both_ways_and_which_conversations_it_concerns(viewer: Client) -> None:
    draft = made(NO_LABELS)
    query = links(viewer.get(f"/changes/{draft.id}/effect/?show=worse"))[0]
    answer = viewer.get(f"/changes/{draft.id}/effect/?{query}")
    html = answer.content.decode()
    assert html.count('<svg class="net of-way') == 2
    assert html.count('id="to-same"') == 1
    assert "all that this database has acknowledged" in words(answer)
    whys = whys_of(answer)
    assert [why.split("?")[1].split("&")[0] for why in whys] == ["as_of=1", f"draft={draft.id}"]
    for why in whys:
        assert viewer.get(why).status_code == 200


def test_every_row_of_every_part_can_be_opened(viewer: Client) -> None:
    draft = made(NO_LABELS, ASK, POST)
    for show in ("all", "apart"):
        for query in links(viewer.get(f"/changes/{draft.id}/effect/?show={show}")):
            answer = viewer.get(f"/changes/{draft.id}/effect/?{query}")
            assert 'class="effect-detail"' in answer.content.decode(), query
            for why in whys_of(answer):
                assert viewer.get(why).status_code == 200, why


def test_findings_come_and_go(viewer: Client) -> None:
    answer = words(viewer.get(f"/changes/{made(NO_LABELS, ASK, POST).id}/effect/"))
    assert "1 new, 3 gone" in answer
    assert "New: Replies do not arrive" in answer


def test_a_long_comparison_shows_how_far_it_came_and_asks_again(
    viewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effect_views, "PAGE_S", 0)
    draft = made(ASK)
    effect.forget()
    answer = viewer.get(f"/changes/{draft.id}/effect/")
    assert "Comparing all conversations" in words(answer)
    assert 'hx-trigger="load delay:300ms"' in answer.content.decode()
    monkeypatch.setattr(effect_views, "PAGE_S", 60)
    piece = viewer.get(f"/changes/{draft.id}/effect/", headers={"HX-Request": "true"})
    assert piece.content.decode().lstrip().startswith('<div id="effect"')
    assert "targets compared" not in words(piece)


def test_a_draft_without_edits_leads_to_the_map(viewer: Client) -> None:
    draft = made()
    answer = viewer.get(f"/changes/{draft.id}/effect/")
    assert "Every conversation goes as it does now." in words(answer)
    assert f'href="/map/?draft={draft.id}"' in answer.content.decode()


def test_a_draft_that_changes_nothing_says_so(viewer: Client) -> None:
    answer = words(viewer.get(f"/changes/{made().id}/effect/?show=nonsense&page=x&row=y"))
    assert "No conversation that a route names ends otherwise" in answer
    assert "The draft brings none and mends none." in answer


def test_the_findings_of_a_draft_mark_what_it_brings(viewer: Client) -> None:
    draft = made(NO_LABELS, ASK, POST)
    page = viewer.get(f"/findings/?draft={draft.id}")
    assert "The edits of this draft bring 1 of these findings, and 3 others are gone." in words(page)
    assert words(page).count("new in this draft") == 1
    assert "new in this draft" not in words(viewer.get("/findings/"))
