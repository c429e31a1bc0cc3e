"""The page of findings: its answer, its rows, its filter; the pages of codes; and what somebody answers for."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from brokerui.analysis.lint import selectors
from brokerui.analysis.lint.models import Suppression
from brokerui.analysis.lint.selectors import LATE, findings_for
from brokerui.analysis.lint.services import suppression_add
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.tasks import jobs_run
from brokerui.estate.models import AuditEntry
from brokerui.estate.scenarios.services import scenario_create
from brokerui.pages.findings.code_docs import FOLDER, explained
from brokerui.pages.findings.finding_ids import named, token
from brokerui.pages.findings.headline import answer
from routing.lint.registry import CHECKS
from routing.lint.suppression import read_suppressions
from tests.brokerui.analysis.lint.helpers import live, viewed
from tests.brokerui.estates import HOSTILE_ESTATE
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE, pytest.mark.django_db, pytest.mark.usefixtures("woken")]
URL = "/findings/"


def page_of(response: Any) -> str:
    return " ".join(response.content.decode().split())


def one(code: str) -> Any:
    return next(finding for finding in findings_for(viewed()).findings if finding.code == code)


def suppressed(code: str, **more: Any) -> Any:
    fields = {"owner": "ana", "reason": "the partner's", "expires": timezone.now() + timedelta(days=9), "author": "bo"}
    finding = one(code)
    suppression_add(findings=[finding], **(fields | more))
    return finding


# -- The page ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"error": 3, "warning": 5}, "3 findings certainly delay or lose messages; 5 more may."),
        ({"error": 1}, "1 finding certainly delays or loses messages."),
        ({"warning": 1, "info": 2}, "1 finding may delay or lose messages."),
        ({"info": 2}, f"None of these {len(CHECKS)} checks found anything that delays or loses messages."),
        ({}, f"None of these {len(CHECKS)} checks found anything."),
    ],
)
def test_the_answer_never_says_that_there_are_no_problems(counts: Any, expected: str) -> None:
    assert answer(selectors.Counter(counts)) == expected


def test_every_finding_stands_with_its_reason_its_remedy_and_its_place(client: Client) -> None:
    live()
    page = page_of(client.get(URL))
    found = findings_for(viewed())
    assert answer(found.counts) in page
    assert page.count("data-row>") == len(found.findings)
    assert "It expired at <b>2026-05-01T00:00:00Z</b>" in page
    assert "DROP ROUTE [OldRoute];" in page
    assert 'select=route%2Fhub%2FSales%2FOldRoute"' in page
    assert "Still missing: the instance <code>tcp://gone.example:4022</code>" in page
    assert 'href="/findings/route-expired/?"' in page


def test_findings_by_place_stand_under_their_instances_and_the_file_follows(client: Client) -> None:
    live()
    text = page_of(client.get(URL, {"sort": "-place"}))
    instances = [one.instance for one in findings_for(viewed()).findings if one.instance]
    headings = [name for name in re.findall(r'<h2 id="group-\d+">(.*?)</h2>', text) if name in instances]
    assert headings == sorted(set(instances), key=str.casefold, reverse=True)
    assert text.count('class="of-kind"') == len(findings_for(viewed()).findings)
    lines = list(csv.DictReader(io.StringIO(client.get(f"{URL}findings.csv", {"sort": "code"}).getvalue().decode())))
    assert [line["code"] for line in lines] == sorted(line["code"] for line in lines)
    assert client.get(URL, {"sort": "reason"}).status_code == 400


def test_an_empty_estate_and_one_without_findings(client: Client) -> None:
    assert "The live estate is empty" in page_of(client.get(URL))
    page = page_of(client.get(f"{URL}?scenario=1-default"))
    assert f"None of these {len(CHECKS)} checks found anything" in page


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("code:route-expired", 1),
        ("severity:error code:route-*", 1),
        ("instance:hub database:Sales object:OldRoute", 1),
        ("gone.example", 1),
        ("-instance:*", 0),
    ],
)
def test_a_filter_leaves_what_fits(client: Client, text: str, count: int) -> None:
    live()
    page = page_of(client.get(URL, {"q": text}))
    assert page.count("data-row>") == count
    assert ("No finding matches" in page) is (count == 0)


@pytest.mark.parametrize("text", ["severity:bad", "code:none", "colour:red", '"open'])
def test_a_filter_that_cannot_be_is_kept_and_explained(client: Client, text: str) -> None:
    live()
    response = client.get(URL, {"q": text})
    page = page_of(response)
    assert response.status_code == 400
    assert f'value="{text.replace(chr(34), "&quot;")}"' in page
    assert 'id="fault-q"' in page
    assert client.get(f"{URL}findings.csv", {"q": text}).status_code == 400


def test_pages_hold_every_finding_once(client: Client) -> None:
    live(252)
    rows: list[str] = []
    for number in (1, 2, 3, 4):
        page = client.get(URL, {"page": str(number)}).content.decode()
        rows += re.findall(r'name="finding" value="([^"]+)"', page)
        if 'rel="next"' not in page:
            break
    assert rows == [token(finding) for finding in findings_for(viewed()).findings]
    assert len(rows) > 200


def test_the_table_as_csv(client: Client) -> None:
    live()
    text = b"".join(client.get(f"{URL}findings.csv", {"q": "instance:hub"})).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["code"] for row in rows] == [f.code for f in findings_for(viewed()).findings if f.instance == "hub"]
    assert "It expired at 2026-05-01T00:00:00Z" in text


@pytest.mark.usefixtures("nothing_is_small")
def test_a_large_estate_says_what_is_going_on(client: Client) -> None:
    live()
    page = page_of(client.get(URL))
    assert "This estate is being checked." in page
    assert "data-poll" in page
    assert client.get(f"{URL}findings.csv").status_code == 404
    assert "data-poll" in page_of(client.get(URL, headers={"HX-Request": "true"}))
    Job.objects.update(due_at=timezone.now() - LATE * 2)
    late = page_of(client.get(URL))
    assert "No worker has started the check." in late
    assert ".venv/bin/brokerui lint estate-1.json" in late
    jobs_run()
    assert client.get(URL, headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"
    assert answer(findings_for(viewed()).counts) in page_of(client.get(URL))


@pytest.mark.usefixtures("nothing_is_small")
def test_other_pages_are_told_when_the_findings_are_there(client: Client) -> None:
    live()
    assert "data-poll" in page_of(client.get(f"{URL}state/"))
    jobs_run()
    assert "The findings are ready" in page_of(client.get(f"{URL}state/"))


def test_names_stay_text(client: Client) -> None:
    name = scenario_create(title="hostile", text=HOSTILE_ESTATE)[0].name
    for query in ({}, {"q": "<script>alert(1)"}, {"q": '"><script>:x'}):
        assert "<script>alert" not in client.get(URL, {"scenario": name, **query}).content.decode()


def test_the_page_takes_as_many_queries_for_many_findings_as_for_few(client: Client) -> None:
    def queries(branches: int) -> int:
        live(branches)
        client.get(URL)
        with CaptureQueriesContext(connection) as captured:
            client.get(URL)
        return len(captured)

    assert queries(2) == queries(60) < 15


# -- Codes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_every_code_has_a_page(client: Client, check: Any) -> None:
    page = page_of(client.get(f"{URL}{check.code}/"))
    assert "<h2>What it means</h2>" in page
    assert "<h2>Remedy</h2>" in page
    article = page.split("<article")[1].split("</article>")[0]
    assert not re.search(r"```|\]\(|^#", re.sub(r"<pre.*?</pre>", "", article))


def test_unknown_codes_are_not_looked_for_in_files(client: Client) -> None:
    assert client.get(f"{URL}README/").status_code == 404
    assert client.get(f"{URL}none/").status_code == 404
    assert (FOLDER / "README.md").exists()


def test_what_stands_in_the_documentation_is_text() -> None:
    text = "# Title\n\n## <b>\n\nA `<i>` and\n[x](shadowed-route.md), [y](../a.md) <u>\n\n- one\n- two\n\n"
    text += "```sql\n<s>\n```\n"
    html = explained(text, lambda code: f"/{code}?a=1&b")
    assert "Title" not in html
    assert not re.search("<[bius]>", html)
    assert '<a href="/shadowed-route?a=1&amp;b">x</a>, y &lt;u&gt;' in html
    assert "<ul>\n<li>one</li>\n<li>two</li>\n</ul>" in html
    assert '<pre tabindex="0"><code>&lt;s&gt;</code></pre>' in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<div onclick='alert(1)'>\n\n</div>",
        "[x](javascript:alert(1))",
        "[x](https://elsewhere.example 'title')",
        "![x](https://elsewhere.example/x.png)",
        "<https://elsewhere.example>",
        "[x]: https://elsewhere.example\n\n[x]",
        "```html onload=alert(1)\n</code><script>\n```",
        "[`a` *b*](../loop.md)",
    ],
)
def test_no_html_and_no_address_of_a_text_reaches_the_page(text: str) -> None:
    html = explained(text, lambda code: f"/{code}")
    assert not re.search(r"<(?!/?(?:p|em|code|ul|li)>|/?pre\b)", html), html


# -- Answering for findings --------------------------------------------------------------------------------


def test_a_suppressed_finding_is_counted_and_not_told(client: Client) -> None:
    live()
    suppressed("route-expired")
    report = findings_for(viewed())
    assert "route-expired" not in {finding.code for finding in report.findings}
    assert ("hub", "Sales", "OldRoute") not in report.of_routes
    page = page_of(client.get(URL))
    assert "1 suppressed</a>" in page
    assert "--suppress suppressions.json" in page
    assert page_of(client.get(f"{URL}suppressions/")).count("active") == 1


def test_a_suppression_ends(client: Client) -> None:
    live()
    finding = suppressed("route-expired", expires=timezone.now() - timedelta(days=1))
    assert finding in findings_for(viewed()).findings
    assert "expired: the finding is reported again" in page_of(client.get(f"{URL}suppressions/"))


def test_a_suppression_for_nothing_any_more_is_told(client: Client) -> None:
    live()
    suppressed("route-expired")
    Suppression.objects.update(object="Another")
    assert "matches no finding any more" in page_of(client.get(f"{URL}suppressions/"))


def test_scenarios_know_no_suppressions() -> None:
    live()
    suppressed("route-expired")
    assert findings_for(viewed(scenario="1-default")).suppressed is None


def form(*findings: Any, **more: str) -> dict[str, Any]:
    day = (timezone.now() + timedelta(days=30)).date().isoformat()
    return {"finding": [token(f) for f in findings], "owner": "ana", "reason": "as it is", "expires": day} | more


def test_an_editor_answers_for_findings_and_takes_it_back(editor: Client) -> None:
    live()
    found = [one("route-expired"), one("unknown-address")]
    shown = page_of(editor.get(f"{URL}suppress/", {"finding": [token(f) for f in found]}))
    assert "Suppress 2 findings" in shown
    response = editor.post(f"{URL}suppress/", form(*found), follow=True)
    assert "2 findings are suppressed." in page_of(response)
    assert findings_for(viewed()).suppressed.count == 2  # type: ignore[union-attr] - it is there: one was suppressed
    entry = AuditEntry.objects.filter(action="finding.suppress").last()
    assert entry is not None
    assert (entry.author, entry.note) == ("editor", "route-expired hub/Sales/OldRoute: ana: as it is")
    row = Suppression.objects.get(code="route-expired")
    editor.post(reverse("findings:remove", args=[row.id]))
    assert one("route-expired") in findings_for(viewed()).findings
    assert AuditEntry.objects.filter(action="finding.unsuppress").count() == 1
    assert editor.post(reverse("findings:remove", args=[row.id])).status_code == 404


@pytest.mark.parametrize("wrong", [{"owner": ""}, {"reason": " "}, {"expires": "2020-01-01"}, {"expires": "soon"}])
def test_nobody_answers_without_name_reason_and_end(editor: Client, wrong: dict[str, str]) -> None:
    live()
    response = editor.post(f"{URL}suppress/", form(one("route-expired"), **wrong))
    assert response.status_code == 422
    assert 'class="fault"' in page_of(response)
    assert not Suppression.objects.exists()


def test_only_what_is_found_can_be_answered_for(editor: Client) -> None:
    live()
    assert "No finding is marked" in page_of(editor.get(f"{URL}suppress/"))
    gone = f"{token(one('route-expired'))}x"
    response = editor.post(f"{URL}suppress/", form() | {"finding": [gone, "nonsense", ""]})
    assert response.status_code == 422
    assert "3 of the marked findings do not exist any more" in page_of(response)


def test_others_may_look_only(viewer: Client, operator: Client) -> None:
    live()
    finding = one("route-expired")
    for who in (viewer, operator):
        assert 'name="finding"' not in page_of(who.get(URL))
        assert who.get(f"{URL}suppress/").status_code == 403
        assert who.post(f"{URL}suppress/", form(finding)).status_code == 403
        assert who.get(f"{URL}suppressions/").status_code == 200
    suppressed("route-expired")
    row = Suppression.objects.get()
    assert viewer.post(reverse("findings:remove", args=[row.id])).status_code == 403
    assert "Take back" not in page_of(viewer.get(f"{URL}suppressions/"))


def test_the_command_line_reads_what_is_downloaded(client: Client, tmp_path: Path) -> None:
    live()
    suppressed("route-expired")
    text = client.get(f"{URL}suppressions.json").content.decode()
    rules = read_suppressions(text, [check.code for check in CHECKS])
    assert [(rule.code, rule.object, rule.owner) for rule in rules] == [("route-expired", "OldRoute", "ana")]


def test_a_finding_is_named_exactly() -> None:
    live()
    findings = findings_for(viewed()).findings
    for finding in findings:
        assert named([token(finding)], findings) == [finding]
