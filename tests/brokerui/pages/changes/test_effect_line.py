"""The line of effect: what a draft, or further edits, would do, counted and in one sentence."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from brokerui.analysis.effect.change import change_of
from brokerui.analysis.effect.effect import Effect, effect_of
from brokerui.changes.models import SavedDraft
from brokerui.changes.services import draft_create
from brokerui.pages.changes import effect_line
from routing.documents.edits_json import edits_as_json
from routing.model.estate import Edit
from tests.brokerui.changes.helpers import drop, put
from tests.brokerui.estate.helpers import TWO, brought_in
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]
AWAY = put("Parts", "tcp://nobody.example")


def made(*edits: Edit) -> SavedDraft:
    brought_in(TWO)
    return draft_create(name="Move parts", author="ada", edits=edits)


def line(client: Client, draft: SavedDraft, *further: Edit, **more: str) -> Any:
    address = f"/changes/{draft.id}/effect-line/"
    if not further and not more:
        return client.get(address)
    return client.post(address, {"edits": json.dumps(edits_as_json(further)), **more})


def state(answer: Any) -> str:
    found = re.search(r'data-state="(\w+)"', answer.content.decode())
    assert found is not None
    return found[1]


def words(answer: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def test_a_draft_without_edits_changes_nothing(viewer: Client) -> None:
    answer = line(viewer, made())
    assert state(answer) == "nothing"
    assert "every conversation goes as it does now" in words(answer)


def test_what_gets_worse_stands_first_by_name(viewer: Client) -> None:
    draft = made(AWAY)
    answer = line(viewer, draft)
    assert state(answer) == "settled"
    assert "Orders on here" in words(answer)
    assert "nobody.example" in words(answer)
    assert 'aria-live="polite"' in answer.content.decode()


def test_further_edits_are_compared_with_the_draft_and_not_written(viewer: Client) -> None:
    draft = made(put("Unused"))
    answer = line(viewer, draft, AWAY)
    assert state(answer) == "settled"
    assert "nobody.example" in words(answer)
    draft.refresh_from_db()
    assert draft.edit_count == 1


def test_an_edit_that_does_not_fit_is_refused_with_its_reason(viewer: Client) -> None:
    answer = line(viewer, made(), drop("Nowhere"))
    assert state(answer) == "refused"
    assert "edits[0]" in words(answer)
    assert "Nowhere" in words(answer)


@pytest.mark.parametrize("text", ["{", "[" * 100_000, '{"edit": "put_route"}', "[1]", "nul"])
def test_what_is_no_list_of_edits_is_refused(viewer: Client, text: str) -> None:
    answer = viewer.post(f"/changes/{made().id}/effect-line/", {"edits": text})
    assert (answer.status_code, state(answer)) == (200, "refused")


def test_while_it_counts_the_old_sentence_stays_and_the_line_asks_again(
    viewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effect_line, "FIRST_S", 0)
    draft = made(put("NotComparedByAnotherTest"))
    old = "1 kind of conversation <gets> better"
    answer = line(viewer, draft, AWAY, old=old)
    assert state(answer) == "counting"
    assert old in words(answer)
    assert "targets compared" in words(answer)
    assert 'hx-trigger="load' in answer.content.decode()
    again = line(viewer, draft, AWAY, old=old, again="1")
    assert state(again) == "settled"
    assert old not in words(again)


def test_the_counts_are_those_of_the_differential(viewer: Client) -> None:
    draft = made(AWAY)
    effect: Effect = effect_of(change_of(draft), draft.created_at).work(60)
    assert effect.is_settled
    counts = effect.ends.counts
    assert counts["better"] > 0
    assert f"{counts['better']} better" in words(line(viewer, draft))


def test_there_is_no_line_for_a_draft_that_is_not_there(viewer: Client) -> None:
    assert viewer.get("/changes/99/effect-line/").status_code == 404
