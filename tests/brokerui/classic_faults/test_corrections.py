"""A sound correction of a classic fault is no alarm: in the preview of an import, and in the form of a table."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from brokerui.analysis.imports.preview import preview_of
from brokerui.analysis.imports.reading import ScriptSettings, build_estate
from brokerui.analysis.imports.sources import Kind, Mode, Source
from brokerui.estate.models import Route
from brokerui.estate.services import estate_import
from routing.lint.registry import lint
from routing.lint.remedy import endpoint_change
from routing.model.estate import Estate
from routing.tsql import ScriptGroup, read_scripts
from routing.tsql.endpoints import DEFAULT_ENDPOINT
from tests.brokerui.analysis.imports.helpers import as_live
from tests.brokerui.classic_faults.faults import FAULTS, ClassicFault
from tests.brokerui.pages.tables.test_forms import as_sent, page_of

AT = datetime(2030, 1, 1, tzinfo=UTC)
MENDED = [fault for fault in FAULTS if fault.remedies]
LOSES = {"the route was made in msdb"}
"""Its remedy takes the route from msdb, which says so: conversations of msdb itself had used it."""


def estate_of(fault: ClassicFault) -> Estate:
    scripts = [ScriptGroup(name, None, [(f"{name}.sql", text)]) for name, text in fault.scripts.items()]
    made, problems = read_scripts(scripts, at=AT)
    assert not problems
    return made


@pytest.mark.django_db
@pytest.mark.parametrize("fault", MENDED, ids=lambda fault: fault.name)
def test_the_preview_of_a_remedy_as_an_import_shows_what_is_gained(fault: ClassicFault) -> None:
    live = estate_of(fault)
    codes = [code for _, code, _ in fault.remedies]
    (found, *_) = (one for one in lint(live, AT) if one.code in codes)
    change = endpoint_change(str(found.remedy_sql))
    sql = f"ALTER ENDPOINT {DEFAULT_ENDPOINT} {change};" if change else str(found.remedy_sql)
    source = Source("remedy.sql", Kind.SCRIPT, sql.encode, len(sql), str(found.instance))
    made = build_estate([source], Mode.INTO, live, ScriptSettings(AT))
    assert not made.findings
    summary = preview_of(as_live(live), made, AT).summary
    assert [one for one in summary["judged"]["new"] if one["severity"] == "error"] == []
    assert found.code in {one["code"] for one in summary["judged"]["gone"]}
    counts = summary["ends"]["counts"]
    assert (counts.get("worse", 0) > 0) == (fault.name in LOSES)
    assert summary["removes"] == {}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "route", "typed"),
    [
        ("the service's name differs in case", "ToStock", {"remote_service_name": "//depot/Stock"}),
        ("the address has the port for queries", "ToStock", {"address": "tcp://depot:4022"}),
        ("the way back leads to its own server", "BackToOrders", {"address": "tcp://shop:4022"}),
        ("a forwarder that does not forward", "ToStock", {"address": "tcp://depot:4022"}),
    ],
)
def test_the_form_of_a_route_shows_no_alarm_for_its_correction(
    editor: Client, name: str, route: str, typed: dict[str, Any]
) -> None:
    (fault,) = (one for one in FAULTS if one.name == name)
    estate_import(estate=estate_of(fault), author="test")
    row = Route.objects.exclude(database__name="msdb").get(name=route)
    response = editor.post(page_of(row, "preview"), as_sent(editor, page_of(row), **typed))
    preview, page = response.context["preview"], response.content.decode()
    assert (preview.save.worse, preview.errors) == (0, []), dict(preview.save.counts)
    assert preview.save.counts["better"] > 0
    assert not preview.save.asks
    ends_after = [part.partition(">Before<")[0] for part in page.split(">After<")[1:]]
    assert ends_after
    assert not [end for end in ends_after if 'class="chip dropped"' in end]
