"""Links that stay true after the next version, and moving in time with the same question."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from brokerui.estate.models import Version
from brokerui.estate.services import estate_edit
from routing.model.edits import DropRoute
from tests.brokerui.estate.helpers import TWO, brought_in
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE, pytest.mark.django_db]
QUESTIONS = {
    "/where/": {"from": "here/Orders", "to": "Parts"},
    "/routes/": {"q": "instance:here Parts"},
    "/findings/": {"q": "severity:error"},
}
FIRST = datetime(2026, 3, 1, 12, 30, 15, 400_000, tzinfo=UTC)


@pytest.fixture
def two_versions() -> None:
    brought_in(TWO)
    Version.objects.filter(number=1).update(created_at=FIRST)
    estate_edit(edits=[DropRoute("here", "Orders", "R")], base_version=1, author="test")
    Version.objects.filter(number=2).update(created_at=FIRST + timedelta(days=1))


def link_of(page: str) -> str:
    found = re.search(r'data-copy="(http[^"]+)"', page)
    assert found is not None
    return html.unescape(found[1])


def as_query(address: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


@pytest.mark.parametrize("page", QUESTIONS)
def test_a_copied_link_is_about_the_version_that_was_looked_at(client: Client, page: str) -> None:
    brought_in(TWO)
    link = link_of(client.get(page, QUESTIONS[page]).content.decode())
    assert as_query(link).items() >= {**QUESTIONS[page], "as_of": "1"}.items()
    estate_edit(edits=[DropRoute("here", "Orders", "R")], base_version=1, author="test")
    again = client.get(link).content.decode()
    assert "As of version 1" in again
    assert link_of(again) == link
    assert as_query(link_of(client.get(page, QUESTIONS[page]).content.decode()))["as_of"] == "2"


@pytest.mark.usefixtures("two_versions")
@pytest.mark.parametrize("page", [*QUESTIONS, "/map/", "/reachability/", "/flow/"])
def test_moving_in_time_keeps_the_question(client: Client, page: str) -> None:
    question = QUESTIONS.get(page, {"q": "Parts"})
    text = client.get(page, {**question, "as_of": "2", "page": "1"}).content.decode()
    menu = text[text.index('<details class="menu as-of">') :]
    links = [html.unescape(one) for one in re.findall(r'<a href="([^"]*)" data-as-of', menu)]
    assert [as_query(one) for one in links] == [question, {**question, "as_of": "2"}, {**question, "as_of": "1"}]
    form = menu[: menu.index("</form>")]
    kept = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form))
    assert {name: html.unescape(value) for name, value in kept.items()} == question


# ---------------------------------------------------------------- what names a version


LABELS = ["1", "Version 1", "version 1", "As of version 1", "v1", "estate-1.json"]
MOMENTS = [
    "2026-03-01 12:30:15 UTC",
    "2026-03-01T12:30:15+00:00",
    "2026-03-01T12:30:15 00:00",
    "2026-03-01T12:30:15Z",
    "2026-03-01 13:00",
    " 2026-03-02T00:00:00Z ",
]


@pytest.mark.usefixtures("two_versions")
@pytest.mark.parametrize("text", [*LABELS, *MOMENTS])
def test_what_pages_call_a_version_and_its_moment_is_taken(client: Client, text: str) -> None:
    """Pages print the second in which the first version was written: it is there to the end of that second."""
    answer = client.get("/api/v1/routes/", {"as_of": text, "instance": "here"}).json()
    assert "R" in [row["name"] for row in answer["results"]]
    assert "As of version 1" in client.get("/routes/", {"as_of": text}, follow=True).content.decode()


@pytest.mark.usefixtures("two_versions")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "2020-01-01",
            "at 2020-01-01 00:00:00 UTC there was no estate yet: its first version is of 2026-03-01 12:30:15",
        ),
        ("2026-03-01T12:30:14Z", "at 2026-03-01 12:30:14 UTC there was no estate yet"),
        ("7", "there is no version 7; the newest is 2"),
        ("never", "'never' is neither a version nor a moment: write a number, or a date and time"),
    ],
)
def test_what_is_before_the_first_version_is_said(client: Client, text: str, expected: str) -> None:
    problem = client.get("/api/v1/routes/", {"as_of": text})
    assert (problem.status_code, problem.json()["detail"].startswith(f"as_of: {expected}")) == (404, True)
    page = client.get("/where/", {"as_of": text}, follow=True)
    assert page.status_code == 404
    assert expected[1:] in html.unescape(page.content.decode())


def test_an_estate_without_versions_says_so(client: Client) -> None:
    expected = "the live estate has no versions yet: nothing was imported so far"
    assert client.get("/api/v1/routes/?as_of=1").json()["detail"] == f"as_of: {expected}"
    assert expected[1:] in client.get("/routes/?as_of=2026-01-01", follow=True).content.decode()
