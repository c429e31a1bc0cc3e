"""Names and values that were made to break a page: they are text on every page, and never an error of the server."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import lru_cache
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit
from xml.etree import ElementTree

import pytest
from django.db import transaction
from django.test import Client

from tests.brokerui.security.addresses import ADDRESSES, Address
from tests.brokerui.site import PASSWORD
from tests.extent import IS_ALL

DATA = ("application/json", "application/ld+json")
LINKS = ("href", "src", "action", "formaction", "hx-get", "hx-post", "xlink:href", "data", "poster")
PAGES = 250
"""Pages that are read, at most `ALIKE` of each address with other parameters."""
ALIKE = 6


class Page(HTMLParser):
    """What a browser would make of a page, as far as an attack is concerned."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.links: list[str] = []
        self.fields: list[str] = []
        self._script: list[str] | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag.startswith("x-evil") or any(name.startswith(("on", "x-evil")) or name == "style" for name in given):
            self.faults.append(f"<{tag} {given}>")
        if tag in ("style", "iframe", "object", "embed", "base") or (tag == "meta" and "http-equiv" in given):
            self.faults.append(f"<{tag}>")
        if tag == "script" and "src" not in given:
            self._script = [] if given.get("type") in DATA else None
            if self._script is None:
                self.faults.append("a script in the page")
        for name in LINKS:
            if name in given:
                self._link(given[name])
        if tag in ("input", "select", "textarea") and "name" in given:
            self.fields.append(given["name"])

    def _link(self, address: str) -> None:
        if urlsplit(address).scheme not in ("", "http", "https") or address.startswith(("//", "\\")):
            self.faults.append(f"a link to {address}")
        self.links.append(address)

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self._script.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self._script is not None:
            try:
                json.loads("".join(self._script))
            except ValueError:
                self.faults.append("a block of data that is none")
            self._script = None


@lru_cache(maxsize=2)
def page_of(text: str) -> Page:
    """Read a page once, though its faults are asked for and then its links."""
    return Page(text)


def body_of(response: Any) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else bytes(response.content)


def crawl(client: Client, starts: list[str]) -> Iterator[tuple[str, Any, bytes]]:
    """Pages, and where their links lead."""
    waiting, seen, alike = list(starts), set(starts), dict[str, int]()
    while waiting and len(seen) < PAGES * 20:
        address = waiting.pop(0)
        path = urlsplit(address).path
        alike[path] = alike.get(path, 0) + 1
        if alike[path] > ALIKE or sum(alike.values()) > PAGES:
            continue
        response = client.get(address)
        body = body_of(response)
        yield address, response, body
        if response.headers.get("Content-Type", "").startswith("text/html"):
            for link in page_of(body.decode()).links:
                if link.startswith(("/", "?")) and link not in seen and not link.startswith("/static/"):
                    seen.add(link)
                    waiting.append(link if link.startswith("/") else path + link)


def starts(world: dict[str, Any]) -> list[str]:
    pages = [address.path(world) for address in ADDRESSES if address.has_page]
    return pages + [f"{page}?{urlencode({'scenario': world['scenario']})}" for page in pages if "/tables/" not in page]


def faults_of(response: Any, body: bytes) -> list[str]:
    kind, text = response.headers.get("Content-Type", ""), body.decode()
    found = []
    policy = response.headers.get("Content-Security-Policy", "")
    if "default-src 'none'" not in policy or "unsafe" in policy or "script-src 'self'" not in policy:
        found.append(f"policy {policy!r}")
    wanted = {"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin"}
    found += [name for name, value in wanted.items() if response.headers.get(name) != value]
    place = response.headers.get("Content-Disposition", 'attachment; filename="x"')
    if not place.isascii() or "\n" in place or place.count('"') != 2:
        found.append(f"disposition {place!r}")
    if kind.startswith("text/html"):
        found += page_of(text).faults
    elif kind.startswith("image/svg"):
        ElementTree.fromstring(text)
        found += ["x-evil"] if "<x-evil" in text or "<script" in text else []
    elif "json" in kind and response.status_code == 200:
        json.loads(text)
    return found


