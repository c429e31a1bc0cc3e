"""Least privilege: every address, by every role, with every method; and the same where the site is read-only."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from brokerui.accounts.levels import Permission, Right, Role
from brokerui.accounts.models import Token
from brokerui.accounts.services import user_create, user_save
from brokerui.estate.models import AuditEntry
from tests.brokerui.security.addresses import ADDRESSES, Address, is_opened, known
from tests.brokerui.site import BACKEND, PASSWORD, signed_in, user_of
from tests.extent import IS_ALL

pytestmark = pytest.mark.usefixtures("short_refusals")
STRANGER, NOBODY, READER = "stranger", "user without a role", "viewer who may read bodies"
WHO = (STRANGER, NOBODY, *Role, READER)
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
Request = tuple[Address, str]
"""An address, and the method with which it is sent a request."""
MOVES = ("start", "scenarios:open", "map:view", "saved:view")
"""Pages that only lead to others."""
WRITING = METHODS[1:]
PREVIEWS = {"api:whatif", "changes:effect-line", "changes:sql-preview", "changes:rows-preview"}
"""They say what a change would do, and store nothing."""
ENDS = (STRANGER, Role.ADMINISTRATOR)
"""These write to every address in each run, by its methods and by one more; those between them in make test-all."""
LOGIN = "/account/login/"
MAY_LESS = pytest.mark.thorough("An administrator may all that a viewer may, and gets the same answers.")


def test_every_address_of_the_site_is_told_of_once() -> None:
    assert Counter(known()) == Counter(address.name for address in ADDRESSES)


def client_of(who: str) -> Client:
    if who in list(Role):
        return signed_in(Role(who))
    client = Client()
    if who == NOBODY:
        client.force_login(User.objects.create_user("nobody", password=PASSWORD), backend=BACKEND)
    if who == READER:
        client.force_login(reader_made(), backend=BACKEND)
    return client


def reader_made() -> User:
    user = user_create(name="reader", password=PASSWORD, role=Role.VIEWER)
    user_save(user=user, role=Role.VIEWER, active=True, rights=list(Right), author="administrator")
    return User.objects.get(pk=user.pk)  # without the permissions that it had before


def levels_of(who: str) -> tuple[Permission, ...]:
    if who == READER:
        return (*Role.VIEWER.levels, *Right)
    return Role(who).levels if who in list(Role) else ()


def send(client: Client, world: dict[str, Any], address: Address, method: str, **more: Any) -> Any:
    """A request that leaves nothing behind, neither here nor in the browser."""
    cookies = copy(client.cookies)
    data = {} if method == "GET" else {"data": "{}", "content_type": "application/json"}
    if method == "POST" and not address.is_api:
        data = {"data": "a=b", "content_type": "application/x-www-form-urlencoded"}
    with transaction.atomic():
        response = client.generic(method, address.path(world), **data, **more)
        response.is_to_sign_in = response.headers.get("Location", "").startswith(LOGIN)
        transaction.set_rollback(True)
    client.cookies = cookies
    return response


def is_right(response: Any, who: str, address: Address, method: str) -> bool:
    """Whether this is the answer that the table of addresses wants."""
    status, needed = response.status_code, address.write if method in WRITING else address.read
    if address.read is None:
        return status in (200, 302, 405) and response.is_to_sign_in is (
            address.name == "account:logout" and status == 302
        )
    if who == STRANGER:
        return status == 401 if address.is_api else response.is_to_sign_in
    if method in WRITING and method not in address.methods:
        return status in (403, 405)
    if method == "GET" and not address.has_page:
        return status in (403, 404, 405)
    if needed not in levels_of(who):
        return status == 403
    if method == "GET":
        return status == (302 if address.name in MOVES else 200)
    return status not in (401, 403) and status < 500 and not response.is_to_sign_in


def answers(who: str, world: dict[str, Any], requests: Iterable[Request]) -> Iterator[tuple[Address, str, Any]]:
    client = client_of(who)
    if who in list(Role):
        world = world | {"token_key": Token.objects.get(user=user_of(Role(who))).token_key}
    for address, method in requests:
        yield address, method, send(client, {"token_key": "0", **world}, address, method)


def every_request(*methods: str) -> list[Request]:
    return [(address, method) for address in ADDRESSES for method in methods]


def writes() -> list[Request]:
    """The methods that each address has; in make test-all the others too."""
    return [(address, method) for address, method in every_request(*WRITING) if IS_ALL or method in address.methods]


def is_asked(who: str, address: Address, method: str) -> bool:
    """Whether `make test` sends this request: a stranger reads all pages, a stranger and an administrator write
    everywhere, and else the lowest role that may, and the highest that may not."""
    if who == STRANGER and method == "GET":
        return True
    if who in ENDS and method != "GET":
        return method in (*address.methods, WRITING[ADDRESSES.index(address) % len(WRITING)])
    needed = address.read if method == "GET" else address.write
    if needed is None or not (address.has_page if method == "GET" else method in address.methods):
        return False
    if needed in list(Right):
        return True
    lowest = next(number for number, one in enumerate(WHO) if needed in levels_of(one))
    return WHO.index(who) in (lowest - 1, lowest)


@pytest.mark.parametrize("who", WHO)
def test_everybody_may_what_the_role_says_and_nothing_else(who: str, world: dict[str, Any]) -> None:
    requests = [one for one in every_request(*METHODS) if IS_ALL or is_asked(who, *one)]
    assert requests
    wrong = [
        (address.name, method, response.status_code)
        for address, method, response in answers(who, world, requests)
        if not is_right(response, who, address, method)
    ]
    assert wrong == []


@pytest.mark.parametrize("who", [STRANGER, pytest.param(Role.VIEWER, marks=MAY_LESS), Role.ADMINISTRATOR])
def test_nobody_writes_anything_where_the_site_is_read_only(who: str, world: dict[str, Any], settings: Any) -> None:
    settings.READ_ONLY = True
    entries = AuditEntry.objects.count()
    wrong = [
        (address.name, method, response.status_code)
        for address, method, response in answers(who, world, writes())
        if address.read is not None
        and address.name not in PREVIEWS
        and response.status_code not in ((302, 401) if who == STRANGER else (403, 405))
    ]
    assert wrong == []
    assert AuditEntry.objects.count() == entries


@pytest.mark.parametrize("who", [Role.VIEWER, Role.ADMINISTRATOR])
def test_changes_can_be_tried_out_where_the_site_is_read_only(who: str, world: dict[str, Any], settings: Any) -> None:
    settings.READ_ONLY = True
    previews = [(address, "POST") for address in ADDRESSES if address.name in PREVIEWS]
    statuses = {address.name: response.status_code for address, method, response in answers(who, world, previews)}
    assert statuses.keys() == PREVIEWS
    assert statuses["changes:effect-line"] == statuses["changes:sql-preview"] == 200
    assert statuses["api:whatif"] in (400, 415, 422)  # nothing was sent with it


def test_everything_can_be_looked_at_where_the_site_is_read_only(world: dict[str, Any], settings: Any) -> None:
    settings.READ_ONLY = True
    pages = [(address, "GET") for address in ADDRESSES if address.has_page and (IS_ALL or is_opened(address))]
    pages = pages if IS_ALL else random.sample(pages, len(pages) // 3)
    shut = {
        address.name
        for address, _, response in answers(Role.ADMINISTRATOR, world, pages)
        if response.status_code not in (200, 302)
    }
    assert shut <= {"findings:suppress", "tables:auth_user_add", "conversations:body"} | {
        address.name for address in ADDRESSES if address.name.endswith(("_add", "_delete"))
    }


def test_no_session_writes_without_a_token_of_a_form(world: dict[str, Any]) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(user_of(Role.ADMINISTRATOR), backend=BACKEND)
    passed = [
        (address.name, method)
        for address in ADDRESSES
        for method in (WRITING if IS_ALL else address.methods)
        if send(client, world | {"token_key": "0"}, address, method).status_code != 403
    ]
    assert passed == []


def test_a_form_of_another_site_is_refused_even_with_a_token(world: dict[str, Any]) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(user_of(Role.ADMINISTRATOR), backend=BACKEND)
    client.get("/scenarios/")
    secret = client.cookies["csrftoken"].value
    headers = {"X-CSRFToken": secret, "Origin": "https://evil.example"}
    passed = [
        address.name
        for address in ADDRESSES
        if "POST" in address.methods
        and send(client, world | {"token_key": "0"}, address, "POST", headers=headers).status_code != 403
    ]
    assert passed == []
