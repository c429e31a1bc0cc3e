"""The page *Where does it go?* as the server sends it."""

from __future__ import annotations

import html
import json
import re
from urllib.parse import quote, urlencode

import pytest
from django.test import Client

from brokerui.analysis.explanations.rules import RULES
from brokerui.estate.scenarios.examples import DOCUMENTED
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.scenarios.services import scenario_create
from brokerui.estate.services import estate_import
from brokerui.pages.where import choices
from brokerui.pages.where.choices import choices_of
from routing.documents.estate_document import read_estate
from tests.brokerui.estates import (
    CIRCLE,
    EVERY_KIND,
    HOSTILE,
    HOSTILE_ESTATE,
    LOCAL,
    database,
    document,
    fan,
    instance,
    to,
)
from tests.brokerui.site import process_seconds

pytestmark = pytest.mark.django_db
EXAMPLES = [example.name for example in DOCUMENTED]
FEW_OPTIONS = 50
"""Options of a page, at most: with so few an estate of thirty servers is a large one."""


def ask(client: Client, scenario: str = "", *, status: int = 200, htmx: bool = False, **values: str) -> str:
    """The page of a question."""
    query = {name.rstrip("_"): value for name, value in values.items()}
    headers = {"HX-Request": "true"} if htmx else {}
    response = client.get("/where/", {"scenario": scenario, **query} if scenario else query, headers=headers)
    assert response.status_code == status
    return response.content.decode()


def keep(text: str, title: str = "mine") -> str:
    """A scenario with this document."""
    return scenario_create(title=title, text=text)[0].name


def words(page: str) -> str:
    """The text of a page on one line."""
    text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())
    return re.sub(r" ([.,])", r"\1", text)


# -- What it says ------------------------------------------------------------------------------------------


def test_without_a_question_it_asks_one_itself(client: Client) -> None:
    page = ask(client, "1-default")
    assert "Finance on headquarters" in words(page)
    assert 'value="1-default" selected' in page


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_has_an_answer(client: Client, name: str) -> None:
    page = ask(client, name)
    assert "Always delivered" in words(page)
    assert "<svg" in page
    assert f"brokerui explain examples/{name}.json" in words(page)


def test_the_answer_comes_first_and_names_the_fault_of_the_way_back(client: Client) -> None:
    text = words(ask(client, "2-network-route", from_="headquarters/AdventureWorks", to="OrderParts"))
    assert "Parts on host2 …but no return route: acknowledgements stay in Parts." in text
    assert "possible outcomes" not in text
    assert "of 1 routes" not in text
    assert "Create a route in Parts on host2 that leads to headquarters." in text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ({"from": "headquarters/AdventureWorks", "to": "Nowhere"}, "Always delayed Waits in AdventureWorks"),
        ({"from": "outside:headquarters", "to": "Nowhere"}, "Always dropped Gets as far as headquarters"),
        ({"from": "headquarters/AdventureWorks", "to": "Expenses"}, "Always delivered Finance on headquarters"),
    ],
)
def test_each_kind_of_outcome(client: Client, question: dict[str, str], expected: str) -> None:
    assert expected in words(ask(client, "1-default", **question))


def test_several_outcomes_are_all_there(client: Client) -> None:
    text = words(ask(client, keep(EVERY_KIND), from_="hub/Sales", to="Ship"))
    assert "3 possible outcomes" in text
    assert "May be dropped May exit May be delivered" in text
    assert "hub takes any of 3 network addresses" in text
    for part in ("Depot on a", "to tcp://gone.example:4022, outside this estate", "at b To tcp://a leads on"):
        assert part in text


def test_many_outcomes_are_all_named(client: Client) -> None:
    text = words(ask(client, keep(fan(60)), from_="center/Main", to="Price"))
    assert "60 possible outcomes" in text
    for number in range(60):
        assert f"on branch{number} " in text or f"at branch{number} " in text


