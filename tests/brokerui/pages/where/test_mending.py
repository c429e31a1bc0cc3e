"""The first T-SQL on the page is that of the conversation in question, and each remedy says what it does."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client

from brokerui.core.home import CHECKOUT
from brokerui.estate.scenarios.services import scenario_create
from tests.brokerui.estates import LOCAL, database, document, instance, to

pytestmark = pytest.mark.django_db


def ask(client: Client, origin: str, service: str, scenario: str = "three-servers") -> str:
    response = client.get("/where/", {"scenario": scenario, "from": origin, "to": service})
    assert response.status_code == 200
    return html.unescape(response.content.decode())


def statements(page: str) -> list[str]:
    return re.findall(r'<div class="sql"><pre><code>(.*?)</code>', page, re.DOTALL)


@pytest.mark.parametrize(
    ("origin", "service", "first", "does"),
    [
        ("shop/Orders", "//example/ledger/Post", "ALTER ROUTE [PostRoute]", "delivered in Ledger on office"),
        (
            "shop/Orders",
            "//example/print/Labels",
            "Return to //example/orders/Cart",
            "replies arrive in Orders on shop",
        ),
    ],
)
def test_the_first_statement_mends_this_conversation_and_says_so(
    client: Client, origin: str, service: str, first: str, does: str
) -> None:
    page = ask(client, origin, service)
    assert "What mends this conversation" in page
    assert first in statements(page)[0]
    mends = page.split('id="mends"')[1].split("</section>")[0]
    assert does in re.sub(r"<[^>]+>", "", mends)


def test_what_is_found_besides_stands_apart_and_is_tried_too(client: Client) -> None:
    page = ask(client, "shop/Orders", "//example/print/Labels")
    besides = page.split('id="found"')[1].split("</section>")[0]
    assert "Also found on this way" in page
    assert "LabelsAtOffice" in besides
    assert "With it," in re.sub(r"<[^>]+>", "", besides)


def test_what_would_change_it_counts_the_remedies_beside_it(client: Client) -> None:
    page = ask(client, "shop/Orders", "//example/ledger/Post")
    changes = page.split('id="changes"')[1].split("</section>")[0]
    assert "delivered in Ledger on office" in re.sub(r"<[^>]+>", "", changes)
    assert "None of these would" not in page


def test_that_no_remedy_beside_it_mends_a_conversation_is_said(client: Client) -> None:
    """The route is for a name that looks like the service: with it corrected, this name has no route. A service of the
    name cannot be made, since nothing says which queue the other one has."""
    text = (CHECKOUT / "examples" / "three-servers.json").read_text(encoding="utf-8")
    known = '{"name": "//example/ledger/Archive", "queue": "dbo.LedgerQueue", "contracts": ["DEFAULT"]}'
    assert known in text
    name = scenario_create(title="unknown queue", text=text.replace(known, '"//example/ledger/Archive"'))[0].name
    assert "CREATE SERVICE" in ask(client, "shop/Orders", "//example/Ledger/Archive")
    page = ask(client, "shop/Orders", "//example/Ledger/Archive", name)
    assert "What mends this conversation" not in page
    assert "None of these remedies changes where this conversation ends." in page


def test_what_is_well_has_no_remedy(client: Client) -> None:
    page = ask(client, "depot/Stock", "//example/stock/Reserve")
    assert "What mends this conversation" not in page
    assert "no-return-route" not in page


def test_that_replies_get_nowhere_is_not_told_of_a_conversation_whose_replies_arrive(client: Client) -> None:
    """Two databases send to one service, and only one of them has a way back."""
    guids = (f"6f3f0d5e-0000-4000-8000-00000000000{digit}" for digit in "123")
    one, other, target = (
        database("One", LOCAL, to("tcp://b", "Parts"), services=("FromOne",), broker_instance=next(guids)),
        database("Other", LOCAL, to("tcp://b", "Parts"), services=("FromOther",), broker_instance=next(guids)),
        database("Target", LOCAL, to("tcp://a", "FromOne"), services=("Parts",), broker_instance=next(guids)),
    )
    hosts = instance("a", one, other, database("msdb", LOCAL)), instance("b", target, database("msdb", LOCAL))
    name = scenario_create(title="two senders", text=document(*hosts))[0].name
    assert "no-return-route" not in ask(client, "a/One", "Parts", name)
    page = ask(client, "a/Other", "Parts", name)
    assert "no-return-route" in page
    assert "Return to FromOther" in statements(page)[0]


def test_every_remedy_of_the_page_of_findings_says_what_it_does(client: Client) -> None:
    page = html.unescape(client.get("/findings/", {"scenario": "three-servers"}).content.decode())
    assert page.count("With it,") == len(statements(page)) == 6


def test_the_file_of_findings_says_what_each_remedy_does(client: Client) -> None:
    response = client.get("/findings/findings.csv", {"scenario": "three-servers"})
    lines = response.getvalue().decode().splitlines()
    assert lines[0].split(",")[-1] == "remedy_does"
    assert sum("With it," in line for line in lines) == 6
