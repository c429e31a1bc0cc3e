"""Run the tests marked `both_databases` on SQLite and on PostgreSQL in one run.

With `--postgresql` the last process of the run has a PostgreSQL, the others have SQLite. Each marked test then stands
in the run twice, under its own name and under its name and `@postgresql`.
"""

from __future__ import annotations

import copy
import os
import signal
import sys
from typing import Any, Final, NoReturn

import pytest

from scripts.postgres import CannotRunError, server
from tests.scheduling import ON_POSTGRESQL

URL: Final = "DATABASE_URL"


class TwoDatabases:
    """Starts the server in the process that leads the run, and doubles the marked tests in the others."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, config: pytest.Config, specs: list[Any]) -> None:
        """Give the last process a PostgreSQL: that of DATABASE_URL, or a server that lives as long as the run."""
        if len(specs) < 2:
            raise pytest.UsageError("--postgresql needs two processes or more (-n)")
        url = os.environ.pop(URL, "") or started(config)
        config.option.postgresql = bool(url)
        if url:
            specs[-1].env[URL] = url

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        if hasattr(config, "workerinput"):
            items += [twin(item) for item in items if item.get_closest_marker("both_databases")]


def started(config: pytest.Config) -> str:
    """The address of a server that ends with the run; empty where none can run."""
    running = server()
    try:
        url = running.__enter__()
    except CannotRunError as error:
        sys.stderr.write(f"no test runs on PostgreSQL: {error}; DATABASE_URL may name a server\n")
        return ""
    config.add_cleanup(lambda: running.__exit__(None, None, None))
    signal.signal(signal.SIGTERM, _end)
    return url


def _end(number: int, _frame: Any) -> NoReturn:
    """End the run by an exception, so that the server ends too."""
    sys.exit(128 + number)


def twin(item: Any) -> pytest.Item:
    """The same test under its second name. pytest gives it fixtures of its own when it begins."""
    second: Any = copy.copy(item)
    second._id = type(item.id).parse(item.nodeid + ON_POSTGRESQL)
    second._request = None
    return second
