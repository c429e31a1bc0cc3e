"""`servers/` and `collections/`: what the pages show, for programs; rows that they send."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from brokerui.analysis.servers.models import Collection
from brokerui.api.ids import id_of
from brokerui.estate.models import Instance
from tests.brokerui.analysis.servers.pastes import NO_ROUTE, QUEUE, SUMS
from tests.brokerui.api.helpers import API, send

pytestmark = pytest.mark.django_db
ROWS = {"server": "sqlprod02", "database": "Stock", "collected_at": "2026-11-24T08:37:00Z", "content": QUEUE}


def post(client: Client, **more: Any) -> Any:
    return send(client, "post", f"{API}/collections/", {**ROWS, **more})


def test_rows_are_understood_kept_and_diagnosed(operator: Client) -> None:
    dry = post(operator, dry_run=True)
    assert (dry.status_code, dry.json()["number"]) == (200, None)
    assert dry.json()["databases"] == [{"name": "Stock", "messages": 2, "states": None}]
    assert not Collection.objects.exists()
    kept = post(operator)
    assert kept.status_code == 201
    [server] = operator.get(f"{API}/servers/").json()["results"]
    assert (server["name"], server["messages"], server["how"]) == ("sqlprod02", 2, "pasted")
    body = operator.get(f"{API}/servers/{server['id']}/").json()
    [cause] = body["causes"]
    assert cause["cause"] == "No route leads from sqlprod02/Stock to //shop/Stock"
    assert cause["sentence"].startswith("The target service was not found")
    assert (cause["number"], cause["collected_at"]) == (9793, "2026-11-24T08:37:00Z")
    assert NO_ROUTE not in cause["sentence"]
    [collection] = operator.get(f"{API}/collections/").json()["results"]
    path = f"{API}/collections/{collection['number']}/"
    assert send(operator, "delete", path).status_code == 428
    etag = operator.get(path).headers["ETag"]
    assert send(operator, "delete", path, If_Match=etag).status_code == 204
    assert operator.get(f"{API}/servers/").json()["count"] == 0


def test_48_million_conversations_are_a_leak_with_a_script(operator: Client) -> None:
    assert post(operator, server="sqlprod01", database="Orders", content=SUMS).status_code == 201
    path = f"{API}/servers/leaks/{id_of(('sqlprod01', 'Orders'))}/"
    body = operator.get(path).json()
    assert body["headline"] == "49,122,139 conversations of Orders will never close by themselves"
    assert [(one["state"], one["is_leak"]) for one in body["groups"]] == [("DI", True), ("CD", True), ("CO", False)]
    assert body["groups"][0]["ages"] == {"0": 18_240, "7": 418_305, "180": 48_624_361}
    assert body["clean_up"]["ends"] == 49_042_666
    assert "DECLARE @run bit = 0" in body["clean_up"]["sql"]
    assert [step["title"] for step in body["steps"]][:2] == ["Stop the leak", "Let it rest for a day"]
    assert operator.get(f"{path}?days=180").json()["clean_up"]["ends"] == 48_624_361
    assert operator.get(f"{path}?days=3").status_code == 400


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"content": QUEUE + "one\ttwo\n"}, "line 4"),
        ({"content": "SELECT 1"}, "holds neither"),
        ({"content": "a\0b"}, "NUL"),
        ({"collected_at": "2126-11-24T08:37:00Z"}, "lies in the future"),
        ({"database": ""}, "database"),
        ({"server": ""}, "server"),
    ],
)
def test_bad_rows_get_one_error_and_nothing_is_kept(operator: Client, change: dict[str, Any], problem: str) -> None:
    response = post(operator, **change)
    assert response.status_code == 422
    assert problem in response.json()["detail"]
    assert not Collection.objects.exists()


def test_a_server_has_one_spelling_and_a_hosted_one_is_refused(operator: Client, small: None) -> None:
    assert post(operator, server="HUB").json()["server"] == "hub"
    Instance.objects.filter(name="hub").update(hosted=True)
    response = post(operator, server="hub")
    assert (response.status_code, "runs in BrokerUI itself" in response.json()["detail"]) == (422, True)


def test_a_viewer_reads_and_keeps_nothing(viewer: Client) -> None:
    assert viewer.get(f"{API}/servers/").status_code == 200
    assert post(viewer).status_code == 403
    assert viewer.get(f"{API}/servers/{id_of(('none',))}/").status_code == 404
