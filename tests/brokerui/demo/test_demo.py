"""The estate that a new home starts with: loaded once, said to be one, taken away without what users imported."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from brokerui.changes.models import SavedDraft
from brokerui.demo.hosted import HOSTED
from brokerui.demo.selectors import FAULTY, demo_instances
from brokerui.demo.services import EXAMPLE, demo_load
from brokerui.estate.models import AuditEntry, Version
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.selectors import estate_as_of, estate_current
from brokerui.estate.services import estate_edit, estate_import
from routing.model.edits import PutDatabase, PutInstance, PutRoute
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route
from tests.brokerui.demo.helpers import demo_remove

pytestmark = pytest.mark.django_db

SERVERS = ["shop", "office", "depot", *HOSTED]
REMOVE = "/demo/remove/"
NOTICE = "This is the demo estate"
MEND = "Mend one of the six faults"


def names() -> list[str]:
    return list(estate_current().estate.instances)


def test_a_new_home_gets_it_and_the_history_says_who_did() -> None:
    assert demo_load() is True
    assert sorted(names()) == sorted(demo_instances()) == sorted(SERVERS)
    version = Version.objects.get()
    assert (version.number, version.author, version.note) == (1, "demo", "the demo that a new home starts with")


def test_it_comes_only_where_nothing_was_ever_imported() -> None:
    demo_load()
    demo_remove(author="me")
    assert demo_load() is False
    assert names() == []


def test_an_estate_of_ones_own_is_never_touched() -> None:
    estate_import(estate=Estate({"mine": Instance("mine")}), author="me")
    assert demo_load() is False
    assert (names(), demo_instances()) == (["mine"], [])


def test_removing_it_leaves_what_was_imported_and_the_history() -> None:
    demo_load()
    live = estate_current().estate.with_instance(Instance("mine"))
    estate_import(estate=live, author="me", imported=["mine"])
    assert sorted(demo_remove(author="me")) == sorted(SERVERS)
    assert (names(), demo_instances()) == (["mine"], [])
    assert sorted(estate_as_of(version=1).estate.instances) == sorted(SERVERS)


def test_a_server_that_was_read_anew_is_no_demo_any_more() -> None:
    demo_load()
    estate_import(estate=estate_current().estate, author="me", imported=["shop"])
    assert sorted(demo_instances()) == sorted(set(SERVERS) - {"shop"})


def test_an_edit_of_its_servers_leaves_it_the_demo() -> None:
    demo_load()
    shop = estate_current().estate.instances["shop"]
    edited = PutInstance(shop.with_database(next(iter(shop.databases.values()))))
    estate_edit(edits=[edited, PutInstance(Instance("new"))], base_version=1, author="me")
    assert sorted(demo_instances()) == sorted(SERVERS)


def test_the_faults_are_offered_to_be_mended_on_the_map_as_long_as_their_instances_are_there(editor: Client) -> None:
    demo_load()
    assert set(FAULTY) == set(scenario_get(EXAMPLE).instances)
    assert MEND in editor.get("/where/").content.decode()
    answer = editor.post("/changes/", {"name": "Mend the demo", "on_map": "on"})
    assert answer.headers["Location"] == f"/map/?draft={SavedDraft.objects.get().id}"
    estate_import(estate=estate_current().estate, author="me", imported=["shop"])
    assert MEND not in editor.get("/where/").content.decode()


@pytest.mark.parametrize("path", ["/where/", "/scenarios/", "/where/?as_of=1", "/account/password/"])
def test_every_page_says_so(client: Client, path: str) -> None:
    demo_load()
    page = client.get(path).content.decode()
    assert NOTICE in page
    assert "Remove the 6 instances of the demo" in page


@pytest.mark.parametrize("path", ["/where/?scenario=1-default", "/where/?scenario=three-servers"])
def test_a_page_about_a_scenario_does_not(client: Client, path: str) -> None:
    demo_load()
    assert NOTICE not in client.get(path).content.decode()


def test_one_click_removes_it(editor: Client) -> None:
    demo_load()
    page = editor.post(REMOVE, follow=True).content.decode()
    assert "The demo is removed: 6 instances. Version 1 still shows it." in page
    assert NOTICE not in page
    entry = AuditEntry.objects.latest("at")
    assert (entry.action, entry.note) == ("estate.edit", "the demo is removed")
    assert names() == []
    again = editor.post(REMOVE, follow=True).content.decode()
    assert "There is no demo any more." in again
    assert Version.objects.count() == 2, "removing nothing makes no version"


def test_conversations_of_other_instances_are_named_before_they_get_worse(editor: Client) -> None:
    demo_load()
    address = next(iter(estate_current().estate.instances["shop"].addresses))
    to_shop = Route("ToShop", "//example/orders/Cart", None, None, address)
    mine = [PutInstance(Instance("mine")), PutDatabase("mine", Database("Own")), PutRoute("mine", "Own", to_shop)]
    estate_edit(edits=mine, base_version=1, author="me")
    page = editor.post(REMOVE)
    text = unescape(page.content.decode())
    assert (page.status_code, len(names())) == (200, 7)
    assert "Conversations of other instances depend on them." in text
    assert "gets worse" in text
    missing = editor.post(REMOVE, {"is_asked": "1"})
    assert missing.status_code == 422
    assert "Nothing is saved yet" in missing.content.decode()
    token = re.findall(r'name="consent"[^>]*value="([^"]+)"', text)[0]
    editor.post(REMOVE, {"consent": token})
    assert names() == ["mine"]


def test_it_takes_who_may_edit(operator: Client, viewer: Client, stranger: Client, editor: Client) -> None:
    demo_load()
    for one in (operator, viewer):
        assert one.post(REMOVE).status_code == 403
        page = one.get("/where/").content.decode()
        assert NOTICE in page
        assert "instances of the demo" not in page
    assert stranger.post(REMOVE).status_code == 302
    assert editor.get(REMOVE).status_code == 405
    assert len(names()) == 6


def test_nobody_removes_it_from_a_read_only_site(client: Client, settings: Any) -> None:
    demo_load()
    settings.READ_ONLY = True
    assert client.post(REMOVE).status_code == 403
    assert len(names()) == 6


def test_a_change_at_the_same_moment_is_told(editor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    demo_load()
    seen = estate_current()
    estate_edit(edits=[PutInstance(Instance("new"))], base_version=1, author="other")
    monkeypatch.setattr("brokerui.pages.demo.views.estate_current", lambda: seen)
    page = editor.post(REMOVE, follow=True).content.decode()
    assert "Somebody changed the estate at the same time." in page
    assert len(names()) == 7


def test_two_that_load_it_at_once_make_one_version(monkeypatch: pytest.MonkeyPatch) -> None:
    demo_load()
    monkeypatch.setattr("brokerui.demo.services.live_version", lambda: 0)
    assert demo_load() is False
    assert Version.objects.count() == 1
    assert sorted(demo_instances()) == sorted(SERVERS)
