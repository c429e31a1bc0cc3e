"""Queues and brokers switched off or on: routing delivers as before, and the effect says which messages wait."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from brokerui.analysis.effect.change import change_of, change_of_edits
from brokerui.analysis.effect.consent import ConsentMissingError, preview_from_json, save_preview
from brokerui.analysis.effect.effect import forget
from brokerui.analysis.effect.saving import draft_apply
from brokerui.changes.services import draft_create
from brokerui.estate.selectors import LiveEstate, estate_current, live_version
from brokerui.estate.services import estate_import
from routing.model.edits import DropRoute, SetBroker, SetQueue
from routing.model.estate import Edit, Estate
from tests.routing.small import database, estate, host, to

ID = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"
OFF = SetQueue("hub", "Stock", "dbo.Parts", False)


def shop(*, on: bool = True, **stock: Any) -> Estate:
    queues = [{"name": "dbo.Parts", "enabled": on}, {"name": "dbo.Idle", "enabled": True}]
    services = [{"name": "Parts", "queue": "DBO.PARTS"}, {"name": "Unrouted", "queue": "dbo.Idle"}]
    target = {"name": "Stock", "services": services, "queues": queues, "routes": [], "broker_instance": ID, **stock}
    orders = database("Orders", "Buy", routes=[to("hub", "Parts"), to("LOCAL")])
    return estate(host("edge", orders), host("hub", target, outside=[to("LOCAL", "Parts")]))


def preview(before: Estate, *edits: Edit) -> Any:
    forget()
    return save_preview(change_of_edits(LiveEstate(1, "live", before), edits), timezone.now(), 60)


def says(found: Any) -> str:
    return " ".join(str(one) for one in found.says)


@pytest.mark.django_db
def test_a_queue_that_is_switched_off_is_asked_about_by_the_conversations_that_arrive() -> None:
    found = preview(shop(), OFF)
    assert (found.worse, len(found.held), found.asks) == (0, 1, True)
    assert (
        "The queue dbo.Parts of Stock on hub is off then: messages to Parts from 4 entry points (first Orders on edge)"
        in says(found)
    )
    assert "wait in the transmission queue of Stock until it is on" in says(found)
    kept = preview_from_json(found.as_json())
    assert (kept.held, kept.token) == (found.held, found.token)


@pytest.mark.django_db
def test_a_queue_that_is_switched_on_asks_nothing_and_says_what_it_takes() -> None:
    found = preview(shop(on=False), SetQueue("hub", "Stock", "dbo.Parts", True))
    assert (found.worse, found.held, found.asks) == (0, (), False)
    assert "is on then: it takes messages to Parts from 4 entry points" in says(found)


@pytest.mark.django_db
def test_a_queue_of_a_sender_holds_answers_and_one_that_takes_none_is_not_mentioned() -> None:
    answers = preview(shop(), SetQueue("hub", "Stock", "dbo.Idle", False))
    assert "messages to Unrouted from" in says(answers)
    alone = preview(shop(broker_instance=None), SetQueue("hub", "Stock", "dbo.Idle", False))
    assert (alone.asks, says(alone)) == (False, "No conversation changes.")


@pytest.mark.django_db
def test_a_sender_whose_broker_is_disabled_holds_its_messages() -> None:
    found = preview(shop(), SetBroker("edge", "Orders", False))
    assert (len(found.held), found.asks) == (1, True)
    assert "The broker of Orders on edge is disabled then" in says(found)


@pytest.mark.django_db
def test_a_draft_that_switches_a_queue_off_is_applied_only_when_that_was_seen(editor: Client) -> None:
    forget()
    estate_import(estate=shop(), author="ada")
    draft = draft_create(name="rest", author="ada", edits=[OFF])
    with pytest.raises(ConsentMissingError):
        draft_apply(number=draft.pk, revision=1, consent="", author="ada")
    assert live_version() == 1
    effect = editor.get(reverse("changes:effect", args=[draft.pk])).content.decode()
    assert "Queues and brokers" in effect
    line = editor.get(reverse("changes:effect-line", args=[draft.pk])).content.decode()
    assert "messages wait" in line
    review = editor.get(reverse("changes:review", args=[draft.pk])).content.decode()
    assert "I have seen that messages will wait" in review
    assert "is off then" in review
    token = save_preview(change_of(draft), timezone.now(), 60).token
    draft_apply(number=draft.pk, revision=1, consent=token, author="ada")
    assert not estate_current().estate.instances["hub"].databases["Stock"].queues[0].enabled
    version = editor.get(reverse("changes:version", args=[2])).content.decode()
    assert "is off then" in version


@pytest.mark.django_db
def test_what_gets_worse_and_what_waits_are_confirmed_together() -> None:
    alone, both = preview(shop(), OFF), preview(shop(), OFF, DropRoute("edge", "Orders", "R0"))
    assert both.worse > 0
    assert both.token != alone.token