def test_names_are_text_on_every_page(client: Client, world: dict[str, Any]) -> None:
    found, seen = [], 0
    for address, response, body in crawl(client, starts(world)):
        seen += b"x-evil" in body
        if response.status_code >= 500 or faults_of(response, body):
            found.append((address, response.status_code, faults_of(response, body)))
    assert found == []
    assert seen > 100, "the names are on the pages"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/account/login/?next=%3C/script%3E%3Cx-evil%3E", 200),
        ("/nowhere/%3Cx-evil%3E", 404),
        ("/api/v1/nowhere/", 404),
        ("/api/v1/routes/", 401),
        (f"/map/?q={'x' * 5_000}", 414),
        (f"/api/v1/routes/?q={'x' * 5_000}", 414),
        ("/healthz", 200),
        ("/where/", 302),
    ],
)
def test_what_strangers_are_answered_is_as_strict(stranger: Client, db: Any, path: str, status: int) -> None:
    response = stranger.get(path)
    assert response.status_code == status
    assert faults_of(response, body_of(response)) == []


@pytest.mark.parametrize(
    "text",
    [
        "<p onclick=a()>",
        "<p style='x:y'>",
        "<x-evil>",
        "<script>a()</script>",
        '<script type="application/json">{"a": "</script>',
        "<a href=javascript:a()>",
        "<a href=//evil.example>",
        "<iframe>",
    ],
)
def test_what_is_looked_for_is_found(text: str) -> None:
    assert Page(f"<!doctype html><p class=a>{text}").faults


# -- Values --------------------------------------------------------------------------------------------------

VALUES = [
    "%00",
    "a%00b",
    "%FF%FE",
    "%ED%A0%80",
    "x" * 100_000,
    "9" * 25,
    "9" * 5_000,
    "-1",
    "%C2%B2",
    "..%2F..%2Fetc%2Fpasswd",
    quote("' OR 1=1 --%_\\[]{}()*+?^$|\r\nSet-Cookie: a=b"),
    "0001-01-01T00:00:00%2B14:00",
    "9999-12-31T23:59:59-14:00",
    "2026-02-30T25:61:61Z",
    "*" * 900,
    quote("-" * 500 + '"' * 401 + ":" * 50),
]
PARAMETERS = ("scenario", "as_of", "page", "q")
"""Parameters of most pages."""
DRAWN = len(VALUES) if IS_ALL else 1
"""Values that are tried on each parameter, others each time; pytest prints the seed with which it draws."""
DRAWN_PARAMETERS = len(PARAMETERS) if IS_ALL else 1
"""How many of PARAMETERS are tried on each page: a hundred pages read them with the same code."""
TRIED = 1 if IS_ALL else 0.25
"""Share of the addresses whose queries are tried, others each time."""
LEAST = 2


