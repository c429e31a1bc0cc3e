"""What every test shares: Hypothesis profiles and the browser."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from hypothesis import settings

from brokerui.core import newer_database
from brokerui.eventlog.recording import Recorder
from scripts import browser
from tests.databases import TwoDatabases
from tests.durations import Durations, recorded
from tests.emptying import Emptying
from tests.extent import IS_ALL, Extent
from tests.garbage import Garbage
from tests.migrated import keep, restored
from tests.needed_fixtures import NeededFixtures
from tests.one_report import OneReport
from tests.one_seed import OneSeed
from tests.scheduling import LongestFirst

# Playwright's synchronous API runs an event loop in the test's own thread; Django then takes every query of
# the test for one from a coroutine.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

# Javas that tests start live for seconds: what pays in hours is left out (a third of their work). Without the
# second compiler Java has little room for compiled code, and throws some away. Classes of Spark need no verification,
# and while they are loaded no search for garbage each time that their room grows. One thread searches: two wait for
# each other, and on a busy machine they wait by working.
COMPILER = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:MetaspaceSize=256m -XX:ParallelGCThreads=1"
VERIFIER = "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
os.environ.setdefault("SPARK_SUBMIT_OPTS", f"{COMPILER} {VERIFIER}")
os.environ.setdefault("SPARK_CONF_DIR", str(Path(__file__).parent / "pipeline" / "spark"))

# Tests start some hundred programs, and each begins in half the time where Python keeps what it has compiled.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What commands say is tested in English, whatever the developer's own language.
os.environ["LANGUAGE"] = "en"

# Tests flush the counters themselves: a thread would look for tables between two tests.
Recorder.has_thread = False

# Budgets of queries are exact: no request looks at the migrations, unless a test says so.
newer_database.EVERY_S = None

# Shared cores say nothing about time, so no deadline. Every run draws fresh examples, and make test-all ten times as
# many; a failure prints the blob that repeats it.
settings.register_profile("test", deadline=None, derandomize=False, print_blob=True, max_examples=20)
settings.register_profile("test-all", settings.get_profile("test"), max_examples=200)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "test"))

# Nothing but the page under test: no sandbox (root has none), no GPU, no calls home, and no second process for pages,
# which would be started with each context for one that never comes.
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--renderer-process-limit=1",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--postgresql", action="store_true", help="run tests marked both_databases on PostgreSQL too")
    parser.addoption("--record-durations", action="store_true", help="write tests/durations.json at the end")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.postgresql:
        config.pluginmanager.register(TwoDatabases())
    if not IS_ALL:
        config.pluginmanager.register(Extent())
    config.pluginmanager.register(Garbage(), "garbage")
    config.pluginmanager.register(NeededFixtures())
    config.pluginmanager.register(OneSeed())
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(OneReport())
    if config.option.record_durations and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Durations())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LongestFirst:
    return LongestFirst(config, log, recorded())


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> Iterator[bool]:
    """Fill the database in memory that Django makes next; False: nothing is kept of these migrations."""
    memory = None
    if connection.vendor == "sqlite":
        memory = restored(connection.creation._get_test_db_name())  # type: ignore[attr-defined]  # of SQLite alone
    yield memory is not None
    if memory is not None:
        memory.close()


@pytest.fixture(scope="session")
def django_db_setup(django_db_modify_db_settings: bool, django_db_setup: None, django_db_blocker: Any) -> None:
    """A database for the tests of this process, which gets its first rows back after each test that commits."""
    with django_db_blocker.unblock():
        if connection.vendor == "sqlite" and not django_db_modify_db_settings:
            keep()
        Emptying().take_over()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {
        **browser_type_launch_args,
        "executable_path": str(browser.chromium()),
        "args": [*browser_type_launch_args.get("args", []), *CHROMIUM_FLAGS],
    }


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, object, object]:
    """Let nothing that is kept outlive its database. A process keeps brokers, the last overview, and events that it has
    not written yet; their rows go with the test, and the next test would write the events into its own database."""
    try:
        return (yield)
    finally:
        forget()


def forget() -> None:
    if (hosting := sys.modules.get("brokerui.messaging.broker_cache")) is not None:
        hosting.forget_brokers()
    if (overview := sys.modules.get("brokerui.analysis.overview.overview")) is not None:
        overview.forget()
    if (recording := sys.modules.get("brokerui.eventlog.recording")) is not None:
        recording.recorder.forget()
