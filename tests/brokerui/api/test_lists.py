"""Lists: filters, orders, pages; scenarios and earlier versions; and 304 for a client that has the answer."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from brokerui.api.catalog_listings import VIEWS as CATALOG_VIEWS
from brokerui.api.row_schema import RESOURCES
from brokerui.estate.services import estate_import
from routing.documents.estate_document import read_estate
from tests.brokerui.api.helpers import API, ROWS, change, row, send
from tests.brokerui.estates import LOCAL, database, document, instance, to

LISTS = [*ROWS, *(f"sys/{listing.name}" for listing in CATALOG_VIEWS)]


def bring_in(text: str) -> None:
    estate_import(estate=read_estate(text), author="import")


def names(client: Client, query: str) -> list[str]:
    return [one["name"] for one in client.get(f"{API}/{query}").json()["results"]]


def many(count: int) -> str:
    routes = [to(f"tcp://h{n % 3}", f"S{n % 5}" if n % 2 else None, name=f"R{n:03}") for n in range(count)]
    half = count // 2
    return document(instance("b", database("D", *routes[:half])), instance("a", database("D", *routes[half:])))


def walked(client: Client, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    url: str | None = path
    while url:
        page = client.get(url).json()
        assert page["results"]
        found += page["results"]
        url = page["next"]
    return found


@pytest.mark.parametrize("order", RESOURCES[4].listing.orderings)
def test_pages_give_every_row_once_in_their_order(client: Client, order: str) -> None:
    bring_in(many(23))
    rows = walked(client, f"{API}/routes/?limit=4&ordering={order}")
    assert len(rows) == 23
    assert len({one["id"] for one in rows}) == 23
    column = order.removeprefix("-")
    if column == "key":
        values = [(one["instance"], one["database"], one["name"]) for one in rows]
    else:
        values = [(one[column] is not None, one[column] or "", one["instance"], one["name"]) for one in rows]
    assert values == sorted(values, reverse=order.startswith("-"))


def test_an_edit_between_two_pages_shifts_nothing(client: Client) -> None:
    bring_in(many(10))
    first = client.get(f"{API}/routes/?limit=5").json()
    change(client, "delete", f"{API}/routes/{first['results'][0]['id']}/")
    rest = client.get(first["next"]).json()
    assert rest["count"] == 9
    assert [one["name"] for one in rest["results"]] == [f"R{n:03}" for n in range(5)]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("routes/?instance=hub", ["AutoCreatedLocal", "ToFar"]),
        ("routes/?instance=nowhere", []),
        ("routes/?database=Depot", ["AutoCreatedLocal"]),
        ("routes/?instance=far/away&database=Sales", []),
        ("routes/?service=Ship", ["ToFar"]),
        ("routes/?service=ship", []),
        ("routes/?address=TCP://FAR:4022/", ["ToFar"]),
        ("routes/?address=local&instance=hub", ["AutoCreatedLocal"]),
        ("routes/?expires_before=2030-05-01T00:00:01Z", ["ToFar"]),
        ("routes/?expires_before=2030-05-01T02:00:00%2B02:00", []),
        ("routes/?name=ToFar", ["ToFar"]),
        ("services/?name=Ship", ["Ship"]),
        ("services/?queue=dbo.ShipQueue", ["Ship"]),
        ("queues/?enabled=false", ["dbo.Old"]),
        ("queues/?name=dbo.ShipQueue", ["dbo.ShipQueue"]),
        ("databases/?broker_instance={00000000-0000-4000-8000-000000000001}", ["Sales"]),
        ("databases/?broker_enabled=false", []),
        ("databases/?mirroring_role=PRINCIPAL", []),
        ("instances/?address=tcp://far", ["far/away"]),
        ("instances/?forwarding=true", ["hub"]),
        ("instances/?name=hub", ["hub"]),
        ("sys/routes/?name=ToFar", ["ToFar"]),
        ("sys/service_queues/?name=dbo.Old", ["Old"]),
    ],
)
def test_filters(client: Client, query: str, found: list[str]) -> None:
    assert names(client, query) == found
    assert client.get(f"{API}/{query}").json()["count"] == len(found)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("nope=1", "nope"),
        ("instance=", "instance"),
        ("instance=a&instance=b", "instance"),
        ("name=%00", "name"),
        ("name=" + "x" * 129, "name"),
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=-1", "limit"),
        ("limit=٣", "limit"),
        ("limit=" + "9" * 4000, "limit"),
        ("ordering=database", "ordering"),
        ("cursor=x", "cursor"),
        ("cursor=WyJrZXkiXQ", "cursor"),
        ("cursor=WzEsMiwzLDQsNSw2XQ", "cursor"),
        ("cursor=" + "W" * 4001, "cursor"),
        ("broker_instance=x", "broker_instance"),
        ("address=x", "address"),
        ("expires_before=tomorrow", "expires_before"),
        ("expires_before=9999-12-31T23:59:59-23:59", "expires_before"),
        ("scenario=%00", "scenario"),
    ],
)
def test_a_parameter_that_is_wrong_is_named(client: Client, query: str, name: str) -> None:
    response = client.get(f"{API}/routes/?{query}")
    assert response.status_code == 400
    assert response.json()["errors"][0].items() >= {"in": "query", "name": name}.items()


def test_a_cursor_is_of_one_order(client: Client) -> None:
    bring_in(many(10))
    following = client.get(f"{API}/routes/?limit=2&ordering=name").json()["next"]
    assert client.get(following.replace("ordering=name", "ordering=address")).status_code == 400


# -- Scenarios and versions --------------------------------------------------------------------------------


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("kind", LISTS)
def test_a_scenario_has_the_same_shape(client: Client, kind: str) -> None:
    live = client.get(f"{API}/{kind}/").json()["results"]
    scenario = client.get(f"{API}/{kind}/?scenario=1-default").json()["results"]
    assert not scenario or set(scenario[0]) == set(live[0])
    assert scenario != live


@pytest.mark.usefixtures("small")
def test_an_earlier_version_is_as_it_was(client: Client) -> None:
    before, list_before = client.get(row("routes")).json(), client.get(f"{API}/routes/").json()
    estate = client.get(f"{API}/estate/").getvalue()
    change(client, "patch", row("routes"), {"address": "LOCAL"})
    assert client.get(f"{row('routes')}?as_of=1").json() == before != client.get(row("routes")).json()
    assert client.get(f"{API}/routes/?as_of=1").json()["results"] == list_before["results"]
    as_of = client.get(f"{API}/estate/?as_of=1")
    assert as_of.getvalue() == estate
    for query in ("as_of=9", "scenario=none", "as_of=1&scenario=1-default", "as_of=x"):
        assert client.get(f"{row('routes')}?{query}").status_code == 404


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("query", ["scenario=1-default", "as_of=1"])
def test_nothing_but_the_live_estate_is_written(client: Client, query: str) -> None:
    assert send(client, "patch", f"{row('routes')}?{query}", {}, If_Match="*").status_code == 400
    assert send(client, "post", f"{API}/routes/?{query}", {"name": "x"}).status_code in (400, 422)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "path",
    [
        *(f"{API}/{kind}/" for kind in LISTS),
        *map(row, ROWS),
        *(f"{API}/{p}/" for p in ("estate", "versions", "versions/1", "schema")),
    ],
)
def test_who_has_it_gets_nothing_twice(client: Client, path: str) -> None:
    tag = client.get(path).headers["ETag"]
    for header in (tag, f'"x", {tag}', f"W/{tag}", "*"):
        again = client.get(path, headers={"If-None-Match": header})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    assert client.get(path, headers={"If-None-Match": '"x"'}).status_code == 200


@pytest.mark.usefixtures("small")
def test_lists_have_another_tag_once_something_changed(client: Client) -> None:
    tags = {path: client.get(path).headers["ETag"] for path in (f"{API}/routes/", f"{API}/estate/", f"{API}/versions/")}
    change(client, "patch", row("routes"), {"address": "LOCAL"})
    for path, tag in tags.items():
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 200


# -- Budget ------------------------------------------------------------------------------------------------

COUNTING = 2
"""Queries that count a request where no Valkey runs, as here."""


@pytest.mark.parametrize("kind", [*LISTS, "versions", "estate"])
def test_no_more_queries_for_more_rows(client: Client, kind: str) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(f"{API}/{kind}/?limit=1000" if kind != "estate" else f"{API}/estate/")
        return len(captured.captured_queries)

    bring_in(document(instance("a", database("D", LOCAL))))
    queries()  # the first request of a user is counted by another statement than all others
    few = queries()
    bring_in(many(60))
    assert queries() == few <= 6 + COUNTING


def test_a_write_takes_no_more_queries_in_a_larger_estate(client: Client) -> None:
    def queries(name: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            body = {"instance": "a", "database": "D", "name": name, "address": "LOCAL"}
            assert send(client, "post", f"{API}/routes/", body).status_code == 201
        return len(captured.captured_queries)

    bring_in(document(instance("a", database("D", LOCAL))))
    queries("warm")
    few = queries("one")
    bring_in(many(200))
    queries("warm")
    assert queries("two") == few
