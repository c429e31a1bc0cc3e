"""A Valkey for these tests, empty for each of them."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from tests.brokerui.messaging.endpoint.valkey import Valkey


@pytest.fixture(scope="session")
def one_valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")) as valkey:
        yield valkey


@pytest.fixture
def valkey(one_valkey: Valkey) -> Valkey:
    one_valkey.start()
    with one_valkey.client() as client:
        client.flushall()
    return one_valkey


@pytest.fixture
def client(valkey: Valkey) -> Iterator[Redis]:
    """As workers have it."""
    with valkey.client() as client:
        yield client


@pytest.fixture
def children() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that end with the test."""
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture
def no_loop() -> Iterator[None]:
    """For what begins a loop of its own in this very thread, as a command does: Playwright's, which runs here once a
    browser was used in the same process, stands still meanwhile."""
    theirs = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(theirs)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"
