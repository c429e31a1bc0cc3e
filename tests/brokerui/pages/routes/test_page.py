"""The table of routes: what a filter means, how rows are sorted and paged, what the panel says of one."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.estates import large_estate
from brokerui.analysis.lint import selectors
from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.core.filters import FilterError
from brokerui.estate.scenarios.services import scenario_create
from brokerui.pages.routes.detail import leads, row_selected, select_text
from brokerui.pages.routes.filtering import KEYS, KINDS, route_filter
from brokerui.pages.routes.rows import COLUMNS, RouteList, RouteRow
from routing.common.moment import parse_moment
from routing.documents.estate_document import read_estate
from tests.brokerui.estate.helpers import brought_in
from tests.brokerui.estates import HOSTILE, HOSTILE_ESTATE, IDENTIFIER, LOCAL, database, document, instance, to
from tests.brokerui.site import process_seconds
from tests.strategies import estates

pytestmark = pytest.mark.django_db
URL = "/routes/"
AT = parse_moment("2030-01-01T00:00:00Z")
GUID = IDENTIFIER.format(7)
ESTATE = document(
    instance(
        "hub",
        database(
            "Sales",
            LOCAL,
            to("tcp://a", "OrderParts", name="Parts"),
            to("TCP://A/", "Orders", name="parts2", broker_instance=GUID),
            to("tcp://gone.example", "Audit log", name="Gone"),
            to("tcp://a", "Old", name="Expired", lifetime="2029-12-31T00:00:00Z"),
            to("tcp://a", "New", name="Soon", lifetime="2030-01-04T00:00:00Z"),
            to("tcp://a", "Later", name="Later", lifetime="2031-01-01T00:00:00Z"),
            to("tcp://a", "Twin", name="Twin", mirror_address="tcp://b", broker_instance=GUID),
            to("TRANSPORT", name="ByName"),
            to("LOCAL", "http://schemas.microsoft.com/SQL/X", name="System"),
            services=("Own", "Twin"),
        ),
        database("msdb", LOCAL, to("tcp://a", "Ship", name="Onward")),
    ),
    instance("a", database("Depot", LOCAL, services=("OrderParts",), broker_instance=GUID), database("msdb", LOCAL)),
    instance("b", database("msdb", LOCAL)),
)
ESTATES = estates().map(json.dumps).map(read_estate)
FINDINGS = {
    ("hub", "Sales", "Gone"): (StoredFinding("unknown-address", "warning", "hub", "Sales", "Gone", "{}", None),),
}


@pytest.fixture(autouse=True)
def _forgetful() -> None:
    selectors._found_small.clear()
    selectors._found_large.clear()


def rows() -> tuple[RouteRow, ...]:
    return RouteList(read_estate(ESTATE)).rows


def fitting(text: str) -> set[str]:
    return {row.route.name for row in route_filter(text).kept(rows(), AT, FINDINGS)} - {"AutoCreatedLocal"}


def page_of(response: Any) -> str:
    return " ".join(response.content.decode().split())


def names(response: Any) -> list[str]:
    return re.findall(r"data-row-link[^>]*>([^<]*)</a>", response.content.decode())


# -- The filter --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("service:Order*", {"Parts", "parts2"}),
        ("service:orders", {"parts2"}),
        ("name:parts", {"Parts"}),
        ("address:tcp://a:4022 service:Order*", {"Parts", "parts2"}),
        ("address:TCP://A/", {"parts2"}),
        ("mirror:tcp://b*", {"Twin"}),
        (f"broker:{GUID}", {"parts2", "Twin"}),
        ('service:""', {"ByName"}),
        ("instance:hub database:msdb", {"Onward"}),
        ("is:expired", {"Expired"}),
        ("is:transport", {"ByName"}),
        ("is:local", {"System"}),
        ("is:wildcard", {"ByName"}),
        ("is:mirrored", {"Twin"}),
        ("is:network -is:mirrored service:*e*", {"Parts", "parts2", "Soon", "Later"}),
        ("expires:<7d", {"Soon"}),
        ("expires:<1h", set()),
        ("expires:>1w", {"Later"}),
        ("expires:<2031-06-01", {"Soon", "Later"}),
        ("-expires:never", {"Expired", "Soon", "Later"}),
        ("has:finding", {"Gone"}),
        ("finding:unknown-*", {"Gone"}),
        ("finding:route-expired", set()),
        ("hide:system database:Sales is:local", set()),
        ("gone.example", {"Gone"}),
        ('"audit log"', {"Gone"}),
        ("twin *4022", set()),
        ("", {row.route.name for row in rows()} - {"AutoCreatedLocal"}),
    ],
)
def test_what_words_mean(text: str, expected: set[str]) -> None:
    assert fitting(text) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("is:old", "is: takes expired, wildcard, local, transport, network, mirrored"),
        ("expires:7d", "expires: takes never, or < or > before a duration or a moment"),
        ("expires:<soon", "expires: takes never"),
        ("finding:none", "no finding has this code"),
        ("has:nothing", "has: takes finding"),
        ("hide:all", "hide: takes system"),
    ],
)
def test_words_that_mean_nothing_are_told(text: str, problem: str) -> None:
    with pytest.raises(FilterError) as caught:
        route_filter(f"a {text} b")
    assert str(caught.value.problem).startswith(problem)
    assert f"a {text} b"[caught.value.start : caught.value.end] == text


@given(ESTATES, st.sampled_from(KINDS))
def test_a_word_and_its_opposite_divide_the_rows(estate: Any, kind: str) -> None:
    found = RouteList(estate).rows
    parts = [route_filter(text).kept(found, AT, {}) for text in (f"is:{kind}", f"-is:{kind}")]
    assert sorted(map(id, parts[0] + parts[1])) == sorted(map(id, found))


@given(ESTATES, st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_what_is_counted_is_what_is_listed(estate: Any, at: datetime) -> None:
    routes = RouteList(estate)

    def count(text: str) -> int:
        return len(route_filter(text).kept(routes.rows, at, {}))

    assert routes.expired(at) == count("is:expired")
    assert routes.expiring(at, at + timedelta(days=7)) == count("expires:<7d")
    assert routes.wildcards == count("is:wildcard")


def test_everything_that_can_be_written_is_explained(client: Client) -> None:
    brought_in(read_estate(ESTATE))
    page = page_of(client.get(URL))
    assert [key for key in KEYS if f"{key}:" not in page] == []
    assert [kind for kind in KINDS if f"is:{kind}" not in page] == []


# -- The table ---------------------------------------------------------------------------------------------


@given(ESTATES, st.sampled_from(COLUMNS))
def test_sorting_keeps_every_row_and_puts_null_last(estate: Any, column: str) -> None:
    routes = RouteList(estate)
    for order in (column, f"-{column}"):
        found = routes.sorted_by(order)
        assert sorted(map(id, found)) == sorted(map(id, routes.rows))
        place = COLUMNS.index(column)
        nulls = [row.values()[place] is None for row in found]
        assert nulls == sorted(nulls)


def test_equal_rows_stay_in_the_order_of_the_document() -> None:
    routes = RouteList(read_estate(ESTATE))
    for order in ("instance", "-instance"):
        hub = [row for row in routes.sorted_by(order) if row.instance == "hub"]
        assert hub == [row for row in routes.rows if row.instance == "hub"]


def test_heads_sort_one_way_and_then_the_other(client: Client) -> None:
    brought_in(read_estate(ESTATE))
    page = page_of(client.get(URL, {"sort": "lifetime"}))
    assert page.count("aria-sort") == 1
    assert 'aria-sort="ascending"><a class="sorts" href="?sort=-lifetime">lifetime' in page
    assert names(client.get(URL, {"sort": "lifetime"}))[:3] == ["Expired", "Soon", "Later"]
    assert names(client.get(URL, {"sort": "-lifetime"}))[:3] == ["Later", "Soon", "Expired"]
    assert client.get(URL, {"sort": "nonsense"}).status_code == 400


def large(count: int) -> str:
    made = large_estate(instances=10, databases=30, routes=count, names=60)
    return scenario_create(title=f"large-{count}", text=json.dumps(made))[0].name


def test_pages_hold_every_row_once(client: Client) -> None:
    query = {"scenario": large(450), "sort": "address", "q": "-name:ToHub"}
    pages = [client.get(URL, {**query, "page": str(number)}) for number in range(1, 6)]
    found = [link for page in pages for link in re.findall(r"select=([^&\"]+)\" data-row-link", page.content.decode())]
    exported = b"".join(client.get(f"{URL}routes.csv", query)).decode()
    assert len(found) == len(set(found)) == len(list(csv.DictReader(io.StringIO(exported)))) > 400
    assert names(client.get(URL, {**query, "page": "999"})) == names(pages[-1])
    assert names(client.get(URL, {**query, "page": "-1"})) == names(pages[0])


def test_the_address_keeps_everything(client: Client) -> None:
    scenario = large(450)
    page = page_of(client.get(URL, {"scenario": scenario, "q": "-name:ToHub", "sort": "name", "page": "2"}))
    assert f'href="?scenario={scenario}&amp;q=-name%3AToHub&amp;sort=name&amp;page=3" rel="next"' in page
    assert f'href="?scenario={scenario}&amp;sort=name"' in page, "clear"
    assert "101 to 200 of" in page


def test_the_table_as_csv_has_the_columns_exactly(client: Client) -> None:
    brought_in(read_estate(ESTATE))
    text = b"".join(client.get(f"{URL}routes.csv", {"q": "service:Order*"})).decode()
    found = list(csv.DictReader(io.StringIO(text)))
    assert list(found[0]) == [name.replace("lifetime", "lifetime (UTC)") for name in COLUMNS]
    assert found[1] == {
        "name": "parts2",
        "instance": "hub",
        "database": "Sales",
        "remote_service_name": "Orders",
        "address": "TCP://A/",
        "lifetime (UTC)": "",
        "broker_instance": GUID,
        "mirror_address": "",
    }
    assert client.get(f"{URL}routes.csv", {"q": "is:odd"}).status_code == 400


def test_why_nothing_is_shown(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "The live estate is empty" in page_of(client.get(URL))
    bare = scenario_create(title="bare", text=document(instance("a", database("D"))))[0].name
    assert "No routes" in page_of(client.get(URL, {"scenario": bare}))
    brought_in(read_estate(ESTATE))
    hidden = page_of(client.get(URL, {"q": "nothing-like-this", "sort": "name"}))
    assert "The filter hides all 15 routes of this estate." in hidden
    assert 'class="button" href="?sort=name">Clear the filter' in hidden
    monkeypatch.setattr(selectors, "SMALL", 0)
    assert "The findings are not known yet" in page_of(client.get(URL, {"q": "has:finding"}))


def test_a_filter_that_cannot_be_is_kept_and_explained(client: Client) -> None:
    brought_in(read_estate(ESTATE))
    response = client.get(URL, {"q": 'adress:tcp://a "b'})
    page = page_of(response)
    assert response.status_code == 400
    assert 'value="adress:tcp://a &quot;b"' in page
    assert "<code>adress:tcp://a</code>: there is no adress: here; did you mean address:?" in page


def test_what_is_often_wanted_has_its_number(client: Client) -> None:
    brought_in(read_estate(ESTATE))
    page = page_of(client.get(URL, {"as_of": "2030-01-01T00:00:00Z"}))
    counts = dict(re.findall(r'class="pill">([^<]+) <span class="count">([^<]+)</span>', page))
    assert counts.pop("With findings")
    assert counts == {"Expired": "1", "Expiring within 7 days": "1", "Wildcards": "6"}


# -- One route ---------------------------------------------------------------------------------------------


@given(ESTATES)
def test_every_row_can_be_chosen(estate: Any) -> None:
    for row in RouteList(estate).rows:
        found = row_selected(estate, select_text(row))
        assert found is not None
        assert (found.key, found.route, found.is_wildcard) == (row.key, row.route, row.is_wildcard)


@pytest.mark.parametrize("select", ["", "route", "route/a/b", "route/hub/Sales/none", "database/hub/Sales", "%", "/"])
def test_what_names_no_route_is_told(client: Client, select: str) -> None:
    brought_in(read_estate(ESTATE))
    page = page_of(client.get(URL, {"select": select}))
    assert ("There is no such route" in page) is bool(select)


@pytest.mark.parametrize(
    ("key", "kind", "expected"),
    [
        (("hub", "Sales", "Parts"), "plain", "To a, at tcp://a:4022; msdb decides there."),
        (("hub", "Sales", "Gone"), "exits", "To tcp://gone.example:4022: no instance of this estate listens there."),
        (("hub", "Sales", "AutoCreatedLocal"), "plain", "To whichever database of hub has the service."),
        (("hub", "Sales", "ByName"), "plain", "To the address that the service name holds."),
        (("hub", "Sales", "Twin"), "delayed", "At hub: no principal."),
        (("hub", "msdb", "Onward"), "dropped", "At hub: forwarding is off."),
    ],
)
def test_where_a_route_leads(key: tuple[str, str, str], kind: str, expected: str) -> None:
    estate = read_estate(ESTATE)
    row = next(row for row in rows() if row.key == key)
    assert [(lead.kind, str(lead.sentence)) for lead in leads(estate, row, AT)] == [(kind, expected)]


@given(ESTATES)
def test_every_route_leads_somewhere(estate: Any) -> None:
    for row in RouteList(estate).rows:
        found = leads(estate, row, AT)
        assert found
        assert all(str(lead.sentence) for lead in found)


def test_the_panel_tells_all_of_a_route(client: Client) -> None:
    brought_in(read_estate(ESTATE))
    query = {"select": "route/hub/Sales/Soon", "as_of": "2030-01-01T00:00:00Z"}
    page = page_of(client.get(URL, query))
    panel = page.split("data-panel>")[1].split("</section>")[0]
    assert "in 3 days" in panel
    assert "2030-01-04T00:00:00Z" in panel
    assert "CREATE ROUTE [Soon] WITH SERVICE_NAME = N&#x27;New&#x27;, LIFETIME = 259200" in panel
    assert "route-expires-soon" in panel
    assert "from=hub%2FSales&amp;to=New&amp;route=hub%2FSales%2FSoon" in panel
    fragment = client.get(URL, query, headers={"HX-Request": "true", "HX-Target": "panel"})
    assert "<html" not in page_of(fragment)
    assert page_of(fragment) in page
    old = page_of(client.get(URL, query | {"select": "route/hub/Sales/Expired"}))
    assert "It is ignored: no conversation uses it." in old
    assert "CREATE ROUTE cannot make a route that has already expired." in old


def test_the_question_of_the_panel_can_be_asked(client: Client) -> None:
    brought_in(read_estate(ESTATE))
    for row in rows():
        page = page_of(client.get(URL, {"select": select_text(row)}))
        question = re.search(r'href="(/where/\?[^"]+)"', page.split("data-panel>")[1])
        assert question is not None
        assert client.get(question[1].replace("&amp;", "&")).status_code == 200


def test_only_editors_are_led_to_the_form(editor: Client, viewer: Client) -> None:
    brought_in(read_estate(ESTATE))
    query = {"select": "route/hub/Sales/Parts"}
    assert "data-edit" in page_of(editor.get(URL, query))
    assert "data-edit" not in page_of(viewer.get(URL, query))
    assert "data-edit" not in page_of(editor.get(URL, query | {"as_of": "1"}))


def test_from_the_panel_to_the_form_and_back(editor: Client) -> None:
    brought_in(read_estate(ESTATE))
    here = f"{URL}?q=database%3ASales&select=route%2Fhub%2FSales%2FParts"
    link = re.search(r'href="([^"]+)" data-edit', page_of(editor.get(here)))
    assert link is not None
    page = page_of(editor.get(html.unescape(link[1])))
    form = page[page.index("data-sheet") :].partition("</form>")[0]
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    assert html.unescape(fields["next"]) == here
    assert f'href="{html.escape(here)}">Cancel' in form
    sent = {
        "name": "Parts",
        "remote_service_name": "OrderParts",
        "address": "tcp://a",
        "base_version": fields["base_version"],
        "next": here,
    }
    assert editor.post(html.unescape(link[1]), sent).headers["Location"] == here


def test_names_stay_text(client: Client) -> None:
    name = scenario_create(title="hostile", text=HOSTILE_ESTATE)[0].name
    select = "/".join(("route", *(quote(part, safe="") for part in ("h" + HOSTILE, "d/" + HOSTILE, "r" + HOSTILE))))
    for query in ({}, {"select": select}, {"q": HOSTILE}, {"q": f"x:{HOSTILE}"}, {"sort": HOSTILE, "page": HOSTILE}):
        page = client.get(URL, {"scenario": name, **query}).content.decode()
        assert "<script>alert" not in page
    assert "data-panel" in client.get(URL, {"scenario": name, "select": select}).content.decode()


# -- How long it takes -------------------------------------------------------------------------------------


def test_the_page_takes_as_many_queries_for_many_routes_as_for_few(client: Client) -> None:
    def queries(count: int) -> int:
        query = {"scenario": large(count), "q": "has:finding"}
        client.get(URL, query)
        with CaptureQueriesContext(connection) as captured:
            client.get(URL, query)
        return len(captured)

    assert queries(150) == queries(1_500) < 15


PATIENCE = 3.0
"""Seconds of a core, ten times the budget that benchmarks/pages.py measures: here only what blows up is found."""


@pytest.mark.slow
def test_a_page_of_fifty_thousand_routes_is_there_at_once(client: Client) -> None:
    name = scenario_create(title="large", text=json.dumps(large_estate()))[0].name
    query = {"scenario": name, "q": "service:*Service00* -is:expired", "sort": "address"}
    assert client.get(URL, query).status_code == 200
    assert any(process_seconds(lambda: client.get(URL, query)) < PATIENCE for _ in range(3))
