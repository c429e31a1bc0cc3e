"""The default mode of an import, and what replacing would remove."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from brokerui.analysis.imports.as_text import preview_as_text
from brokerui.analysis.imports.preview import preview_of
from brokerui.analysis.imports.reading import ScriptSettings, build_estate, usual_mode
from brokerui.analysis.imports.sources import Kind, Mode, Source
from brokerui.estate.selectors import estate_current
from routing.model.estate import Estate
from tests.brokerui.analysis.imports.helpers import DEPOT, SHOP, as_live, uploaded
from tests.brokerui.analysis.imports.test_page import fields, page_of
from tests.brokerui.cli.command_line import Call, call_with, written
from tests.brokerui.estate.helpers import brought_in

AT = datetime(2030, 1, 1, tzinfo=UTC)
ALTER = "USE Orders;\nALTER ROUTE ToParts WITH ADDRESS = 'tcp://other:4022';\n"
FURTHER = "CREATE DATABASE Archive;\nGO\nUSE Archive;\nCREATE QUEUE Q;\nCREATE SERVICE Old ON QUEUE Q;\n"
AGAIN = """USE Orders;
DROP ROUTE ToParts;
CREATE ROUTE ToParts WITH SERVICE_NAME = 'Parts', ADDRESS = 'tcp://other:4022';
"""
LISTENER = "ALTER ENDPOINT Broker FOR SERVICE_BROKER (MESSAGE_FORWARDING = ENABLED);\n"
PARTNER = "USE Orders;\nCREATE ROUTE ToBank WITH SERVICE_NAME = 'Bank', ADDRESS = 'tcp://bank:4022';\n"


def script(text: str, instance: str = "shop", name: str = "a.sql") -> Source:
    return Source(name, Kind.SCRIPT, text.encode, len(text), instance)


def shop() -> Estate:
    sources = [script(SHOP), script(DEPOT, "depot", "b.sql")]
    return build_estate(sources, None, Estate(), ScriptSettings(AT)).estate


@pytest.mark.django_db
@pytest.mark.parametrize("text", [ALTER, FURTHER, AGAIN, LISTENER, PARTNER])
@pytest.mark.parametrize("name", ["shop", "SHOP"])
def test_scripts_that_change_some_objects_run_on_the_live_estate(text: str, name: str) -> None:
    live = shop()
    made = build_estate([script(text, name)], None, live, ScriptSettings(AT))
    assert (made.mode, made.findings) == (Mode.INTO, ())
    summary = preview_of(as_live(live), made, AT).summary
    assert summary["changes"]["removed"] == 0
    assert summary["removes"] == {}


@pytest.mark.django_db
@pytest.mark.parametrize("text", [SHOP, SHOP.replace("tcp://depot:4022", "tcp://depot:4023"), SHOP + PARTNER])
def test_scripts_that_make_most_of_their_instance_replace_it(text: str) -> None:
    live = shop()
    made = build_estate([script(text)], None, live, ScriptSettings(AT))
    assert made.mode is Mode.INSTANCES
    assert [finding.code for finding in made.findings] == []
    assert preview_of(as_live(live), made, AT).summary["changes"]["removed"] == 0


def test_an_instance_that_is_not_there_yet_has_nothing_to_lose() -> None:
    assert usual_mode([script(ALTER, "new")], shop(), ScriptSettings(AT)) is Mode.INSTANCES
    assert usual_mode([script(ALTER)], Estate(), ScriptSettings(AT)) is Mode.INSTANCES


def test_one_script_that_changes_something_decides_for_all() -> None:
    sources = [script(DEPOT, "depot", "b.sql"), script(ALTER)]
    assert usual_mode(sources, shop(), ScriptSettings(AT)) is Mode.INTO


@pytest.mark.django_db
def test_replacing_says_what_it_removes() -> None:
    live = shop()
    made = build_estate([script(ALTER)], Mode.INSTANCES, live, ScriptSettings(AT))
    summary = preview_of(as_live(live), made, AT).summary
    assert summary["removes"] == {
        "total": 4,
        "kinds": [("services", 1), ("queues", 1), ("routes", 1), ("endpoints", 1)],
        "instances": ["shop"],
        "instances_total": 1,
    }
    text = "".join(preview_as_text(summary))
    assert (
        "Replacing removes 4 objects: services 1, queues 1, routes 1, endpoints 1 (shop). --into runs scripts" in text
    )


# ---------------------------------------------------------------- the page, the command and REST


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "text", "mode"),
    [
        ("shop.sql", ALTER, Mode.INTO),
        ("change-4711.sql", ALTER, Mode.INTO),
        ("shop.sql", SHOP, Mode.INSTANCES),
        ("bank.sql", DEPOT, Mode.INSTANCES),
    ],
)
def test_the_form_proposes_it(editor: Client, name: str, text: str, mode: Mode) -> None:
    brought_in(shop())
    run = uploaded({name: text})
    assert run.mode == mode
    page = page_of(editor.get(f"/imports/{run.pk}/"))
    assert f'name="mode" value="{mode}" checked' in page


@pytest.mark.django_db
def test_the_page_says_in_red_what_replacing_removes_and_runs_the_scripts_instead(editor: Client) -> None:
    brought_in(shop())
    run = uploaded({"shop.sql": ALTER})
    page = page_of(editor.post(f"/imports/{run.pk}/preview/", fields(run), follow=True))
    assert '<p class="removes">Replacing removes 4 objects: services 1, queues 1, routes 1, endpoints 1 (shop).' in page
    assert 'form="assign" name="run" value="1">Run the scripts on the live estate instead</button>' in page
    page = page_of(editor.post(f"/imports/{run.pk}/preview/", fields(run) | {"run": "1"}, follow=True))
    assert "0 objects new, 1 changed, 0 removed." in page
    assert "Replacing removes" not in page


@pytest.mark.django_db
def test_the_command_says_so_and_can_be_told_otherwise(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    brought_in(shop())
    call: Call = call_with(capsys, monkeypatch)
    change = f"shop={written(tmp_path, 'change.sql', ALTER.encode())}"
    run = call("estate", "import", change, "--dry-run").out
    assert run.startswith("Run on the live estate, since the scripts change some of its objects (--instances replaces")
    assert "0 new, 1 changed, 0 removed." in run
    assert "Replacing removes 4 objects" in call("estate", "import", change, "--dry-run", "--instances").out
    assert call("estate", "import", change).out.endswith("Applied as version 2.\n")


@pytest.mark.django_db
def test_rest_says_which_it_was(editor: Client) -> None:
    brought_in(shop())
    for query, mode, removed in (("", "into", 0), ("&mode=instances", "instances", 3)):
        address = f"/api/v1/estate/import/?instance=shop&dry_run=true{query}"
        answer: Any = editor.post(address, ALTER, content_type="application/sql").json()
        assert (answer["mode"], answer["changes"]["removed"]) == (mode, removed)
    answer = editor.post("/api/v1/estate/import/?instance=shop", ALTER, content_type="application/sql").json()
    assert answer["changes"] == {"added": 0, "changed": 1, "removed": 0}
    assert "ToParts" in estate_current().estate.instances["shop"].databases["Orders"].table.routes