def test_a_circle(client: Client) -> None:
    assert "It is forwarded in a loop" in words(ask(client, keep(CIRCLE), from_="north/Orders", to="X"))


def test_branches_of_match_3_are_told_apart(client: Client) -> None:
    text = words(ask(client, "5-load-balancing", from_="headquarters/AdventureWorks", to="BalancedService"))
    assert "If 5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d is taken:" in text
    assert "If 81b1d3d0-288e-4d2c-b1d3-456cbb944b4f is taken:" in text


def test_ways_back_that_are_the_same_for_several_services_are_told_once(client: Client) -> None:
    page = ask(client, "2-network-route", from_="headquarters/AdventureWorks", to="OrderParts")
    assert page.count('<details class="return">') == 1
    assert "acknowledgements and replies to OrderEntry, ExpenseClaims do not reach" in words(page)


def test_what_does_not_arrive_looks_like_what_happens_to_it(client: Client) -> None:
    page = ask(client, "2-network-route", from_="headquarters/AdventureWorks", to="OrderParts")
    assert '<span class="chip delayed">Does not arrive</span>' in page


def test_rules_are_no_tab_stops(client: Client) -> None:
    page = ask(client, "2-network-route", from_="headquarters/AdventureWorks", to="OrderParts")
    assert page.count('<a class="rule"') == page.count('<a class="rule" tabindex="-1"') > 0


def test_an_answer_is_asked_for_again(client: Client) -> None:
    for url in ("/where/", "/scenarios/1-default/document.json"):
        assert client.get(url).headers["Cache-Control"] == "private, no-cache"


def test_the_own_service_narrows_the_way_back(client: Client) -> None:
    page = ask(client, "2-network-route", from_="headquarters/AdventureWorks", to="OrderParts", service="OrderEntry")
    assert "ExpenseClaims do not reach" not in words(page)


def test_the_moment_decides_which_routes_are_over(client: Client) -> None:
    name = keep(EVERY_KIND)
    before = words(ask(client, name, from_="hub/Sales", to="Old", at="2030-04-30T23:59:59Z"))
    after = words(ask(client, name, from_="hub/Sales", to="Old", at="2030-05-01T00:00:00Z"))
    assert "Always delivered" in before
    assert "Always delayed" in after
    assert "OldRoute expires 2030-05-01 00:00:00 UTC Delayed in Sales on hub" in before
    assert "as of 2030-05-01 00:00:00 UTC" in after


def test_what_would_change_it_was_tried(client: Client) -> None:
    text = words(ask(client, "4-everything-external", from_="headquarters/AdventureWorks", to="OrderParts"))
    assert "Broker of Parts on host2 switched off Dropped at host2" in text
    assert "Forwarding switched off at forwarding Dropped at forwarding" in text
    assert "Without ExternalRoute on headquarters Delayed in AdventureWorks on headquarters" in text


@pytest.mark.parametrize("name", ["1-default", "3-mirrored-database", "6-forward-one-service"])
def test_contradictions_of_the_examples_are_told_where_they_are_met(client: Client, name: str) -> None:
    assert "contradiction" in ask(client, name)


def test_other_estates_have_no_contradictions(client: Client) -> None:
    assert "contradiction" not in ask(client, "2-network-route")


# -- Why not another route ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("route", "expected"),
    [
        ("headquarters/AdventureWorks/OrderPartsRoute", "Used CHOOSE-3 it is used"),
        ("headquarters/AdventureWorks/AutoCreatedLocal", "Not used MATCH-2 is asked only at MATCH-5"),
        ("host2/Parts/AutoCreatedLocal", "Not used only the database that begins a conversation asks its own table"),
        ("host2/Parts/Nothing", "No route of this estate is called host2/Parts/Nothing"),
        ("nonsense", "No route of this estate is called nonsense"),
    ],
)
def test_why_not(client: Client, route: str, expected: str) -> None:
    question = {"from": "headquarters/AdventureWorks", "to": "OrderParts", "route": route}
    assert expected in words(ask(client, "2-network-route", **question))


