"""Leave out of a test the fixtures that plugins give to every test, and that do nothing for this one.

A dozen of them stood around each of 16,000 tests: to set them up and to take them down again took longer than most
tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.scheduling import NO_DATABASE


def _marked(name: str) -> Callable[[Any], bool]:
    return lambda item: item.get_closest_marker(name) is not None


def _with(fixture: str) -> Callable[[Any], bool]:
    return lambda item: fixture in item.fixturenames


NEEDED: Final[dict[str, Callable[[Any], bool]]] = {
    "_django_db_marker": _marked("django_db"),
    "_django_set_urlconf": _marked("urls"),
    "_django_isolate_apps": _marked("django_isolate_apps"),
    "_template_string_if_invalid_marker": _marked("ignore_template_errors"),
    "_live_server_helper": _with("live_server"),
    "_pw_trace_api_requests": _with("playwright"),
    "delete_output_dir": _with("playwright"),
    "_django_setup_unittest": lambda item: item.cls is not None,
    "_dj_autoclear_mailbox": lambda item: not item.nodeid.startswith(NO_DATABASE),
    # Nothing here has sites, nor asks by the environment for tests that fail of a template.
    "_django_clear_site_cache": lambda item: False,
    "_fail_for_invalid_template_variable": lambda item: False,
}
"""Which tests need a fixture: by what it looks for itself."""
ONLY_ASKED: Final = frozenset({"django_db_blocker", "monkeypatch", "pytestconfig", "request"})
"""Fixtures that those above ask for. A fixture that stays asks for them itself; a test has them where it does."""


class NeededFixtures:
    """Goes through the tests of a run, once they are made."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if isinstance(item, pytest.Function):
                item.fixturenames = needed(item)


def needed(item: pytest.Function) -> list[str]:
    """Return the names of a test's fixtures without those that would do nothing."""
    own_names = item._fixtureinfo.initialnames
    return [
        name
        for name in item.fixturenames
        if (NEEDED[name](item) if name in NEEDED else name not in ONLY_ASKED or name in own_names)
    ]
