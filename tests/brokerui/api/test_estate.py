"""The estate as a whole: its document, importing it, its versions, and what the catalog views show of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from brokerui.api import import_bodies, import_runs
from brokerui.api.catalog_endpoints import connection_auth
from brokerui.estate.models import Instance
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from routing.documents.estate_document import write_estate
from routing.model.edits import SetHopLimit
from tests.brokerui.api.helpers import API, SMALL, send
from tests.brokerui.estates import database, document, instance

IMPORT = f"{API}/estate/import/"
ROUTE = "USE Orders;\nCREATE ROUTE ToParts WITH SERVICE_NAME = 'Parts', ADDRESS = 'tcp://parts:4022';\n"
OTHER = document(instance("other", database("D")))


def raw(client: Client, body: str | bytes, kind: str = "application/json", query: str = "", **headers: str) -> Any:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.generic("POST", f"{IMPORT}{query}", body, content_type=kind, headers=names)


def instances() -> set[str]:
    return set(estate_current().estate.instances)


# -- Documents ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small")
def test_the_document_that_is_read_can_be_imported_and_changes_nothing(client: Client) -> None:
    response = client.get(f"{API}/estate/")
    text = response.getvalue()
    assert text.decode() == write_estate(estate_current().estate)
    taken = raw(client, text, If_Match=response.headers["ETag"])
    assert taken.json()["changes"] == {"added": 0, "changed": 0, "removed": 0}
    assert (taken.json()["version"], taken.headers["ETag"]) == (1, response.headers["ETag"])


def test_a_document_is_imported(client: Client, db: Any) -> None:
    taken = raw(client, SMALL).json()
    assert taken["version"] == 1
    assert taken["complete"] is True
    assert taken["counts"] == {"instances": 2, "databases": 2, "services": 2, "queues": 2, "routes": 3}
    assert taken["changes"]["added"] > 0
    assert (taken["findings"], taken["findings_total"]) == ([], 0)


@pytest.mark.usefixtures("small")
def test_a_document_is_the_whole_estate_unless_it_is_said_otherwise(client: Client) -> None:
    assert raw(client, OTHER, query="?mode=instances").json()["counts"]["instances"] == 3
    assert instances() == {"hub", "far/away", "other"}
    assert raw(client, OTHER).json()["changes"]["removed"] > 0
    assert instances() == {"other"}


@pytest.mark.usefixtures("small")
def test_a_dry_run_says_the_same_and_writes_nothing(client: Client) -> None:
    tried = raw(client, OTHER, query="?dry_run=true").json()
    assert (tried["version"], tried["dry_run"], instances()) == (1, True, {"hub", "far/away"})
    done = raw(client, OTHER).json()
    assert (done["counts"], done["changes"]) == (tried["counts"], tried["changes"])


@pytest.mark.usefixtures("small")
def test_options_may_stand_around_a_document(client: Client) -> None:
    body = {"document": json.loads(OTHER), "mode": "instances", "note": "found it"}
    assert send(client, "post", IMPORT, body).json()["version"] == 2
    assert client.get(f"{API}/versions/2/").json()["note"] == "found it"


@pytest.mark.usefixtures("small")
def test_nothing_is_written_over_what_was_not_seen(client: Client) -> None:
    stale = raw(client, OTHER, If_Match='"x"')
    assert (stale.status_code, stale.json()["code"]) == (412, "stale")
    assert instances() == {"hub", "far/away"}


@pytest.mark.usefixtures("small")
def test_nothing_is_written_over_what_came_meanwhile(client: Client, monkeypatch: Any) -> None:
    real = import_runs.build_estate

    def slowly(*args: Any, **kwargs: Any) -> Any:
        estate_edit(edits=[SetHopLimit(3)], base_version=1, author="x")
        return real(*args, **kwargs)

    monkeypatch.setattr(import_runs, "build_estate", slowly)
    assert raw(client, OTHER).status_code == 409
    assert instances() == {"hub", "far/away"}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (SMALL.replace('"LOCAL"', '"nowhere"', 1), "$.instances[0].databases[0].routes[1].address"),
        (SMALL.replace('"hop_limit": 10', '"hop_limit": 1000'), "$.hop_limit"),
        ('{"format": "brokerui.estate/1", "format": "brokerui.estate/1"}', "$"),
        ('{"format": "x"}', "$.format"),
        ("[" * 100_000, "$"),
        ("{", "$"),
        ('{"format": "brokerui.estate/1", "instances": [' + "9" * 5000 + "]}", "$.instances[0]"),
    ],
)
def test_what_is_wrong_in_a_document_is_told_with_its_path(client: Client, text: str, path: str) -> None:
    refused = raw(client, text)
    assert refused.status_code == 422
    [error] = refused.json()["errors"]
    assert (error["in"], error["path"]) == ("file", path)
    assert estate_current().version == 0


def test_a_body_that_is_too_large_is_refused(client: Client, settings: Any, monkeypatch: Any) -> None:
    settings.SCENARIO_MAX_BYTES = 1000
    assert raw(client, "x" * 1001).status_code == 413
    settings.BODY_MAX_BYTES = 1000
    refused = raw(client, "x" * 1001)
    assert (refused.status_code, refused.headers["Content-Type"]) == (413, "application/problem+json")
    settings.SCENARIO_MAX_BYTES = settings.BODY_MAX_BYTES = 10_000
    monkeypatch.setattr(import_bodies, "MAX_JSON_BYTES", 1000)
    assert send(client, "post", IMPORT, {"note": "x" * 1001}).status_code == 413


# -- Scripts -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small")
def test_a_script_is_imported_beside_the_other_instances(client: Client) -> None:
    taken = raw(client, ROUTE, "application/sql", "?instance=host1&address=tcp://host1:5000").json()
    assert taken["complete"] is True
    assert instances() == {"hub", "far/away", "host1"}
    route = client.get(f"{API}/routes/?instance=host1&service=Parts").json()["results"][0]
    assert (route["database"], route["address"]) == ("Orders", "tcp://parts:4022")
    assert client.get(f"{API}/instances/?address=tcp://host1:5000").json()["count"] == 1
    imported = dict(Instance.objects.values_list("name", "imported_at"))
    assert imported["host1"] > imported["hub"]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("mode", "left", "routes"),
    [("instances", {"hub", "far/away"}, 2), ("into", {"hub", "far/away"}, 3), ("whole", {"hub"}, 2)],
)
def test_what_becomes_of_what_is_there_is_said(client: Client, mode: str, left: set[str], routes: int) -> None:
    script = "USE Sales; CREATE ROUTE New WITH ADDRESS = 'LOCAL';"
    assert raw(client, script, "text/plain", f"?instance=hub&mode={mode}").status_code == 200
    assert instances() == left
    assert client.get(f"{API}/routes/?instance=hub&database=Sales").json()["count"] == routes


def test_several_scripts_of_several_servers(client: Client) -> None:
    twice = {"file": "again.sql", "text": "USE Orders;\n\nCREATE ROUTE ToParts WITH ADDRESS = 'LOCAL';"}
    body = {
        "sql": [
            {"instance": "a", "address": "tcp://a:1", "scripts": [{"file": "one.sql", "text": ROUTE}, twice]},
            {"instance": "b", "scripts": [{"text": ROUTE}]},
        ],
        "at": "2030-01-01T00:00:00Z",
    }
    taken = send(client, "post", IMPORT, body).json()
    assert instances() == {"a", "b"}
    assert taken["complete"] is False
    [finding] = [one for one in taken["findings"] if one["severity"] != "info"]
    assert (finding["file"], finding["line"], finding["instance"]) == ("again.sql", 3, "a")


def test_a_form_takes_a_file(client: Client) -> None:
    script = SimpleUploadedFile("routes.sql", ROUTE.encode("utf-16"))
    taken = client.post(IMPORT, {"file": script, "instance": "host1", "dry_run": "true"})
    assert (taken.json()["counts"]["instances"], taken.json()["dry_run"]) == (1, True)
    taken = client.post(IMPORT, {"file": SimpleUploadedFile("estate.JSON", SMALL.encode()), "note": "n"})
    assert taken.json()["counts"]["instances"] == 2


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"document": {}, "sql": []}, ""),
        ({"mode": "whole"}, ""),
        ({"document": [], "mode": "whole"}, "document"),
        ({"document": {}, "mode": "some"}, "mode"),
        ({"document": {}, "dry_run": "yes"}, "dry_run"),
        ({"sql": [{"instance": "a"}]}, "sql[0].scripts"),
        ({"sql": [{"instance": "", "scripts": []}]}, "sql[0].instance"),
        ({"sql": [{"instance": "a", "address": "LOCAL", "scripts": []}]}, "sql[0].address"),
        ({"sql": [{"instance": "a", "scripts": [{"text": 1}]}]}, "sql[0].scripts[0].text"),
        ({"sql": [], "at": "soon"}, "at"),
    ],
)
def test_what_is_wrong_around_it_is_told_with_its_name(client: Client, body: Any, name: str) -> None:
    refused = send(client, "post", IMPORT, body)
    assert (refused.status_code, refused.json()["errors"][0]["name"]) == (422, name)


def test_what_cannot_be_imported_is_refused(client: Client) -> None:
    assert raw(client, ROUTE, "application/sql").json()["errors"][0]["name"] == "instance"
    assert raw(client, ROUTE, "application/sql", "?instance=a&address=LOCAL").status_code == 422
    assert raw(client, b"\xff\xfe\x00", "application/sql", "?instance=a").status_code == 422
    assert raw(client, ROUTE, "application/xml").status_code == 415
    assert raw(client, '{"mode": "whole", "sql": []}', query="?dry_run=true").status_code == 400
    assert raw(client, '{"note": "\\ud800", "sql": []}').status_code == 400
    assert client.post(IMPORT, {"instance": "a"}).status_code == 422
    assert raw(client, "").status_code == 422
    assert (
        client.post(IMPORT, {"file": SimpleUploadedFile("a.sql", b""), "no": "1", "instance": "a"}).status_code == 422
    )
    two = {"file": SimpleUploadedFile("a.sql", b"a"), "other": SimpleUploadedFile("b.sql", b"b")}
    refused = client.post(IMPORT, two)
    assert refused.json()["errors"][0]["name"] == "other"


# -- Versions ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small")
def test_versions_say_who_when_why_and_how_much(client: Client) -> None:
    for limit in range(1, 4):
        estate_edit(edits=[SetHopLimit(limit)], base_version=limit, author="ann", note=f"to {limit}")
    page = client.get(f"{API}/versions/?limit=3").json()
    assert page["count"] == 4
    assert [(one["number"], one["author"], one["note"]) for one in page["results"]] == [
        (4, "ann", "to 3"),
        (3, "ann", "to 2"),
        (2, "ann", "to 1"),
    ]
    last = client.get(page["next"]).json()
    assert (last["next"], [one["kind"] for one in last["results"]]) == (None, ["import"])
    assert client.get(f"{API}/versions/1/").json() == last["results"][0]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("versions/0/", 404),
        ("versions/2/", 404),
        ("versions/x/", 404),
        ("versions/" + "9" * 30 + "/", 404),
        ("versions/?cursor=x", 400),
        ("versions/?as_of=1", 400),
        ("versions/1/?scenario=1-default", 400),
    ],
)
def test_versions_that_never_were(client: Client, path: str, status: int) -> None:
    assert client.get(f"{API}/{path}").status_code == status


# -- Catalog views -----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small")
def test_catalog_views_have_the_columns_of_the_product_in_their_order(client: Client) -> None:
    def columns(name: str, skip: int) -> str:
        return " ".join(list(client.get(f"{API}/sys/{name}/").json()["results"][0])[skip:])

    assert columns("routes", 2) == (
        "name route_id principal_id remote_service_name broker_instance lifetime address mirror_address"
    )
    assert columns("services", 2) == "name service_id principal_id service_queue_id"
    assert columns("service_queues", 3).startswith("name object_id principal_id schema_id parent_object_id type ")
    assert columns("service_queues", 3).endswith(
        "max_readers activation_procedure execute_as_principal_id is_activation_enabled is_receive_enabled "
        "is_enqueue_enabled is_retention_enabled is_poison_message_handling_enabled"
    )
    assert columns("service_broker_endpoints", 1).startswith(
        "name endpoint_id principal_id protocol protocol_desc type type_desc state state_desc is_admin_endpoint"
    )


@pytest.mark.usefixtures("small")
def test_catalog_views_have_the_values_of_the_product(client: Client) -> None:
    [queue] = client.get(f"{API}/sys/service_queues/?name=dbo.ShipQueue").json()["results"]
    assert (
        queue.items() >= {"schema": "dbo", "name": "ShipQueue", "schema_id": 1, "type": "SQ", "max_readers": 4}.items()
    )
    [service] = client.get(f"{API}/sys/services/?name=Ship").json()["results"]
    assert service["service_queue_id"] == queue["object_id"]
    [off] = client.get(f"{API}/sys/service_queues/?name=dbo.Old").json()["results"]
    assert (off["is_receive_enabled"], off["is_enqueue_enabled"], off["activation_procedure"]) == (False, False, None)
    [endpoint] = client.get(f"{API}/sys/service_broker_endpoints/").json()["results"]
    assert (
        endpoint.items()
        >= {
            "instance": "hub",
            "type": 3,
            "protocol": 2,
            "state": 0,
            "state_desc": "STARTED",
            "port": 4022,
            "is_message_forwarding_enabled": True,
            "message_forwarding_size": 10,
            "connection_auth": 5,
            "connection_auth_desc": "NTLM, CERTIFICATE",
            "encryption_algorithm": 4,
            "encryption_algorithm_desc": "NONE, AES",
        }.items()
    )


@pytest.mark.parametrize(
    ("authentication", "number"),
    [
        ("WINDOWS", 3),
        ("WINDOWS NTLM", 1),
        ("windows kerberos", 2),
        ("CERTIFICATE C", 4),
        ("WINDOWS NTLM CERTIFICATE C", 5),
        ("WINDOWS KERBEROS CERTIFICATE C", 6),
        ("WINDOWS CERTIFICATE C", 7),
        ("CERTIFICATE C WINDOWS NTLM", 8),
        ("CERTIFICATE C WINDOWS KERBEROS", 9),
        ("CERTIFICATE C WINDOWS", 10),
        ("something", None),
        (" ", None),
    ],
)
def test_numbers_of_authentication(authentication: str, number: int | None) -> None:
    assert connection_auth(authentication) == number
