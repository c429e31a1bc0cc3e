"""How much one run tries: `make test` some of the similar cases, `make test-all` all of them.

`@pytest.mark.thorough` keeps a test for `make test-all`, and says why as its reason. Of a test on both databases
`thorough(reason, on="sqlite")` or `on="postgresql"` keeps the one for `make test-all`, wherever the other runs.
"""

from __future__ import annotations

import os
from typing import Final

import pytest

from tests.scheduling import ON_POSTGRESQL

IS_ALL: Final = os.environ.get("HYPOTHESIS_PROFILE") == "test-all"


ON_ONE_DATABASE: Final = pytest.mark.thorough("no statement of one database alone; SQLite has other tests", on="sqlite")
"""For pages, readers of documents, and services over Django's own statements (imports, drafts, findings, histories):
they run on PostgreSQL where it is there, else on SQLite. On both run, in `make test` too, messages and their store,
leases, rows and constraints of the estate, locks of jobs and alerts, loading of results, and the plans of queries."""


class Extent:
    """Leaves out of a run the tests that are for `make test-all`."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        names = {item.nodeid for item in items}
        left_out = [item for item in items if is_left_out(item, names)]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            gone = {id(item) for item in left_out}
            items[:] = [item for item in items if id(item) not in gone]


def is_left_out(item: pytest.Item, names: set[str]) -> bool:
    """Say whether a test is for `make test-all` alone; `names` are those of all tests of the run."""
    databases = {marker.kwargs.get("on") for marker in item.iter_markers("thorough")}
    return None in databases or any(_is_of(on, item, names) for on in databases)


def _is_of(on: str | None, item: pytest.Item, names: set[str]) -> bool:
    """Say whether a test runs on this database, and its twin on the other one."""
    is_on_postgresql = item.nodeid.endswith(ON_POSTGRESQL)
    other = item.nodeid.removesuffix(ON_POSTGRESQL) if is_on_postgresql else item.nodeid + ON_POSTGRESQL
    return is_on_postgresql == (on == "postgresql") and other in names
