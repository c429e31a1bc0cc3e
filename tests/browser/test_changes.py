"""Drafts in a real browser: their pages and those of the estate with them, in both themes, wide and narrow."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from brokerui.changes.models import SavedDraft
from brokerui.changes.services import draft_create
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.services import estate_import
from routing.documents.edits_json import edits_from
from tests.browser.conftest import faults_in_a_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def drafted() -> SavedDraft:
    """A draft of an example: a route is added, another one altered, a third one dropped."""
    estate = scenario_get("three-servers")
    estate_import(estate=estate, author="import")
    names = list(estate.instances)
    here = estate.instances[names[0]]
    database, table = next(
        (name, table.routes) for name, table in here.tables.items() if name and len(table.routes) > 2
    )
    first, second = list(table.values())[:2]
    route = {"remote_service_name": "Billing", "address": "tcp://elsewhere.example:4022"}
    place = {"instance": names[0], "database": database}
    return draft_create(
        name="Move billing to elsewhere",
        description="Asked for by the people of billing.",
        author="ada",
        edits=edits_from(
            [
                {"edit": "put_route", **place, "route": {"name": "ToBilling", **route}},
                {"edit": "put_route", **place, "route": {"name": first.name, **route}},
                {"edit": "drop_route", **place, "name": second.name},
                {
                    "edit": "set_forwarding",
                    "instance": names[-1],
                    "forwarding": not estate.instances[names[-1]].forwarding,
                },
            ]
        ),
    )


@pytest.mark.parametrize("path", ["/changes/{0}/", "/changes/", "/routes/?draft={0}", "/map/?draft={0}"])
def test_a_draft_is_seen(site: Page, path: str) -> None:
    draft = drafted()
    site.goto(path.format(draft.id))
    expect(site.locator("h1")).to_have_count(1)
    assert faults_in_a_look(site) == []
