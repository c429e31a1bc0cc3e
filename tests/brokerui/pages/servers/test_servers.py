"""The pages of real servers: freshness, causes with T-SQL, leaks with the clean-up script, and pasted rows."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from brokerui.accounts.levels import Role
from brokerui.analysis.servers.models import Collection, CollectionSource
from brokerui.analysis.servers.services import collection_keep
from brokerui.analysis.servers.sums import DatabaseSums, ServerSums
from brokerui.api.ids import id_of
from brokerui.core import paging
from routing.model.collected import CollectedTransmissions, TransmissionSum
from routing.model.endpoint_groups import EndpointGroup
from tests.brokerui.analysis.servers.pastes import NO_ROUTE, QUEUE
from tests.brokerui.site import signed_in

pytestmark = pytest.mark.django_db
OFF = "The broker is disabled in the sender's database."


def leaky(days: float, di: int, server: str = "sqlprod01", databases: int = 1) -> Collection:
    """Keep the conversations of a server, as they were this number of days ago."""
    at = timezone.now() - timedelta(days=days)
    groups = (
        EndpointGroup(endpoints=di, state="DI", service="//shop/Audit", is_initiator=False, age_days=7),
        EndpointGroup(endpoints=40, state="DI", service="//shop/Audit", is_initiator=False, age_days=0),
        EndpointGroup(endpoints=5_000, state="CD", service="//shop/Mail", is_initiator=False, age_days=30),
        EndpointGroup(endpoints=212, state="CO", service="//shop/Audit", is_initiator=False, age_days=0),
    )
    kept = tuple(DatabaseSums(name=f"Orders{number or ''}", endpoints=groups) for number in range(databases))
    return keep(ServerSums(server=server, at=at, databases=kept))


def holding(messages: int, status: str, server: str = "sqlprod02") -> Collection:
    at = timezone.now() - timedelta(minutes=38)
    row = TransmissionSum(messages, status, "//shop/Mine", "//shop/Stock", None, at - timedelta(hours=6))
    one = DatabaseSums(name="Stock", transmissions=CollectedTransmissions(at, (row,)))
    return keep(ServerSums(server=server, at=at, databases=(one,)))


def keep(sums: ServerSums) -> Collection:
    return collection_keep(sums=sums, author="r.meier", source=CollectionSource.PASTED)


def text_of(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


LEAK = f"/servers/leak/{id_of(('sqlprod01', 'Orders'))}/"


def test_the_list_has_every_server_with_its_freshness(viewer: Client) -> None:
    leaky(45, 900)
    holding(1_904, OFF)
    text = text_of(viewer, "/servers/")
    assert "1,904 messages were held on real servers when they were asked" in text
    assert "1 of 2 is stale" in text
    assert "Review the clean-up" in text
    assert "Paste rows" not in text  # a viewer keeps nothing


def test_many_servers_take_several_pages_under_one_headline(viewer: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "PAGE_ROWS", 2)
    for number in range(3):
        holding(10, OFF, server=f"sql{number}")
    text = text_of(viewer, "/servers/?page=2")
    assert "30 messages were held on real servers" in text
    assert "3 to 3 of 3" in text
    assert "sql0" not in text
    last = text_of(viewer, "/servers/?sort=-name").partition("<ul")[2]
    names = re.findall(r'href="/servers/server/[^"]+">([^<]+)</a>', last)
    assert names == sorted(names, key=str.casefold, reverse=True)
    assert "sort=-name&amp;page=2" in viewer.get("/servers/?sort=-name").content.decode()
    assert viewer.get("/servers/?sort=size").status_code == 400


def test_messages_of_a_server_have_the_sentence_and_the_statement_of_their_status(viewer: Client) -> None:
    holding(1_904, OFF)
    text = text_of(viewer, f"/servers/server/{id_of(('sqlprod02',))}/")
    assert "The broker of sqlprod02/Stock is disabled" in text
    assert "The broker of the sender's database is disabled." in text
    page = viewer.get(f"/servers/server/{id_of(('sqlprod02',))}/").content.decode()
    assert "ENABLE_BROKER" in unescape(page)
    assert "Draft the remedy" not in page
    overview = text_of(viewer, "/overview/")
    assert "The broker of sqlprod02/Stock is disabled" in overview
    assert "sqlprod02 · 38" in overview


def test_a_leak_shows_growth_order_of_work_ages_and_the_script(viewer: Client) -> None:
    for day in range(5, -1, -1):
        leaky(day, 20_000 - 1_000 * day)
    text = text_of(viewer, LEAK)
    assert "25,040 conversations of Orders will never close by themselves" in text
    assert "1,000 more than a day before." in text
    assert "//shop/Audit makes nearly all new ones: 1,000 a day, steadily since" in text
    assert (
        text.index("Stop the leak")
        < text.index("Let it rest for a day")
        < text.index("Clean up the conversations that are left over")
    )
    assert "20,000 end" in text
    assert "40 DI younger than 7 days" in text
    assert "5,000 CD: would need CLEANUP" in text
    assert "DECLARE @run bit = 0" in text
    younger = text_of(viewer, f"{LEAK}?days=30&service=//shop/Audit")
    assert "0 end" in younger
    overview = text_of(viewer, "/overview/")
    assert "25,040 conversations of Orders never close" in overview
    assert "1,000 more each day. Most are of //shop/Audit." in overview


def test_the_files_have_all_rows(viewer: Client) -> None:
    leaky(1, 500)
    leaky(0, 600)
    groups = b"".join(viewer.get(f"{LEAK}groups.csv")).decode().splitlines()
    assert groups[1] == "//shop/Mail,target,CD,0,0,0,5000,0,0,5000,1,0"
    assert groups[2] == "//shop/Audit,target,DI,40,0,600,0,0,0,640,1,100"
    growth = b"".join(viewer.get(f"{LEAK}growth.csv")).decode().splitlines()
    assert growth[-1].endswith(",640,5000,212,0,0,0,0")


@pytest.mark.parametrize(
    "path", ["/servers/server/xx/", "/servers/leak/xx/", f"/servers/server/{id_of(('none',))}/", LEAK]
)
def test_unknown_servers_and_databases_are_not_found(viewer: Client, path: str) -> None:
    assert viewer.get(path).status_code == 404


def test_an_operator_pastes_previews_and_keeps(operator: Client) -> None:
    form = {"server": "warehouse", "database": "Stock", "at": "2026-11-24 08:37 UTC", "text": QUEUE}
    preview = operator.post("/servers/paste/", form)
    assert preview.status_code == 200
    assert not Collection.objects.exists()
    page = preview.content.decode()
    assert NO_ROUTE in page
    [sums] = re.findall(r'name="sums" value="([^"]+)"', page)
    kept = operator.post("/servers/paste/", {"sums": sums}, follow=True)
    assert "No route leads from warehouse/Stock to //shop/Stock" in kept.content.decode()
    assert Collection.objects.get().author
    assert operator.post("/servers/paste/", {"sums": sums}, follow=True).status_code == 200
    assert Collection.objects.count() == 1


def test_a_file_is_taken_and_a_bad_one_names_its_line(operator: Client) -> None:
    file = SimpleUploadedFile("queue.tsv", (QUEUE + "one\ttwo\n").encode())
    response = operator.post("/servers/paste/", {"server": "warehouse", "database": "Stock", "file": file})
    assert response.status_code == 422
    page = response.content.decode()
    assert "queue.tsv" in page
    assert "line 4" in page
    assert "has 2 columns, and the header 6" in page
    assert not Collection.objects.exists()


@pytest.mark.parametrize(
    "values", [{}, {"server": "x"}, {"server": "x", "text": "a", "at": "yesterday"}, {"text": "\0"}]
)
def test_a_form_with_gaps_is_shown_again(operator: Client, values: dict[str, str]) -> None:
    response = operator.post("/servers/paste/", values)
    assert response.status_code == 422
    assert 'aria-invalid="true"' in response.content.decode()


def test_a_preview_of_somebody_else_is_not_kept(operator: Client) -> None:
    form = {"server": "warehouse", "database": "Stock", "text": QUEUE}
    page = operator.post("/servers/paste/", form).content.decode()
    [sums] = re.findall(r'name="sums" value="([^"]+)"', page)
    other = signed_in(Role.EDITOR)
    other.post("/servers/paste/", {"sums": sums})
    other.post("/servers/paste/", {"sums": sums[:-4] + "AAAA"})
    assert not Collection.objects.exists()


def test_no_page_takes_more_queries_of_more_collections(viewer: Client) -> None:
    def counts() -> list[int]:
        found = []
        for path in ("/servers/", f"/servers/server/{id_of(('sqlprod01',))}/", LEAK, f"{LEAK}groups.csv"):
            viewer.get(path)
            with CaptureQueriesContext(
                connection,
            ) as queries:
                b"".join(viewer.get(path))
            found.append(len(queries))
        return found

    leaky(3, 500)
    leaky(2, 600)
    few = counts()
    for number in range(6):
        leaky(1 - number / 10, 700 + number, databases=3)
        leaky(1, 700, server=f"sql{number}")
    assert counts() == few
    assert max(few) <= 16
