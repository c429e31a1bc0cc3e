"""Each page and resource that shows an earlier version of the estate shows drafts too, and refuses both at once."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from brokerui.accounts.levels import Role
from tests.brokerui.security.addresses import ADDRESSES, is_opened
from tests.brokerui.site import signed_in
from tests.extent import IS_ALL

pytestmark = pytest.mark.django_db
NEVER = "999999"
"""Neither a version nor a draft of the tests has this number."""
LOOK_BACK = 50
"""At least this number of addresses take `as_of`: the test has found them."""


def status(client: Client, path: str, **query: str) -> int:
    return client.get(path, query).status_code if "?" not in path else client.get(path + _more(query)).status_code


def _more(query: dict[str, str]) -> str:
    return "".join(f"&{name}={value}" for name, value in query.items())


def test_what_takes_as_of_takes_draft(world: dict[str, Any], short_refusals: None) -> None:
    """It takes some seconds, because it enumerates all addresses of the site: each is asked for once."""
    client, draft = signed_in(Role.ADMINISTRATOR), str(world["draft"])
    paths = {one.name: one.path(world) for one in ADDRESSES if one.has_page and (IS_ALL or is_opened(one))}
    back = {name: path for name, path in paths.items() if status(client, path, as_of=NEVER) == 404}
    assert len(back) >= LOOK_BACK
    missing = {name: status(client, path, draft=NEVER) for name, path in back.items()}
    assert missing == dict.fromkeys(back, 404)
    both = {name: status(client, path, draft=draft, as_of="1") for name, path in back.items()}
    assert both == dict.fromkeys(back, 404)
    assert status(client, paths["map:map"], draft=draft) == 200


def test_both_at_once_is_one_error_that_says_what_to_do(world: dict[str, Any]) -> None:
    query = {"draft": str(world["draft"]), "as_of": "1"}
    problem = signed_in(Role.VIEWER).get("/api/v1/routes/", query).json()
    detail = "name a draft or a version, not both: a draft has a version of its own"
    assert problem["errors"] == [{"in": "query", "name": "draft", "detail": detail}]
