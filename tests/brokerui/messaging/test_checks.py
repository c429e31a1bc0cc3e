"""What can be wrong with the settings of messaging, and with hosted instances; every id is documented."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.checks import run_checks
from django.db import DatabaseError

from brokerui.core.home import CHECKOUT
from brokerui.estate.models import Instance
from brokerui.estate.services import estate_import
from brokerui.messaging import checks
from brokerui.messaging.endpoint import checks as of_endpoint
from routing.model.address import parse_address
from routing.model.catalog_objects import BrokerEndpoint
from routing.model.estate import Estate
from routing.model.estate import Instance as Of

ID = re.compile(r"brokerui\.[EIW]\d{3}")


def ids(found: list[Any]) -> list[str]:
    return [one.id for one in found]


def test_every_check_is_documented_and_no_other() -> None:
    sources = (CHECKOUT / "brokerui").rglob("checks.py")
    written = {found for path in sources for found in ID.findall(path.read_text())}
    assert written == set(ID.findall((CHECKOUT / "docs/reference/checks.md").read_text()))


@pytest.mark.parametrize(
    ("name", "value", "check", "expected"),
    [
        ("ENDPOINT_SHARDS", 0, checks.shards_can_be_used, "brokerui.E006"),
        ("ENDPOINT_SHARDS", 65, checks.shards_can_be_used, "brokerui.E006"),
        ("ENDPOINT_LIST_BYTES", 1000, checks.lists_have_room, "brokerui.E007"),
        ("ENDPOINT_LIST_BYTES_OF_PEER", 1000, checks.lists_have_room, "brokerui.E007"),
        ("ENDPOINT_LIST_BYTES_OF_PEER", 3 << 20, checks.lists_have_room, "brokerui.E007"),
        ("ENDPOINT_LISTS_BYTES", 1 << 20, checks.lists_have_room, "brokerui.E007"),
        ("ENDPOINT_CONNECTIONS", 0, checks.connections_are_let_in, "brokerui.E008"),
        ("ENDPOINT_CONNECTIONS_OF_PEER", 1_001, checks.connections_are_let_in, "brokerui.E008"),
        ("LOG_FORMAT", "xml", checks.log_format_is_known, "brokerui.W006"),
    ],
)
def test_a_setting_that_cannot_be_is_told(settings: Any, name: str, value: Any, check: Any, expected: str) -> None:
    assert check(None) == []
    setattr(settings, name, value)
    (found,) = check(None)
    assert (found.id, name in found.msg) == (expected, True)
    assert expected in ids(run_checks()), "it is asked at every start"


def test_an_old_sqlite_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "connection", SimpleNamespace(vendor="sqlite"))
    assert checks.sqlite_is_new_enough(None) == []
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    assert ids(checks.sqlite_is_new_enough(None)) == ["brokerui.E005"]
    monkeypatch.setattr(checks, "connection", SimpleNamespace(vendor="postgresql"))
    assert checks.sqlite_is_new_enough(None) == []


def test_an_event_log_without_a_folder_is_told(settings: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings.EVENT_LOG_FOLDER = tmp_path / "file" / "log"
    assert checks.event_log_has_its_folder(None) == [], "it is off"
    settings.EVENT_LOG = True
    assert ids(checks.event_log_has_its_folder(None)) == ["brokerui.W011"]
    settings.EVENT_LOG_FOLDER = tmp_path / "new" / "log"
    assert checks.event_log_has_its_folder(None) == []


def _hosted(**addresses: str) -> None:
    instances = {
        name: Of(name, addresses=tuple(map(parse_address, text.split())), endpoint=_endpoint(name))
        for name, text in addresses.items()
    }
    estate_import(estate=Estate(instances), author="test")
    Instance.objects.update(hosted=True)


def _endpoint(name: str) -> BrokerEndpoint | None:
    return BrokerEndpoint(4022, state="STOPPED") if name == "off" else None


@pytest.mark.django_db
def test_what_is_wrong_with_hosted_instances_is_told_where_the_database_may_be_asked() -> None:
    _hosted(a="tcp://127.0.0.1:7001", b="tcp://localhost:7001", c="tcp://127.0.0.1:7003", mute="", off="tcp://x:1")
    assert checks.hosted_instances_listen(None) == []
    found = checks.hosted_instances_listen(None, databases=["default"])
    assert ids(found) == ["brokerui.W007", "brokerui.W008", "brokerui.W009"]
    assert [name in one.msg for name, one in zip(('"mute"', '"off"', "7001"), found, strict=True)] == [True] * 3
    assert set(ids(found)) <= set(ids(run_checks(databases=["default"])))


@pytest.mark.django_db
def test_nothing_is_wrong_with_those_that_listen_each_at_its_port() -> None:
    _hosted(a="tcp://127.0.0.1:7001", b="tcp://127.0.0.1:7002")
    assert checks.hosted_instances_listen(None, databases=["default"]) == []


def test_a_database_without_tables_is_no_fault_of_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise DatabaseError("no such table")

    monkeypatch.setattr(checks, "hosted", fails)
    monkeypatch.setattr(checks.Instance.objects, "filter", lambda **_: fails())
    assert checks.hosted_instances_listen(None, databases=["default"]) == []


def test_those_of_the_endpoint_are_asked_at_every_start(settings: Any, tmp_path: Path) -> None:
    settings.ENDPOINT_CERTIFICATE = str(tmp_path / "nothing")
    assert ids(of_endpoint.tls_can_be_used(None))[0] in ids(run_checks())
