"""Rows: add, read, replace, change, delete; with what one has seen of them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from brokerui.api import editing
from brokerui.api.ids import id_of
from brokerui.estate.models import AuditEntry, Route
from brokerui.estate.rows import estate_from_rows
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from routing.model.edits import DropRoute, SetHopLimit
from tests.brokerui.api.helpers import API, NEW, ROWS, change, row, send

pytestmark = pytest.mark.usefixtures("shared_small")

CHANGES: dict[str, dict[str, Any]] = {
    "instances": {"forwarding": False, "endpoint": {"port": 4022, "state": "STOPPED"}},
    "databases": {"broker_enabled": False, "priorities": [{"name": "Low", "priority_level": 1}]},
    "services": {"queue": "dbo.Old", "contracts": []},
    "queues": {"enabled": False, "activation": None},
    "routes": {"address": "tcp://other:4022", "lifetime": "2031-01-01T00:00:00Z"},
}


@pytest.mark.parametrize("kind", ROWS)
def test_a_row_is_added_read_changed_and_deleted(client: Client, kind: str) -> None:
    added = send(client, "post", f"{API}/{kind}/", NEW[kind])
    assert added.status_code == 201
    path = added.headers["Location"]
    read = client.get(path)
    assert (read.json(), read.headers["ETag"]) == (added.json(), added.headers["ETag"])
    assert read.json().items() >= NEW[kind].items()
    changed = change(client, "patch", path, CHANGES[kind])
    assert changed.status_code == 200
    assert {name: changed.json()[name] for name in NEW[kind] if name not in CHANGES[kind]} == {
        name: value for name, value in NEW[kind].items() if name not in CHANGES[kind]
    }
    assert client.get(path).headers["ETag"] == changed.headers["ETag"] != added.headers["ETag"]
    assert change(client, "delete", path).status_code == 204
    assert client.get(path).status_code == 404
    assert estate_from_rows() == estate_current().estate


@pytest.mark.parametrize("kind", ROWS)
def test_what_was_read_can_be_sent_back(client: Client, kind: str) -> None:
    before = client.get(row(kind))
    assert change(client, "put", row(kind), before.json()).json() == before.json()
    assert change(client, "patch", row(kind), {}).json() == before.json()
    assert estate_current().version == 1


@pytest.mark.parametrize("kind", ROWS)
def test_a_replaced_row_has_defaults_for_what_is_not_given(client: Client, kind: str) -> None:
    needed = {"address": "LOCAL"} if kind == "routes" else {}
    replaced = change(client, "put", row(kind), needed).json()
    fresh = {name: NEW[kind][name] for name in ("instance", "database") if name in NEW[kind]}
    bare = send(client, "post", f"{API}/{kind}/", {**fresh, "name": "Bare", **needed}).json()
    unlike = ("id", "name", "instance", "database")
    assert {k: v for k, v in replaced.items() if k not in unlike} == {k: v for k, v in bare.items() if k not in unlike}


def test_what_is_in_an_instance_or_a_database_stays(client: Client) -> None:
    change(client, "put", row("databases"), {"broker_enabled": False})
    change(client, "put", row("instances"), {"forwarding": False})
    assert client.get(row("routes")).status_code == 200
    assert client.get(f"{API}/services/?instance=hub").json()["count"] == 1


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_a_change_says_what_it_has_seen(client: Client, kind: str, method: str) -> None:
    body = CHANGES[kind]
    missing = send(client, method, row(kind), body)
    assert (missing.status_code, missing.json()["code"]) == (428, "if_match_required")
    for tag in ('"other"', "W/" + client.get(row(kind)).headers["ETag"], "nonsense"):
        stale = send(client, method, row(kind), body, If_Match=tag)
        assert (stale.status_code, stale.json()["code"]) == (412, "stale")
    assert estate_current().version == 1


def test_a_change_of_another_row_is_no_matter(client: Client) -> None:
    tag = client.get(row("routes")).headers["ETag"]
    change(client, "patch", row("services"), {"contracts": []})
    assert send(client, "patch", row("routes"), {"address": "LOCAL"}, If_Match=tag).status_code == 200


def test_who_is_overtaken_at_another_row_tries_again(client: Client, monkeypatch: Any) -> None:
    real = editing.estate_current
    overtaken = []

    def current() -> Any:
        live = real()
        if not overtaken:
            overtaken.append(estate_edit(edits=[SetHopLimit(5)], base_version=live.version, author="x"))
        return live

    monkeypatch.setattr(editing, "estate_current", current)
    assert send(client, "patch", row("routes"), {"address": "LOCAL"}, If_Match="*").status_code == 200
    assert estate_current().estate.hop_limit == 5


def test_who_is_overtaken_at_the_same_row_is_told(client: Client, monkeypatch: Any) -> None:
    tag = client.get(row("routes")).headers["ETag"]
    real = editing.estate_current
    calls = []

    def current() -> Any:
        live = real()
        calls.append(live)
        if len(calls) == 1:
            estate_edit(edits=[DropRoute("hub", "Sales", "ToFar")], base_version=live.version, author="x")
        return live

    monkeypatch.setattr(editing, "estate_current", current)
    assert send(client, "patch", row("routes"), {"address": "LOCAL"}, If_Match=tag).status_code == 404


def test_who_is_always_overtaken_is_told_in_the_end(client: Client, monkeypatch: Any) -> None:
    real = editing.estate_current
    limits = iter(range(100))

    def current() -> Any:
        live = real()
        estate_edit(edits=[SetHopLimit(next(limits))], base_version=live.version, author="x")
        return live

    monkeypatch.setattr(editing, "estate_current", current)
    assert send(client, "patch", row("routes"), {"address": "LOCAL"}, If_Match="*").status_code == 409
    assert Route.objects.get(name="ToFar").address == "tcp://far"


def test_a_write_is_a_version_and_an_entry_of_the_audit(client: Client) -> None:
    send(client, "post", f"{API}/routes/?note=for+the+move", NEW["routes"])
    send(client, "post", f"{API}/services/", NEW["services"])
    newest, other = client.get(f"{API}/versions/").json()["results"][:2]
    assert (newest["author"], newest["added"], newest["note"]) == (
        "administrator",
        1,
        "REST: POST service hub/Sales/Bill",
    )
    assert other["note"] == "for the move"
    assert AuditEntry.objects.filter(action="estate.edit", author="administrator").count() == 2


@pytest.mark.parametrize("kind", ROWS)
def test_there_is_one_of_a_name(client: Client, kind: str) -> None:
    send(client, "post", f"{API}/{kind}/", NEW[kind])
    again = send(client, "post", f"{API}/{kind}/", NEW[kind])
    assert (again.status_code, again.json()["code"]) == (409, "exists")
    assert client.get(f"{API}/{kind}/{again.json()['existing']}/").status_code == 200


@pytest.mark.parametrize(
    ("kind", "body", "field"),
    [
        ("routes", {"address": "nowhere"}, "address"),
        ("routes", {"lifetime": "soon"}, "lifetime"),
        ("routes", {"broker_instance": "x"}, "broker_instance"),
        ("routes", {"mirror_address": "LOCAL"}, "mirror_address"),
        ("routes", {"name": "Other"}, "name"),
        ("routes", {"instance": "other"}, "instance"),
        ("routes", {"id": "x"}, "id"),
        ("routes", {"remote_service_name": "x" * 257}, "remote_service_name"),
        ("services", {"contracts": ["a", 1]}, "contracts[1]"),
        ("queues", {"activation": {"procedure": "p", "max_readers": 10**9}}, "activation.max_readers"),
        ("instances", {"addresses": ["LOCAL"]}, "addresses[0]"),
        ("instances", {"addresses": ["tcp://far:4022"]}, "addresses[0]"),
        ("instances", {"endpoint": {"port": 0}}, "endpoint.port"),
        ("instances", {"databases": []}, "databases"),
        ("databases", {"mirroring_role": "BOTH"}, "mirroring_role"),
        ("databases", {"routes": []}, "routes"),
        ("databases", {"priorities": [{"name": "P", "priority_level": 11}]}, "priorities[0].priority_level"),
    ],
)
def test_what_no_estate_may_hold_is_refused_with_its_place(client: Client, kind: str, body: Any, field: str) -> None:
    refused = change(client, "patch", row(kind), body)
    assert refused.status_code == 422
    [error] = refused.json()["errors"]
    # The engine tells which of the two that share an address comes second.
    assert error["in"] == "body"
    assert error["name"].startswith(field.split("[", maxsplit=1)[0])
    assert refused.json()["detail"].endswith(error["detail"])
    assert estate_current().version == 1


@pytest.mark.parametrize(
    ("kind", "owners", "field"),
    [
        ("routes", {"instance": "none"}, "instance"),
        ("routes", {"database": "none"}, "database"),
        ("queues", {"instance": "none"}, "instance"),
        ("queues", {"database": "none"}, "database"),
        ("services", {"database": "none"}, "database"),
        ("databases", {"instance": "none"}, "instance"),
        ("routes", {"instance": 5}, "instance"),
        ("routes", {"database": None}, "database"),
    ],
)
def test_a_row_is_somewhere_that_there_is(client: Client, kind: str, owners: Any, field: str) -> None:
    refused = send(client, "post", f"{API}/{kind}/", {**NEW[kind], **owners})
    assert (refused.status_code, refused.json()["errors"][0]["name"]) == (422, field)


def test_two_enabled_databases_of_an_instance_do_not_share_an_identifier(client: Client) -> None:
    there = client.get(row("databases")).json()["broker_instance"]
    body = {**NEW["databases"], "broker_instance": there}
    refused = send(client, "post", f"{API}/databases/", body)
    assert (refused.status_code, refused.json()["errors"][0]["name"]) == (422, "broker_instance")


def test_the_first_route_of_an_msdb_that_is_not_written_writes_it(client: Client) -> None:
    body = {"instance": "hub", "database": "msdb", "name": "R", "address": "LOCAL"}
    assert send(client, "post", f"{API}/routes/", body).status_code == 201
    assert client.get(f"{API}/databases/?instance=hub").json()["count"] == 2


def test_an_empty_site_takes_its_first_instance(db: Any, client: Client) -> None:
    for name in (id_of(("hub",)), id_of(("far/away",))):
        change(client, "delete", f"{API}/instances/{name}/")
    assert client.get(f"{API}/instances/").json()["count"] == 0
    assert send(client, "post", f"{API}/instances/", NEW["instances"]).status_code == 201


@pytest.mark.parametrize(
    "word", ["x", "bnVsbA", "W10", "WyJodWIiXQ==", "WyJubyJd", "%00", "WyJcdWQ4MDAiXQ", "[%22hub%22]", "é"]
)
def test_what_is_the_id_of_nothing_is_not_found(client: Client, word: str) -> None:
    for method in ("get", "put", "patch", "delete"):
        assert send(client, method, f"{API}/instances/{word}/", {}, If_Match="*").status_code == 404
