"""The reader of a body or a query and its OpenAPI description have the same limits: each is tried from both sides."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from brokerui.accounts.levels import Role
from brokerui.api.schema import schema
from brokerui.changes.models import SavedDraft
from brokerui.changes.services import draft_create
from brokerui.estate.map_views.models import MapView
from brokerui.estate.map_views.services import map_view_create
from brokerui.estate.models import Version
from tests.brokerui.api.helpers import API, NEW, QUESTION, let_in, row, send
from tests.brokerui.api.limits import MISSING, Case, cases, is_refused, is_taken, with_value
from tests.brokerui.site import nothing_shown, user_of
from tests.extent import IS_ALL

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.usefixtures("shared_small", "nothing_shown")]

TOLD = schema()
MESSAGING = ("/dialogs/", "/conversation_group/", "/receive/", "/status/", "/receipts/", "/broker/", "/failover/")
"""Verbs, which need hosted instances: tests/brokerui/messaging/api/test_limits.py."""
OPERATIONS = [
    (path, method)
    for path, methods in TOLD["paths"].items()
    for method in methods
    if not any(part in path for part in MESSAGING)
]
WITH_QUERY = [
    (path, method)
    for path, method in OPERATIONS
    if any(one["in"] == "query" for one in TOLD["paths"][path][method].get("parameters", ()))
]
WITH_BODY = [(path, method) for path, method in OPERATIONS if "requestBody" in TOLD["paths"][path][method]]
SCRIPT = {"sql": [{"instance": "host9", "scripts": [{"text": "CREATE DATABASE Orders;"}]}]}


@pytest.fixture
def client() -> Client:
    """The client of an administrator."""
    return let_in(Role.ADMINISTRATOR)


def kind_of(path: str) -> str:
    return path.removeprefix(f"{API}/").split("/")[0]


ALONE: Any = {
    "/me/preferences/": {"keys": True},
    "/users/": {"groups": []},
    "/routing-tests/": {"text": "tests: []"},
    "/rounds/": {"is_generated": True},
}
"""Bodies that are taken, by the part that their addresses have."""


def base_of(path: str) -> Any:
    """A body that is taken."""
    if path.endswith("/import/"):
        return SCRIPT
    if path.endswith("/whatif/"):
        return QUESTION
    if "/map/views/" in path:
        return {"title": "x"}
    if "/v1/views/" in path:
        return {"title": "x"} if "{key}" in path else {"title": "x", "page": "events", "query": "error=1"}
    if "/changes/" in path:
        return base_of_change(path.removeprefix("/api/v1/changes/").removeprefix("{number}/"))
    if "/collections/" in path:
        return {"server": "x", "database": "x", "content": "transmission_status\tmessages\n\t1\n"}
    if "/alerts/rules/" in path:
        return {"threshold": 1} if "{number}" in path else {"kind": "dropped", "threshold": 1}
    if "/alerts/channels/" in path:
        return {"is_on": True} if "{number}" in path else {"kind": "email", "name": "x", "target": "a@b.example"}
    if "/alerts/silences/" in path:
        return {"owner": "x", "reason": "x", "ends": "2999-01-01T00:00:00Z"}
    alone = next((body for part, body in ALONE.items() if part in path), None)
    return alone if alone is not None else NEW[kind_of(path)]


def base_of_change(part: str) -> Any:
    """A body that a draft takes, or this part of it."""
    if part == "sql/":
        return {"instance": "host1", "sql": ""}
    if part == "edits/":
        return {"edits": []}
    return {"comment": "x"} if part == "review/" else {} if part else {"name": "x"}


def address_of(path: str) -> str:
    if "/changes/{number}/" in path:
        draft = SavedDraft.objects.first() or draft_create(name="x", author="x")
        return path.replace("{number}", str(draft.id))
    if path.endswith("{key}/"):
        page = "map" if "/map/views/" in path else "events"
        view = MapView.objects.filter(page=page).first() or map_view_create(
            title=page, page=page, query={}, is_shared=False, owner=user_of(Role.ADMINISTRATOR).get_username()
        )
        return path.replace("{key}", view.key)
    return row(kind_of(path)) if path.endswith("{id}/") else path.replace("{number}", "1").replace("{name}", "a.yaml")


def changed_of(client: Client, path: str) -> Any:
    """The body of a change: the row as it is."""
    return client.get(address_of(path)).json() if path.endswith("{id}/") else base_of(path)


@pytest.mark.parametrize(("path", "method"), WITH_BODY)
def test_a_body_just_over_a_limit_is_refused_and_one_at_it_is_not(client: Client, path: str, method: str) -> None:
    content = TOLD["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"]
    base = changed_of(client, path)
    found = list(cases(TOLD, content))
    assert len(found) > 3
    for case in found:
        if path.endswith("/import/") and not case.path:
            continue  # a body that is no object with options is an estate document
        over = with_value(TOLD, content, base, case.path, case.over)
        assert is_refused(_ask(client, method, path, over, case), case, "body"), case
        if case.at is not MISSING:
            at = with_value(TOLD, content, base, case.path, case.at)
            assert is_taken(_ask(client, method, path, at, case), case), case
    assert Version.objects.exists()


def _takes_match(path: str) -> bool:
    return (
        path.endswith(("{id}/", "{name}/", "{key}/", "/rules/{number}/", "/preferences/"))
        or "/changes/{number}/" in path
    )


def _ask(client: Client, method: str, path: str, body: Any, case: Case) -> Any:
    if path.endswith("/import/") and case.path[0] in body:
        # Only a body that begins with an option is read as one with options.
        body = {name: body[name] for name in sorted(body, key=lambda name: name == "no_such_key")}
    return send(client, method, address_of(path), body, If_Match="*" if _takes_match(path) else "")


def is_tried(parameter: dict[str, Any], path: str, method: str) -> bool:
    """Say whether the run tries a parameter here: `make test` does at every third operation that has the same one."""
    alike = [(path, method) for path, method in WITH_QUERY if parameter in TOLD["paths"][path][method]["parameters"]]
    return IS_ALL or alike.index((path, method)) % 3 == 0


@pytest.mark.parametrize(("path", "method"), WITH_QUERY)
def test_a_parameter_just_over_a_limit_is_refused_and_one_at_it_is_not(client: Client, path: str, method: str) -> None:
    every = TOLD["paths"][path][method]["parameters"]
    parameters = [one for one in every if one["in"] == "query" and is_tried(one, path, method)]
    body = None if method in ("get", "delete") else changed_of(client, path)
    headers = {"If_Match": "*"} if _takes_match(path) and method != "get" else {}

    def ask(*pairs: tuple[str, str]) -> Any:
        query = urlencode(pairs)
        if path.endswith("/import/"):
            name = "" if any(name == "instance" for name, _value in pairs) else "&instance=host9"
            return client.generic(
                "POST", f"{path}?{query}{name}", "CREATE DATABASE Orders;", content_type="application/sql"
            )
        return send(client, method, f"{address_of(path)}?{query}", body, **headers)

    assert is_refused(ask(("no_such", "1")), Case(("no_such",), "unknown", "1"), "query")
    for one in parameters:
        name = one["name"]
        for case in cases(TOLD, one["schema"], (name,)):
            if case.keyword in ("type", "null"):
                continue
            assert is_refused(ask((name, str(case.over))), case, "query"), case
            assert is_taken(ask((name, str(case.at))), case), case
        assert is_refused(ask((name, "x"), (name, "x")), Case((name,), "twice", "x"), "query")


@pytest.mark.parametrize("path", [path for path, _method in WITH_BODY if path.endswith("/import/")])
def test_a_field_of_a_form_just_over_a_limit_is_refused_and_one_at_it_is_not(client: Client, path: str) -> None:
    schema = TOLD["paths"][path]["post"]["requestBody"]["content"]["multipart/form-data"]["schema"]
    form = TOLD["components"]["schemas"][schema["$ref"].rpartition("/")[2]]

    def ask(values: dict[str, Any]) -> Any:
        file = SimpleUploadedFile("a.sql", b"CREATE DATABASE Orders;")
        return client.post(path, {"file": file, "instance": "host9", **values})

    assert is_refused(ask({"no_such_key": "1"}), Case(("no_such_key",), "additionalProperties", "1"), "body")
    for name, member in form["properties"].items():
        for case in cases(TOLD, member, (name,)):
            if name == "file" or case.keyword in ("type", "null"):
                continue
            assert is_refused(ask({name: str(case.over)}), case, "body"), case
            assert is_taken(ask({name: str(case.at)}), case), case


@pytest.mark.parametrize("where", ["query", "body", "form"])
def test_a_note_has_one_limit_however_it_is_sent(client: Client, where: str) -> None:
    def ask(note: str) -> Any:
        if where == "query":
            path = f"{API}/estate/import/?{urlencode({'instance': 'host9', 'note': note})}"
            return client.generic("POST", path, "CREATE DATABASE Orders;", content_type="application/sql")
        if where == "form":
            file = SimpleUploadedFile("a.sql", b"CREATE DATABASE Orders;")
            return client.post(f"{API}/estate/import/", {"file": file, "instance": "host9", "note": note})
        return client.post(f"{API}/estate/import/", json.dumps({**SCRIPT, "note": note}), "application/json")

    assert ask("x" * 1_000).status_code == 200
    assert Version.objects.latest("number").note == "x" * 1_000
    assert 400 <= ask("x" * 1_001).status_code < 500


HEADERS = [
    (path, method, one["name"], one["schema"]["maxLength"])
    for path, method in OPERATIONS
    for one in TOLD["paths"][path][method].get("parameters", ())
    if one["in"] == "header" and "maxLength" in one["schema"]
]


@pytest.mark.parametrize(("path", "method", "name", "longest"), HEADERS)
def test_a_header_just_over_its_limit_is_refused_and_one_at_it_is_not(
    client: Client, path: str, method: str, name: str, longest: int
) -> None:
    assert method == "post"
    over = client.post(path, SCRIPT, content_type="application/json", headers={name: "k" * (longest + 1)})
    assert (over.status_code, over["Content-Type"]) == (400, "application/problem+json")
    assert name in over.json()["detail"]
    at = client.post(path, SCRIPT, content_type="application/json", headers={name: "k" * longest})
    assert at.status_code < 300, at.content


def test_headers_with_a_limit_are_described() -> None:
    assert {name for _path, _method, name, _longest in HEADERS} == {"Idempotency-Key"}


@pytest.mark.parametrize("path", sorted({path for path, _method in OPERATIONS if "{number}" in path}))
def test_a_number_just_over_the_limit_of_an_address_names_nothing(client: Client, path: str) -> None:
    for method, operation in TOLD["paths"][path].items():
        [number] = [one["schema"] for one in operation["parameters"] if one["name"] == "number"]
        for value in (number["maximum"], number["maximum"] + 1):
            _names_nothing(send(client, method, path.replace("{number}", str(value)), _body_of(path, method)))


def _body_of(path: str, method: str) -> Any:
    return base_of(path) if "requestBody" in TOLD["paths"][path][method] else None


def _names_nothing(response: Any) -> None:
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")
