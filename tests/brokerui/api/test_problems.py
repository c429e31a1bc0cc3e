"""Errors have one shape, whatever goes wrong and wherever; and hostile bodies meet one of them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from brokerui.api import parsers, whatif
from tests.brokerui.api.helpers import API, NEW, QUESTION, row, send

pytestmark = pytest.mark.usefixtures("shared_small")
MEMBERS = {"type", "title", "status", "code", "detail"}


def is_problem(response: Any, status: int) -> bool:
    body = response.json()
    return (
        response.status_code == status == body["status"]
        and response.headers["Content-Type"] == "application/problem+json"
        and set(body) >= MEMBERS
        and body["detail"] != ""
    )


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "trace"])
def test_a_method_that_is_not_there(client: Client, method: str) -> None:
    response = send(client, method, f"{API}/routes/")
    assert is_problem(response, 405)
    assert response.headers["Allow"] == "GET, HEAD, POST"


@pytest.mark.parametrize("path", ["nowhere/", "nowhere", "routes/x/y/", "sys/conversation/", ""])
def test_an_address_where_nothing_is(client: Client, stranger: Client, path: str) -> None:
    assert is_problem(client.get(f"{API}/{path}"), 404)
    assert is_problem(stranger.get(f"{API}/{path}"), 404)


def test_what_nobody_can_give(client: Client) -> None:
    assert is_problem(client.get(f"{API}/routes/", headers={"Accept": "image/png"}), 406)
    assert client.get(f"{API}/routes/", headers={"Accept": "text/html,*/*;q=0.8"}).status_code == 200


def test_what_nobody_can_read(client: Client) -> None:
    for kind in (
        "text/plain",
        "application/xml",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ):
        response = client.generic("POST", f"{API}/routes/", "x", content_type=kind)
        assert is_problem(response, 415)


def test_a_fault_of_ours_shows_nothing_of_itself(client: Client, monkeypatch: Any) -> None:
    def broken(*_args: Any) -> None:
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr(whatif, "explain", broken)
    client.raise_request_exception = False
    response = send(client, "post", f"{API}/whatif/", QUESTION)
    assert is_problem(response, 500)
    assert "secret" not in response.content.decode()


BODIES: dict[str, tuple[str | bytes, int]] = {
    "nothing": (b"", 422),
    "half": ("{", 400),
    "more": ("{} {}", 400),
    "no object": ("[]", 422),
    "null": ("null", 422),
    "number": ("5", 422),
    "string": ('"x"', 422),
    "doubled key": ('{"name": "a", "name": "b"}', 400),
    "deep": ("[" * 500_000, 400),
    "deep objects": ('{"a":' * 100_000, 400),
    "long number": ("9" * 100_000, 400),
    "infinite": ('{"name": 1e999}', 422),
    "nan": ('{"name": NaN}', 400),
    "half a pair": ('{"name": "\\ud800"}', 400),
    "half a pair as key": ('{"\\udfff": 1}', 400),
    "not utf-8": (b'{"name": "\xff"}', 400),
    "utf-16": ('{"name": "x"}'.encode("utf-16"), 400),
    "too large": (b" " * (parsers.MAX_JSON_BYTES + 1), 413),
}


ONE_PARSER = pytest.mark.thorough("Another kind gets this body in each run, and one parser reads the bodies of all.")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        pytest.param(kind, name, marks=() if name == "nothing" or (number + turn) % len(NEW) == 0 else ONE_PARSER)
        for number, name in enumerate(BODIES)
        for turn, kind in enumerate(NEW)
    ],
)
def test_hostile_bodies(client: Client, kind: str, name: str) -> None:
    body, status = BODIES[name]
    assert is_problem(send(client, "post", f"{API}/{kind}/", body), status)
    changed = send(client, "put", row(kind), body, If_Match="*")
    # Without a body an instance, … of defaults is meant; a route has no default address.
    assert changed.status_code == (status if body or kind == "routes" else 200) or is_problem(changed, 422)


VALUES: list[Any] = ["a\0b", "\0", "", " " * 300, "x" * 100_000, 10**30, -1, 1.5, True, None, [], {}, [[[]]], "\u202e"]


OTHER_KINDS = pytest.mark.thorough("Other kinds get this value in each run, and columns of one type are read alike.")


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        pytest.param(kind, value, marks=() if (number + turn) % 2 == 0 else OTHER_KINDS)
        for number, value in enumerate(VALUES)
        for turn, kind in enumerate(NEW)
    ],
    ids=lambda part: repr(part)[:12],
)
def test_hostile_values_in_every_column(client: Client, kind: str, value: Any) -> None:
    columns = set(client.get(row(kind)).json()) - {"id"}
    for name in sorted(columns):
        response = send(client, "post", f"{API}/{kind}/", {**NEW[kind], name: value})
        if response.status_code == 201:
            path = response.headers["Location"]
            assert client.get(path).json() == response.json()
            assert send(client, "delete", path, If_Match="*").status_code == 204
        else:
            assert is_problem(response, 422)


@pytest.mark.parametrize(
    "name", ["a/b", "..", "?x=1#y", "%2F", "é 漢 🜚", "x" * 128, "'; DROP TABLE x --", "a\nb", "\u202e"]
)
def test_names_may_be_anything_that_the_product_takes(client: Client, name: str) -> None:
    added = send(client, "post", f"{API}/routes/", {**NEW["routes"], "name": name})
    assert added.status_code == 201
    assert client.get(added.headers["Location"]).json()["name"] == name
    assert client.get(f"{API}/routes/", {"name": name}).json()["count"] == 1
    assert send(client, "delete", added.headers["Location"], If_Match="*").status_code == 204


def test_a_problem_is_told_in_the_language_of_the_reader_and_is_never_long(client: Client) -> None:
    refused = send(client, "post", f"{API}/routes/", {**NEW["routes"], "x" * 900_000: 1})
    assert is_problem(refused, 422)
    assert len(refused.content) < 3000