# -- Form and fragments ------------------------------------------------------------------------------------


def test_htmx_gets_the_answer_and_what_depends_on_the_question(client: Client) -> None:
    question = {"from": "headquarters/AdventureWorks", "to": "OrderParts"}
    page = ask(client, "2-network-route", htmx=True, **question)
    assert "<html" not in page
    assert "<title>Parts on host2 · Where does it go? · BrokerUI</title>" in page
    assert page.count('hx-swap-oob="true"') == 8
    assert '<option value="9e664e54-1eb1-495b-88e8-a66624ceeaf8">Parts · host2</option>' in page


def test_a_page_that_is_brought_back_by_the_browser_is_whole(client: Client) -> None:
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert b"<html" in client.get("/where/", headers=headers).content


def test_an_answer_is_not_kept_for_who_asks_otherwise(client: Client) -> None:
    assert "HX-Request" in client.get("/where/").headers["Vary"]


def test_a_large_estate_is_searched_not_listed(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "MAX_OPTIONS", FEW_OPTIONS)
    name = keep(fan(30))
    page = ask(client, name)
    assert "<datalist" in page
    assert page.count("<option") < 3 * FEW_OPTIONS
    found = client.get("/where/options/from/", {"scenario": name, "from": "branch1"}).content.decode()
    assert found.count("<option") == 33
    assert 'value="outside:branch19"' in found


@pytest.mark.parametrize(("field", "typed", "found"), [("to", "pric", "Price"), ("route", "branch3", "branch3/Shop")])
def test_services_and_routes_are_searched_too(client: Client, field: str, typed: str, found: str) -> None:
    name = keep(fan(20))
    assert found in client.get(f"/where/options/{field}/", {"scenario": name, field: typed}).content.decode()


def test_there_are_no_other_options(client: Client) -> None:
    assert client.get("/where/options/broker/", {"scenario": "1-default"}).status_code == 404
    assert client.get("/where/options/from/", {"scenario": "gone"}).status_code == 404


def test_an_uploaded_document_is_named_as_it_downloads(client: Client) -> None:
    name = keep(EVERY_KIND, "My servers.json")
    page = ask(client, name, from_="hub/Sales", to="Ship")
    assert "brokerui explain my-servers.json --from hub/Sales --to Ship" in words(page)
    assert f'href="/estate.json?scenario={name}"' in page
    response = client.get(f"/estate.json?scenario={name}")
    assert 'filename="my-servers.json"' in response.headers["Content-Disposition"]
    assert read_estate(b"".join(response)) == read_estate(EVERY_KIND)  # type: ignore[arg-type] - a streamed response is iterable


def test_the_services_offered_are_those_of_the_database_that_is_meant(client: Client) -> None:
    name = keep(document(instance("a", database("b/c", services=("Mine",)))))
    page = ask(client, name, from_="a/b/c", to="S")
    assert '<datalist id="own-services"><option value="Mine">' in page.replace("\n", "")


def test_what_is_handed_on_names_the_moment_of_the_answer(client: Client) -> None:
    page = ask(client, "2-network-route", from_="headquarters/AdventureWorks", to="OrderParts")
    moment = re.search(r'<time datetime="([^"+]+)', page)[1]  # type: ignore[index] - it matches, or the test fails here
    link, command = (html.unescape(text) for text in re.findall(r'data-copy="([^"]+)"', page)[:2])
    assert f"at={quote(moment)}Z" in link
    assert command.startswith(".venv/bin/brokerui explain examples/2-network-route.json ")
    assert command.endswith(f" --at {moment}Z")


# -- What may be wrong -------------------------------------------------------------------------------------


