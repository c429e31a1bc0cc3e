"""The number of errors beside *Findings* in the navigation of every page."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from brokerui.analysis.lint import error_badge
from brokerui.analysis.lint.selectors import findings_for
from brokerui.analysis.lint.services import suppression_add
from tests.brokerui.analysis.lint.helpers import live, viewed
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE, pytest.mark.django_db, pytest.mark.usefixtures("woken")]


@pytest.fixture(autouse=True)
def nobody_has_looked() -> None:
    error_badge._errors.clear()


def beside(client: Client, url: str) -> str:
    page = " ".join(client.get(url).content.decode().split())
    link = re.search(r'data-keys="g l">Findings(.*?)</a>', page)
    assert link is not None
    return " ".join(re.sub("<[^>]+>", "", link[1]).split())


def test_it_is_told_once_somebody_has_looked(editor: Client) -> None:
    live(3)
    assert beside(editor, "/tables/") == ""
    assert findings_for(viewed()).counts["error"] == 1
    for url in ("/tables/", "/routes/", "/findings/"):
        assert beside(editor, url) == "1 error"


def test_it_takes_no_query(editor: Client) -> None:
    live(3)
    for url in ("/tables/", "/account/tokens/"):
        editor.get(url)
        counts = []
        for look in (error_badge._errors.clear, lambda: findings_for(viewed())):
            look()
            with CaptureQueriesContext(connection) as queries:
                editor.get(url)
            counts.append(len(queries))
        assert counts[0] == counts[1]


def test_it_is_that_of_the_estate_that_the_page_is_about(editor: Client) -> None:
    live(3)
    findings_for(viewed())
    assert beside(editor, "/findings/?scenario=1-default") == ""
    assert beside(editor, "/findings/") != ""


def test_what_somebody_answers_for_is_not_counted(editor: Client) -> None:
    live(3)
    one = next(finding for finding in findings_for(viewed()).findings if finding.severity == "error")
    suppression_add(findings=[one], owner="a", reason="b", expires=timezone.now() + timedelta(days=9), author="c")
    assert beside(editor, "/findings/") == ""