def drawn(names: set[str]) -> list[str]:
    """In `make test` some of the parameters or fields of a page, others each time: every sixth, but two at least."""
    return sorted(names) if IS_ALL else random.sample(sorted(names), min(len(names), max(LEAST, len(names) // 6)))


def fields_of(client: Client, path: str) -> set[str]:
    """What the forms and links of a page send."""
    response = client.get(path)
    if not response.headers.get("Content-Type", "").startswith("text/html"):
        return set()
    page = Page(body_of(response).decode())
    in_links = {name for link in page.links for name, _ in parse_qsl(urlsplit(link).query)}
    return in_links | {name for name in page.fields if len(name) < 20 and name != "csrfmiddlewaretoken"}


ONE_OF_ITS_KIND = ("route", "version")
"""The other tables are the same code."""


@pytest.mark.slow
def test_no_value_of_a_query_breaks_a_page(client: Client, world: dict[str, Any]) -> None:
    client.raise_request_exception = False
    broken = []
    for address in random.sample(ADDRESSES, int(len(ADDRESSES) * TRIED)):
        if not address.has_page or ("estate_" in address.name and not any(k in address.name for k in ONE_OF_ITS_KIND)):
            continue
        path = address.path(world)
        own = fields_of(client, path) - set(PARAMETERS)
        for name in (*random.sample(PARAMETERS, DRAWN_PARAMETERS), *drawn(own)):
            for value in random.sample(VALUES, DRAWN):
                response = client.generic("GET", urlsplit(path).path, QUERY_STRING=f"{name}={value}")
                if response.status_code >= 500:
                    broken.append((address.name, name, value[:40], response.status_code))
                body_of(response)
    assert broken == []


def broken_by(client: Client, address: Address, path: str, values: list[str]) -> list[tuple[str, str, str, int]]:
    """The fields of the forms of a page, each with each value, sent one at a time."""
    found = []
    fields = fields_of(client, path) if address.has_page else set()
    for name in drawn({"name", "action", "note", "next", "base_version", "mode", "instance-0", *fields}):
        for value in random.sample(values, len(values) if IS_ALL else 1):
            with transaction.atomic():
                text = f"{name}={value}"
                response = client.generic("POST", path, text, content_type="application/x-www-form-urlencoded")
                transaction.set_rollback(True)
            if response.status_code >= 500:
                found.append((address.name, name, value[:40], response.status_code))
    return found


@pytest.mark.slow
def test_no_value_of_a_form_breaks_a_page(client: Client, world: dict[str, Any]) -> None:
    client.raise_request_exception = False
    values, broken = ["a%00b", "%ED%A0%80", "9" * 25, "9" * 5_000, "x" * 100_000, "%FF"], []
    for address in ADDRESSES:
        if "POST" not in address.methods or address.is_api or address.name in ("account:logout", "account:revoke"):
            continue
        if "estate_" not in address.name or any(kind in address.name for kind in ONE_OF_ITS_KIND):
            broken += broken_by(client, address, address.path(world), values)
    assert broken == []


MORE_THAN_STORED = pytest.mark.thorough("Nineteen nines are already more than a database stores.")


@pytest.mark.parametrize("number", ["0", "9" * 19, pytest.param("9" * 25, marks=MORE_THAN_STORED), "9" * 3_000])
def test_no_number_in_an_address_breaks_a_page(
    client: Client, world: dict[str, Any], short_refusals: None, number: str
) -> None:
    client.raise_request_exception = False
    world |= {"token_key": number} | {name: number for name, value in world.items() if type(value) is int}
    statuses = {address.name: client.get(address.path(world)).status_code for address in ADDRESSES if address.args}
    assert {name: status for name, status in statuses.items() if status >= 500} == {}


@pytest.mark.parametrize("name", ["../settings", "..", "a/../b", "three-servers/../../secret.key", "x\0", "%2e%2e"])
def test_no_name_of_a_scenario_leads_out_of_its_folder(client: Client, name: str) -> None:
    assert client.get("/estate.json", {"scenario": name}).status_code == 404
    assert client.get(f"/scenarios/{quote(name, safe='')}/document.json").status_code == 404


@pytest.mark.parametrize(
    "evil", ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:a()", "\t//evil.example"]
)
def test_no_form_leads_to_another_site(client: Client, stranger: Client, evil: str) -> None:
    sent = {"next": evil, "theme": "dark", "language": "en", "username": "administrator", "password": PASSWORD}
    for path in ("/theme/", "/language/", "/account/login/"):
        for response in (
            client.post(path, sent),
            client.post(f"{path}?{urlencode({'next': evil})}", sent | {"next": ""}),
        ):
            assert response.headers["Location"].startswith("/")
            assert "evil" not in response.headers["Location"]
            assert response.headers["Location"] != evil
    assert stranger.post("/account/login/", sent).headers["Location"] == "/"
