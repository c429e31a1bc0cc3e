"""Logs: lines for people or objects for programs, all processes in one file, and no secret in any of them."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brokerui.core import logs
from brokerui.core.logs import JsonFormatter, LineFormatter
from brokerui.running import log_merge
from brokerui.running.log_merge import LogMerge
from brokerui.running.logs import ProcessLog


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    logs._secrets.cache_clear()
    yield
    logs._secrets.cache_clear()


def record(message: str, *arguments: object, fault: ValueError | None = None) -> logging.LogRecord:
    info = None
    if fault is not None:
        try:
            raise fault
        except ValueError:
            info = sys.exc_info()
    return logging.LogRecord("brokerui.some", logging.WARNING, "file.py", 1, message, arguments, info)


def test_a_line_for_people(settings: Any) -> None:
    line = LineFormatter().format(record("%d of %s", 3, "A"))
    assert line.endswith(" WARNING brokerui.some: 3 of A")


def test_an_object_for_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(logs.PROCESS, "worker")
    text = JsonFormatter().format(record("two\nlines", fault=ValueError("why")))
    assert "\n" not in text
    entry = json.loads(text)
    assert (entry["level"], entry["process"], entry["logger"]) == ("WARNING", "worker", "brokerui.some")
    assert entry["message"] == "two\nlines"
    assert "ValueError: why" in entry["exception"]
    assert entry["time"].endswith("+00:00")


@pytest.mark.parametrize("made", [LineFormatter, JsonFormatter])
def test_no_secret_is_told_wherever_it_stands(settings: Any, made: type[logging.Formatter]) -> None:
    settings.SECRET_KEY = "signs-cookies-0123456789"
    settings.KEYS_SECRET = "opens-private-keys"
    settings.REDIS_URL = "rediss://me:of%2Fredis@cache.example:6379/0"
    settings.DATABASES["default"]["PASSWORD"] = "of-the-database"
    secrets = (settings.SECRET_KEY, settings.KEYS_SECRET, settings.REDIS_URL, "of/redis", "of-the-database")
    try:
        text = made().format(record("%s", " ".join(secrets), fault=ValueError(" ".join(secrets))))
    finally:
        settings.DATABASES["default"].pop("PASSWORD")
    for secret in ("signs-cookies", "opens-private", "of%2Fredis", "of/redis", "of-the-database"):
        assert secret not in text
    assert logs.HIDDEN in text
    assert "cache.example" in text, "the rest stays"


# -- All in one --------------------------------------------------------------------------------------------


def write(log: ProcessLog, text: str) -> None:
    with log.path.open("a") as file:
        file.write(text)


@pytest.fixture
def two(tmp_path: Path) -> tuple[ProcessLog, ProcessLog]:
    return ProcessLog(tmp_path, "web"), ProcessLog(tmp_path, "worker")


def test_all_processes_stand_in_one_log_each_line_with_its_name(
    tmp_path: Path, two: tuple[ProcessLog, ProcessLog]
) -> None:
    web, worker = two
    write(web, "of an earlier start\n")
    together = LogMerge(tmp_path)
    together.begin(web)
    together.begin(worker)
    write(web, "one\ntwo\n")
    write(worker, "three\nnot whole")
    for log in two:
        together.follow(log)
    write(worker, " yet\n")
    for log in two:
        together.follow(log)
    lines = (tmp_path / "log" / "all.log").read_text().splitlines()
    assert lines == ["web      one", "web      two", "worker   three", "worker   not whole yet"]


def test_nothing_is_missed_when_a_log_is_put_aside(tmp_path: Path, two: tuple[ProcessLog, ProcessLog]) -> None:
    web, _ = two
    together = LogMerge(tmp_path)
    together.begin(web)
    write(web, "before\n")
    together.follow(web)
    web.bound(limit=1)
    together.follow(web)
    write(web, "afterwards\n")
    together.follow(web)
    assert (tmp_path / "log" / "all.log").read_text().splitlines() == ["web      before", "web      afterwards"]


def test_a_line_without_end_is_taken_in_pieces(
    tmp_path: Path, two: tuple[ProcessLog, ProcessLog], monkeypatch: Any
) -> None:
    monkeypatch.setattr(log_merge, "READ_BYTES", 8)
    web, _ = two
    together = LogMerge(tmp_path)
    together.begin(web)
    write(web, "x" * 20 + "\n")
    for _ in range(3):
        together.follow(web)
    assert (tmp_path / "log" / "all.log").read_text().replace("web      ", "").replace("\n", "") == "x" * 20


def test_for_programs_every_line_is_an_object(tmp_path: Path, two: tuple[ProcessLog, ProcessLog]) -> None:
    web, _ = two
    together = LogMerge(tmp_path, as_json=True)
    together.begin(web)
    write(web, '{"process": "web", "message": "one"}\nTraceback\n')
    together.follow(web)
    entries = [json.loads(line) for line in (tmp_path / "log" / "all.log").read_text().splitlines()]
    assert [(one["process"], one["message"]) for one in entries] == [("web", "one"), ("web", "Traceback")]