def test_a_fault_stands_at_its_field(client: Client) -> None:
    page = ask(client, "1-default", status=400, from_="nowhere/X", to="S", broker="zz", at="never")
    for field, fault in (("from", "no instance"), ("broker", "GUID"), ("at", "ISO 8601")):
        assert re.search(rf'id="fault-{field}">[^<]*(<[^>]+>)?[^<]*{fault}', page), field
        assert re.search(rf'<(input|select) id="{field}"[^>]*aria-describedby="fault-{field}', page)
    assert "No answer yet" in page
    assert 'value="zz"' in page


def test_an_unknown_scenario_is_not_here(client: Client) -> None:
    ask(client, "gone", status=404)


@pytest.mark.parametrize("value", [HOSTILE, "\x00", "%00", "\ud800".encode("utf-8", "surrogatepass").decode("latin1")])
@pytest.mark.parametrize("field", ["from", "to", "broker", "service", "reply", "at", "route"])
def test_nothing_in_a_question_breaks_the_page(client: Client, field: str, value: str) -> None:
    question = {"scenario": "1-default", "from": "headquarters/AdventureWorks", "to": "Expenses", field: value}
    response = client.get(f"/where/?{urlencode(question)}")
    assert response.status_code in (200, 400)
    assert b"<script>alert" not in response.content


@pytest.mark.parametrize(
    "query", ["from=a&from=b", "to=%ff%fe", "at=" + "9" * 3000, "from=" + "/" * 3000, "&&&=", "reply="]
)
def test_hostile_query_strings(client: Client, query: str) -> None:
    assert client.get(f"/where/?scenario=1-default&{query}").status_code in (200, 400)


def test_names_are_text_wherever_they_stand(client: Client) -> None:
    name = keep(HOSTILE_ESTATE, HOSTILE)
    question = {"from": f"h{HOSTILE}/d/{HOSTILE}", "to": HOSTILE, "route": f"h{HOSTILE}/d/{HOSTILE}/r{HOSTILE}"}
    for page in (ask(client, name, **question), ask(client, name, htmx=True, **question)):
        assert "<script>alert" not in page
        assert f"t{HOSTILE} on b" in html.unescape(page)


def test_braces_in_names_are_no_places(client: Client) -> None:
    name = keep(document(instance("{0}", database("{x}", LOCAL, services=("{service}",)), database("{y}", LOCAL))))
    assert "{x} on {0}" in words(ask(client, name, from_="{0}/{y}", to="{service}"))


@pytest.mark.parametrize(
    ("text", "says"),
    [(document(), "This estate is empty"), (document(instance("a")), "No conversation can begin here")],
)
def test_an_estate_without_databases_says_what_to_do(client: Client, text: str, says: str) -> None:
    page = ask(client, keep(text))
    assert says in page
    assert 'href="/scenarios/"' in page


def test_without_a_scenario_it_is_about_the_live_estate(client: Client) -> None:
    assert "The live estate is empty" in ask(client)
    estate_import(estate=read_estate(EVERY_KIND), author="test")
    page = ask(client, from_="hub/Sales", to="Ship")
    assert "Live estate · version 1" in page
    assert "brokerui explain estate-1.json --from hub/Sales --to Ship" in words(page)


def test_an_earlier_version_answers_as_it_was(client: Client) -> None:
    estate_import(estate=read_estate(EVERY_KIND), author="test")
    estate_import(estate=read_estate(document(instance("a", database("b")))), author="test")
    page = ask(client, as_of="1", from_="hub/Sales", to="Ship")
    assert "As of version 1" in page
    assert "brokerui explain estate-1.json --from hub/Sales --to Ship" in words(page)
    assert "There is no instance" in words(ask(client, from_="hub/Sales", to="Ship", status=400))


@pytest.mark.parametrize(
    "query", ["as_of=7", "as_of=never", "as_of=" + "9" * 40, "scenario=none", "as_of=0&scenario=1-default"]
)
def test_an_estate_that_is_none_is_not_found(client: Client, query: str) -> None:
    for page in ("/where/", "/where/options/from/", "/estate.json"):
        assert client.get(f"{page}?{query}").status_code == 404


