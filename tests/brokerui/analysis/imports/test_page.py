"""The pages of imports, role by role."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from brokerui.analysis.imports import services
from brokerui.analysis.imports.import_job import run_do
from brokerui.analysis.imports.models import ImportRun, ImportState
from brokerui.analysis.imports.services import run_apply
from brokerui.core.jobs.models import Job
from brokerui.estate.models import Instance
from brokerui.estate.scenarios.models import Scenario
from brokerui.estate.selectors import live_version
from tests.brokerui.analysis.imports.helpers import DEPOT, SHOP, THREE, assigned, previewed, uploaded
from tests.brokerui.estate.helpers import TWO, brought_in, estate_of, server
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE, pytest.mark.django_db]
URL = "/imports/"
HOSTILE = '"><script>alert(1)<img src=x onerror=alert(1)>'


def page_of(response: Any) -> str:
    return " ".join(response.content.decode().split())


def send(client: Client, files: dict[str, str | bytes], **more: str) -> Any:
    sent = [SimpleUploadedFile(n, c if isinstance(c, bytes) else c.encode()) for n, c in files.items()]
    return client.post(URL, {"files": sent, **more})


def fields(run: ImportRun, mode: str = "instances", **more: str) -> dict[str, str]:
    values = {"mode": mode}
    for row in run.files.defer("content"):
        values |= {f"kind-{row.position}": row.kind, f"instance-{row.position}": row.instance}
    return values | more


def test_from_the_files_to_the_version(editor: Client) -> None:
    response = send(editor, dict(THREE))
    run = ImportRun.objects.get()
    assert response.headers["Location"] == f"/imports/{run.pk}/"
    page = page_of(editor.get(f"/imports/{run.pk}/"))
    assert "What are these files?" in page
    assert 'name="instance-0" value="shop"' in page
    assert "Preview 3 files" in page
    page = page_of(editor.post(f"/imports/{run.pk}/preview/", fields(run), follow=True))
    assert "Into the empty estate: 3 instances with" in page
    assert "as version 1</button>" in page
    assert "tcp://bank:4022" in page
    page = page_of(editor.post(f"/imports/{run.pk}/apply/", {"note": "n"}, follow=True))
    assert "Applied as version 1 by editor." in page
    page = page_of(editor.get(URL))
    assert "All 3 instances were imported within the last 30 days." in page
    assert "depot.sql" in page


def test_the_likely_address_is_offered_where_only_names_match(editor: Client) -> None:
    shop = SHOP.replace("tcp://depot:4022", "tcp://depot.example:4023")
    send(editor, {"shop.sql": shop, "depot.sql": DEPOT})
    run = ImportRun.objects.get()
    page = page_of(editor.post(f"/imports/{run.pk}/preview/", fields(run), follow=True))
    assert "depot listens at <code>tcp://depot.example:4023</code>. <button" in page
    page = page_of(editor.post(f"/imports/{run.pk}/preview/", fields(run, likely="1"), follow=True))
    assert "Most likely" not in page
    assert 'value="tcp://depot.example:4023"' in page
    assert "tcp://depot.example:4023" not in page.split("What else is known")[1:]
    editor.post(f"/imports/{run.pk}/apply/")
    assert Instance.objects.get(name="depot").addresses.get().text == "tcp://depot.example:4023"


def test_the_first_page_says_what_to_do(editor: Client) -> None:
    page = page_of(editor.get(URL))
    assert "Nothing was imported yet" in page
    assert "Upload the files" in page
    assert "No import yet" in page


def test_servers_that_are_old_or_were_never_read_are_told(editor: Client) -> None:
    brought_in(TWO)
    Instance.objects.filter(name="here").update(imported_at=None)
    Instance.objects.filter(name="there").update(imported_at=timezone.now() - timedelta(days=31))
    page = page_of(editor.get(URL))
    assert "2 of 2 instances were not imported for 30 days or never" in page
    assert page.index("mark-never") < page.rindex("mark-old"), "oldest first"


# -- Who may ------------------------------------------------------------------------------------------------

READING = ["", "collect.sql", "{}/", "{}/changes.csv", "{}/findings.csv", "{}/groups.csv", "{}/estate.json"]
WRITING = ["", "{}/preview/", "{}/again/", "{}/apply/", "{}/discard/"]


@pytest.mark.parametrize("path", READING)
def test_everyone_may_see(viewer: Client, stranger: Client, path: str) -> None:
    url = URL + path.format(previewed().pk)
    assert viewer.get(url).status_code == 200
    assert stranger.get(url).status_code == 302


@pytest.mark.parametrize("path", WRITING)
def test_only_editors_may_import(viewer: Client, operator: Client, path: str) -> None:
    run = previewed()
    for client in (viewer, operator):
        assert client.post(URL + path.format(run.pk)).status_code == 403
    assert ImportRun.objects.get().state == ImportState.PREVIEWED


def test_who_may_not_import_sees_no_button(operator: Client) -> None:
    run = previewed()
    assert "Upload the files" not in page_of(operator.get(URL))
    page = page_of(operator.get(f"/imports/{run.pk}/"))
    assert "Apply" not in page
    assert "Discard" not in page


def test_a_read_only_site_imports_nothing(editor: Client, settings: Any) -> None:
    settings.READ_ONLY = True
    assert send(editor, dict(THREE)).status_code == 403


@pytest.mark.parametrize("path", WRITING[1:])
def test_a_link_does_nothing(editor: Client, path: str) -> None:
    assert editor.get(URL + path.format(previewed().pk)).status_code == 405


@pytest.mark.parametrize("path", ["99/", "99/changes.csv", "99/estate.json"])
def test_what_is_not_there_is_404(viewer: Client, path: str) -> None:
    assert viewer.get(URL + path).status_code == 404


# -- Wrong uploads --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "problem"),
    [({}, "Choose files first."), ({"a.sql": b""}, "The file a.sql is empty.")],
)
def test_files_that_cannot_be_taken_are_told(editor: Client, files: dict[str, str | bytes], problem: str) -> None:
    response = send(editor, files)
    assert response.status_code == 422
    assert problem in page_of(response)
    assert not ImportRun.objects.exists()


def test_too_much_in_all_is_not_taken(editor: Client, settings: Any) -> None:
    settings.SCENARIO_MAX_BYTES = 100
    assert "Files of up to 100" in page_of(send(editor, dict(THREE)))


def test_a_field_that_is_wrong_says_so(editor: Client) -> None:
    run = uploaded({"a.sql": SHOP})
    response = editor.post(f"/imports/{run.pk}/preview/", fields(run, **{"instance-0": "", "address-0": "ftp://x"}))
    page = page_of(response)
    assert response.status_code == 422
    assert "Name the instance that this file is of." in page
    assert 'value="ftp://x"' in page
    assert page.count('aria-invalid="true"') == 2
    assert ImportRun.objects.get().state == ImportState.UPLOADED


def test_a_file_that_is_wrong_says_where(editor: Client) -> None:
    run = uploaded({"a.json": '{"format": "x"}'})
    page = page_of(editor.post(f"/imports/{run.pk}/preview/", fields(run, "whole"), follow=True))
    assert "nothing of them was used" in page
    assert "<code>a.json</code>" in page
    assert "<code>$.format</code>" in page
    assert "Preview 1 file" in page, "it can be read as something else"


def test_findings_of_the_files_are_told_with_their_line(editor: Client) -> None:
    run = previewed({"a.sql": SHOP + "CREATE ROUTE Bad WITH ADDRESS = @x;\n"})
    page = page_of(editor.get(f"/imports/{run.pk}/"))
    assert "a.sql:11" in page
    assert "value-not-literal" in page


def test_hostile_names_stay_text(editor: Client) -> None:
    text = SHOP.replace("ToParts", f"[{HOSTILE}]") + f"CREATE ROUTE [{HOSTILE}] WITH ADDRESS = @x;"
    send(editor, {HOSTILE + ".sql": text})
    run = ImportRun.objects.get()
    page = page_of(editor.post(f"/imports/{run.pk}/preview/", fields(run, **{"instance-0": HOSTILE}), follow=True))
    page += page_of(editor.get(URL))
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;alert" in page


# -- In between -----------------------------------------------------------------------------------------------


def test_a_stale_preview_offers_to_be_made_again(editor: Client) -> None:
    run = previewed()
    brought_in(TWO)
    page = page_of(editor.get(f"/imports/{run.pk}/"))
    assert "this preview is about version 0, now it is version 1." in page
    assert "Apply" not in page
    response = editor.post(f"/imports/{run.pk}/apply/", follow=True)
    assert "Nothing was applied." in page_of(response)
    assert live_version() == 1
    page = page_of(editor.post(f"/imports/{run.pk}/again/", follow=True))
    assert "as version 2</button>" in page


def test_applying_twice_says_the_same_twice(editor: Client) -> None:
    run = previewed()
    for _ in range(2):
        page = page_of(editor.post(f"/imports/{run.pk}/apply/", follow=True))
        assert "Applied as version 1" in page


def test_discarding(editor: Client) -> None:
    run = previewed()
    assert "Discarded." in page_of(editor.post(f"/imports/{run.pk}/discard/", follow=True))
    assert "This import was discarded" in page_of(editor.get(f"/imports/{run.pk}/"))
    assert editor.get(f"/imports/{run.pk}/estate.json").status_code == 404


def test_a_large_import_is_left_to_a_worker_and_its_page_polls(editor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "is_small", lambda *_: False)
    run = uploaded()
    page = page_of(editor.post(f"/imports/{run.pk}/preview/", fields(run), follow=True))
    assert "Waits for a worker" in page
    assert "data-poll" in page
    Job.objects.update(state="running", stage="outcomes", done=10, total=12_345)
    fragment = page_of(editor.get(f"/imports/{run.pk}/", headers={"HX-Request": "true"}))
    assert "10 of 12,345 services" in fragment
    assert "<html" not in fragment
    ImportRun.objects.update(state=ImportState.UPLOADED)
    assert editor.get(f"/imports/{run.pk}/", headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"


# -- What to take along ---------------------------------------------------------------------------------------


def test_everything_as_csv_and_the_estate_as_a_document(viewer: Client) -> None:
    run = previewed()
    changes = b"".join(viewer.get(f"/imports/{run.pk}/changes.csv").streaming_content).decode().splitlines()
    assert changes[0] == "verb,kind,instance,database,name,what"
    assert "new,routes,shop,Orders,ToParts," in changes
    assert viewer.get(f"/imports/{run.pk}/estate.json").json()["format"] == "brokerui.estate/1"
    assert viewer.get(f"/imports/{run.pk}/other.csv").status_code == 404


def test_the_question_after_is_asked_of_a_scenario(operator: Client) -> None:
    run = previewed()
    response = operator.post(f"/imports/{run.pk}/scenario/", {"from": "shop/Orders", "to": "Parts"})
    name = Scenario.objects.get().name
    assert response.headers["Location"] == f"/where/?scenario={name}&from=shop%2FOrders&to=Parts"
    assert operator.get(response.headers["Location"]).status_code == 200


def test_links_to_the_question_before(editor: Client) -> None:
    reached = server(
        "b", {"name": "D", "services": ["S"]}, {"name": "msdb", "routes": [{"name": "L", "address": "LOCAL"}]}
    )
    asks = {"name": "D", "routes": [{"name": "R", "address": "tcp://b.example:4022"}]}
    brought_in(estate_of(server("a", asks), reached))
    run = previewed({"a.sql": "USE D; ALTER ROUTE R WITH ADDRESS = 'tcp://nobody:4022';"}, services_mode())
    page = page_of(editor.get(f"/imports/{run.pk}/"))
    link = re.search(r'href="(/where/\?as_of=1&amp;from=a[^"]+)"', page)
    assert link
    assert editor.get(link[1].replace("&amp;", "&")).status_code == 200
    assert "1 worse</span>" in page


def services_mode() -> Any:
    from brokerui.analysis.imports.sources import Mode

    return Mode.INTO


@pytest.mark.parametrize("count", [3, 60])
def test_no_page_asks_more_of_a_larger_estate(editor: Client, count: int) -> None:
    brought_in(estate_of(*(server(f"i{n}", {"name": "D"}) for n in range(count))))
    for _ in range(count // 10):
        run_apply(run=previewed({"x.sql": SHOP}), author="a")
        run_do(ImportRun.objects.latest("id").pk)
    run = assigned(uploaded())
    run_do(run.pk)
    for url, most in ((URL, 13), (f"/imports/{run.pk}/", 11)):
        editor.get(url)
        with CaptureQueriesContext(connection) as captured:
            assert editor.get(url).status_code == 200
        assert len(captured) <= most, "\n".join(query["sql"] for query in captured.captured_queries)
