"""Preferences hold on every page, over what the browser has chosen, and are the product's where nobody chose."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client, override_settings

from brokerui.accounts.levels import Role
from brokerui.accounts.preference_services import preferences_of, preferences_save
from brokerui.accounts.preferences import DEFAULTS, preferences_checked
from brokerui.estate.models import AuditEntry
from routing.common.errors import Invalid
from tests.brokerui.api.helpers import change
from tests.brokerui.site import signed_in, user_of

pytestmark = pytest.mark.django_db
CHOSEN = {"theme": "dark", "density": "compact", "clock": "12", "zone": " europe/berlin ", "keys": ""}


@pytest.fixture
def viewer() -> Client:
    return signed_in(Role.VIEWER)


def root_of(client: Client) -> str:
    return client.get("/scenarios/").content.decode().partition("<html ")[2].partition(">")[0]


def test_a_choice_holds_over_that_of_the_browser(viewer: Client) -> None:
    viewer.cookies["theme"] = "light"
    assert viewer.post("/account/preferences/", CHOSEN).status_code == 302
    viewer.cookies["theme"] = "light"
    for part in ('data-theme="dark"', 'data-density="compact"', 'data-keys="off"'):
        assert part in root_of(viewer)
    assert "Europe/Berlin" in viewer.get("/scenarios/").content.decode()


def test_the_theme_button_and_the_tick_of_the_keys_change_the_same_preferences(viewer: Client) -> None:
    viewer.post("/theme/", {"theme": "dark"})
    viewer.post("/shortcuts/", {"keys": "off"})
    viewer.cookies.pop("theme")
    viewer.cookies.pop("shortcuts")
    assert 'data-theme="dark"' in root_of(viewer)
    assert 'data-keys="off"' in root_of(viewer)


def test_without_a_choice_they_are_those_of_the_product(viewer: Client) -> None:
    assert 'data-theme="auto"' in root_of(viewer)
    assert 'data-density="comfortable"' in root_of(viewer)
    assert "data-keys" not in root_of(viewer)
    assert "<b>UTC</b>" in viewer.get("/scenarios/").content.decode()


@pytest.mark.parametrize(
    ("name", "value"), [("zone", "Europe/Atlantis"), ("clock", 13), ("theme", "pink"), ("density", ""), ("keys", 2)]
)
def test_what_cannot_be_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(Invalid) as error:
        preferences_checked({name: value})
    assert error.value.path == name


def test_the_page_says_what_is_wrong_and_keeps_nothing(viewer: Client) -> None:
    answer = viewer.post("/account/preferences/", {**CHOSEN, "zone": "Berlin"})
    assert answer.status_code == 422
    assert "e.g. Europe/Berlin" in answer.content.decode()
    assert preferences_of(user_of(Role.VIEWER)) is None


def test_a_read_only_site_keeps_the_choice_in_the_browser(viewer: Client) -> None:
    with override_settings(READ_ONLY=True):
        viewer.post("/theme/", {"theme": "dark"})
        assert 'data-theme="dark"' in root_of(viewer)
    assert preferences_of(user_of(Role.VIEWER)) is None


def test_rest_reads_and_changes_them(viewer: Client) -> None:
    assert viewer.get("/api/v1/me/preferences/").json()["zone"] == "UTC"
    answer = change(viewer, "patch", "/api/v1/me/preferences/", {"zone": "Asia/Kolkata", "clock": 12})
    assert answer.json() == {
        "theme": "auto",
        "density": "comfortable",
        "zone": "Asia/Kolkata",
        "clock": 12,
        "keys": True,
    }
    refused = change(viewer, "patch", "/api/v1/me/preferences/", {"clock": 13})
    assert refused.status_code == 422
    assert "clock" in json.dumps(refused.json())


def test_pages_and_files_are_in_the_zone_and_addresses_in_utc(viewer: Client) -> None:
    viewer.post("/account/preferences/", CHOSEN)
    answer = viewer.get("/routes/?as_of=2030-01-31+2:05+PM&q=x")
    assert answer.headers["Location"] == "/routes/?as_of=2030-01-31T13%3A05%3A00Z&q=x"
    head = b"".join(viewer.get("/routes/routes.csv?scenario=1-default")).decode().partition("\r\n")[0]
    assert "lifetime (Europe/Berlin)" in head
    piece = viewer.get("/where/?at=2030-01-31+14:05&scenario=1-default", headers={"HX-Request": "true"})
    assert piece.headers["HX-Push-Url"] == "/where/?at=2030-01-31T13%3A05%3A00Z&scenario=1-default"
    assert viewer.get("/api/v1/routes/?as_of=2030-01-31").status_code != 302


def test_what_does_not_change_has_no_entry() -> None:
    user = user_of(Role.VIEWER)
    preferences_save(user=user, given={"theme": DEFAULTS.theme})
    assert not AuditEntry.objects.filter(action="preferences.change").exists()