def test_only_reading_is_allowed(client: Client) -> None:
    assert client.post("/where/").status_code == 405
    assert client.post("/where/options/from/").status_code == 405


# -- Rules, languages, speed -------------------------------------------------------------------------------


def test_every_rule_that_an_account_names_has_its_sentence(client: Client) -> None:
    page = ask(client, "7-forward-everything")
    named = set(re.findall(r'href="#rule-([A-Z0-9-]+)"', page))
    assert named
    assert named == {rule for rule in named if f'id="rule-{rule}"' in page}
    assert named <= set(RULES)


def test_numbers_in_the_picture_are_not_the_readers(client: Client) -> None:
    client.cookies["django_language"] = "fr"
    page = ask(client, "7-forward-everything")
    assert not re.search(r'(x|y|width|height)="\d+,\d', page)


def large() -> str:
    """1,000 instances, 5,000 databases beside msdb, 50,000 routes."""
    return document(
        *(
            instance(
                f"i{n}",
                *(
                    database(
                        f"D{d}",
                        LOCAL,
                        *(to(f"tcp://i{(n * 7 + d + r) % 1000}:4022", f"S{n + r}", name=f"R{r}") for r in range(9)),
                        services=(f"S{n}",),
                    )
                    for d in range(5)
                ),
                database("msdb", LOCAL),
            )
            for n in range(1000)
        )
    )


PATIENCE = 3.0
"""Seconds of a core, ten times the budget that benchmarks/pages.py measures: here only what blows up is found."""


@pytest.mark.thorough("benchmarks/pages.py measures it")
@pytest.mark.slow
def test_a_large_estate_answers_soon(client: Client) -> None:
    name = keep(large())
    question = {"from": "i3/D1", "to": "S5"}
    ask(client, name, **question)
    assert any(process_seconds(lambda: ask(client, name, **question)) < PATIENCE for _ in range(3))


def test_the_choices_of_an_estate_are_made_once() -> None:
    estate = scenario_get("1-default")
    assert choices_of("1-default", estate) is choices_of("1-default", estate)


def test_the_link_asks_the_same_again(client: Client) -> None:
    page = ask(client, "2-network-route", from_="headquarters/AdventureWorks", to="OrderParts", at="2030-01-01T00:00Z")
    link = html.unescape(re.search(r'data-copy="(http[^"]+)"', page)[1])  # type: ignore[index] - it matches, or the test fails here
    assert words(client.get(link).content.decode()) == words(page)
    assert json.dumps(link).count("scenario=2-network-route") == 1


# -- Findings on the way -----------------------------------------------------------------------------------


def on_the_way(client: Client, origin: str, to: str) -> list[str]:
    """The codes of the findings beside the answer."""
    page = ask(client, "three-servers", from_=origin, to=to)
    return re.findall(r'href="/findings/([a-z-]+)/\?scenario=three-servers"', page)


@pytest.mark.parametrize(
    ("origin", "to", "code"),
    [
        ("shop/Orders", "//example/ledger/Post", "wrong-port"),
        ("shop/Orders", "//example/ledger/Archive", "similar-service-name"),
        ("depot/Stock", "//example/ledger/Correct", "route-name-as-service-name"),
        ("office/Ledger", "//example/ledger/Invoice", "dynamic-route-hides-local"),
    ],
)
def test_the_cause_stands_beside_the_answer(client: Client, origin: str, to: str, code: str) -> None:
    assert on_the_way(client, origin, to) == [code]


def test_several_causes_stand_worst_first(client: Client) -> None:
    assert on_the_way(client, "shop/Orders", "//example/print/Labels") == ["no-return-route", "unknown-identifier"]


def test_where_nothing_was_found_nothing_is_said(client: Client) -> None:
    page = ask(client, "three-servers", from_="depot/Stock", to="//example/orders/Cart")
    assert "Findings on this way" not in page
