"""The settings of the endpoint, their checks, and the command."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError

from brokerui.messaging.endpoint import checks
from brokerui.messaging.endpoint.connection_limiter import ConnectionLimiter
from brokerui.messaging.endpoint.endpoint_settings import options_from_settings, tls_from_settings
from brokerui.messaging.endpoint.hosted_instances import hosted
from routing.common.errors import Invalid
from tests.brokerui.messaging.endpoint.certificates import Authority
from tests.brokerui.product import command


def test_options_follow_the_settings(settings: Any) -> None:
    settings.ENDPOINT_CONNECTIONS, settings.ENDPOINT_CONNECTIONS_OF_PEER = 7, 3
    options = options_from_settings()
    assert (options.connections, options.connections_of_peer, options.is_encryption_required) == (7, 3, True)
    settings.ENDPOINT_ENCRYPTION = "disabled"
    assert not options_from_settings().is_encryption_required
    assert tls_from_settings() is None
    settings.ENDPOINT_ENCRYPTION = "off"
    with pytest.raises(Invalid, match="ENDPOINT_ENCRYPTION: must be required or disabled"):
        tls_from_settings()


def test_what_cannot_be_used_is_an_error_of_the_installation(settings: Any, tmp_path: Path) -> None:
    assert checks.tls_can_be_used(None) == []
    assert checks.key_is_private(None) == []
    settings.ENDPOINT_CERTIFICATE = str(tmp_path / "nothing")
    (found,) = checks.tls_can_be_used(None)
    assert (found.id, "ENDPOINT_KEY" in found.msg) == ("brokerui.E003", True)


def test_a_key_that_others_may_read_is_told(settings: Any, tmp_path: Path) -> None:
    certificate, key = Authority(tmp_path).files("A")
    settings.ENDPOINT_CERTIFICATE, settings.ENDPOINT_KEY = str(certificate), str(key)
    settings.ENDPOINT_AUTHORITY = str(tmp_path / "authority.pem")
    settings.ENDPOINT_CONNECT = ["B=Two"]
    assert checks.key_is_private(None) == checks.tls_can_be_used(None) == []
    tls = tls_from_settings()
    assert tls is not None
    assert tls.permitted == {"b": "Two"}
    key.chmod(0o640)
    (found,) = checks.key_is_private(None)
    assert found.id == "brokerui.W005"
    assert stat.S_IMODE(key.stat().st_mode) == 0o640


@pytest.fixture
def instances(db: Any) -> None:
    from brokerui.estate.models import Instance, InstanceAddress

    rows = [
        ("A", True, None, ["tcp://127.0.0.1:4022", "tcp://a.example:4022"]),
        ("B", True, "STOPPED", ["tcp://b.example:4022"]),
        ("C", False, None, ["tcp://c.example:4022"]),
        ("D", True, "STARTED", []),
    ]
    for position, (name, is_hosted, state, addresses) in enumerate(rows):
        endpoint = {} if state is None else _endpoint(state)
        row = Instance.objects.create(name=name, hosted=is_hosted, position=position, **endpoint)
        for place, key in enumerate(addresses):
            InstanceAddress.objects.create(instance=row, text=key, key=key, position=place)


def _endpoint(state: str) -> dict[str, Any]:
    return {
        "endpoint_port": 4022,
        "endpoint_state": state,
        "endpoint_encryption": "REQUIRED",
        "endpoint_authentication": "CERTIFICATE",
        "endpoint_forward_size": 10,
    }


@pytest.mark.usefixtures("instances")
def test_instances_that_are_hosted_and_not_stopped_listen_on_their_addresses(
    django_assert_num_queries: Any,
) -> None:
    with django_assert_num_queries(1):
        assert hosted() == {"A": ("tcp://127.0.0.1:4022", "tcp://a.example:4022"), "D": ()}


@pytest.mark.usefixtures("instances")
def test_listening_beyond_this_machine_without_encryption_is_an_error_of_the_installation(settings: Any) -> None:
    assert checks.addresses_are_encrypted(None) == [], "the database is only asked where it may be"
    (found,) = checks.addresses_are_encrypted(None, databases=["default"])
    assert (found.id, "tcp://a.example:4022" in found.msg) == ("brokerui.E004", True)
    settings.ENDPOINT_ENCRYPTION = "disabled"
    assert checks.addresses_are_encrypted(None, databases=["default"]) == []
    settings.ENDPOINT_ENCRYPTION, settings.ENDPOINT_CERTIFICATE = "required", "given"
    assert checks.addresses_are_encrypted(None, databases=["default"]) == []


def test_a_database_that_cannot_be_asked_yet_is_no_error_of_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise OperationalError("no such table")

    monkeypatch.setattr(checks, "hosted", fails)
    assert checks.addresses_are_encrypted(None, databases=["default"]) == []


def test_the_command_says_what_is_wrong_with_its_settings(home: Path) -> None:
    result = command(home, "endpoint", ENDPOINT_KEY="/nowhere")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [
        "error: ENDPOINT_CERTIFICATE: must be given with the other two: certificate, key and authority"
    ]


def test_guests_are_counted_by_where_they_come_from() -> None:
    guests = ConnectionLimiter(3, 2)
    assert [guests.enter("A", host) for host in ("x", "x", "x", "y", "z")] == [True, True, False, True, False]
    assert guests.refused() == {("A", "x"): 1, ("A", "z"): 1}
    assert guests.refused() == {}
    guests.leave("x")
    assert guests.enter("A", "z")
    guests = ConnectionLimiter(1, 1)
    assert guests.enter("A", "x")
    for number in range(5):
        guests.enter("A", str(number))
    assert guests.refused() == {("A", "0"): 1, ("A", ""): 4}, "strangers do not fill the memory"
