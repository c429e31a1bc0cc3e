"""Fixtures that do nothing for a test are left out of it, and every other one stays."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.needed_fixtures import NEEDED, ONLY_ASKED, needed

OF_BROWSERS = {"_pw_trace_api_requests", "delete_output_dir"}
NAMES = [*ONLY_ASKED, *NEEDED, "site"]


def item(
    *marks: str, fixtures: tuple[str, ...] = (), place: str = "tests/routing/test_shop.py", cls: Any = None
) -> Any:
    """Make a test as pytest gives it fixtures: those of all plugins, and its own."""

    def get_closest_marker(name: str) -> str | None:
        return name if name in marks else None

    made = SimpleNamespace(
        nodeid=f"{place}::test_it_sells",
        cls=cls,
        fixturenames=list(dict.fromkeys([*NAMES, *fixtures])),
        _fixtureinfo=SimpleNamespace(initialnames=(*NEEDED, "site", *fixtures)),
        get_closest_marker=get_closest_marker,
    )
    return cast(pytest.Function, made)


def test_a_test_that_asks_for_nothing_has_none_of_them() -> None:
    assert needed(item()) == ["site"]


@pytest.mark.parametrize(
    ("test", "has"),
    [
        (item("django_db"), "_django_db_marker"),
        (item("urls"), "_django_set_urlconf"),
        (item("django_isolate_apps"), "_django_isolate_apps"),
        (item("ignore_template_errors"), "_template_string_if_invalid_marker"),
        (item(fixtures=("live_server",)), "_live_server_helper"),
        (item(fixtures=("playwright",)), "_pw_trace_api_requests"),
        (item(fixtures=("playwright",)), "delete_output_dir"),
        (item(cls=object), "_django_setup_unittest"),
        (item(place="tests/brokerui/test_shop.py"), "_dj_autoclear_mailbox"),
    ],
)
def test_what_it_asks_for_stays(test: pytest.Function, has: str) -> None:
    assert has in needed(test)
    assert {*needed(test)} & {*NEEDED} <= {has, *OF_BROWSERS}


@pytest.mark.parametrize("name", sorted(ONLY_ASKED))
def test_what_only_others_asked_for_stays_where_a_test_asks(name: str) -> None:
    assert needed(item(fixtures=(name,))) == [name, "site"]


@pytest.mark.parametrize("name", NEEDED)
def test_a_plugin_has_a_fixture_of_this_name(name: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue(name)


def test_it_is_in_force(request: pytest.FixtureRequest) -> None:
    assert not {*NEEDED} & {*request.fixturenames}
