"""Messengers: apprise sends in a process of its own, to allowed addresses alone, and no token gets out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from django.utils import timezone

from brokerui.analysis.alerts.channel_models import AlertDelivery
from brokerui.analysis.alerts.channels import channel_create
from brokerui.analysis.alerts.deliveries import channel_test, deliveries_send
from brokerui.analysis.alerts.errors import DeliveryError
from brokerui.analysis.alerts.messenger_guard import ForbiddenActError, NetworkGuard
from brokerui.analysis.alerts.messengers import messenger_check, messenger_send
from brokerui.estate.models import AuditEntry
from routing.common.errors import Invalid
from tests.brokerui.analysis.alerts.test_deliveries import Receiver, receiver
from tests.extent import IS_ALL

__all__ = ["receiver"]
TOKEN = "S3CR3TT0K3N"
NOT_ALLOWED = ([], ["hooks.slack.com"], ["127.0.0.2/32"])
"""Each costs a process; the guard of nothing, and that of a name, are asked by themselves below."""
PUBLIC, LOOPBACK, METADATA = "93.184.216.34", "127.0.0.1", "169.254.169.254"


def found(*addresses: str) -> list[Any]:
    return [(2, 1, 6, "", (one, 443)) for one in addresses]


@pytest.mark.django_db
def test_a_channel_sends_a_test_and_shows_its_token_nowhere(receiver: Receiver, caplog: Any) -> None:
    url = f"json://{TOKEN}@127.0.0.1:{receiver.server_port}/hook?+X-Token={TOKEN}"
    row, secret = channel_create(
        kind="messenger", name="Duty", target=url, severity="warning", author="me", at=timezone.now()
    )
    assert (row.target, secret) == ("JSON", "")
    assert TOKEN.encode() not in bytes(row.sealed or b"")
    channel_test(channel=row, author="me", at=timezone.now())
    deliveries_send(timezone.now())
    delivery = AlertDelivery.objects.get()
    assert (delivery.error, delivery.due_at) == ("", None)
    ((path, headers, body),) = receiver.got
    assert (path, headers["X-Token"]) == ("/hook", TOKEN)
    assert json.loads(body)["message"].startswith("A test of this channel by me.")
    receiver.status = 500
    channel_test(channel=row, author="me", at=timezone.now())
    deliveries_send(timezone.now())
    error = AlertDelivery.objects.latest("pk").error
    assert "answered with status {status}" in error
    kept = [caplog.text, error, *AuditEntry.objects.values_list("note", flat=True)]
    assert not any(TOKEN in text for text in kept)


def test_an_address_that_nothing_allows_gets_no_connection(receiver: Receiver) -> None:
    url = f"json://127.0.0.1:{receiver.server_port}/hook"
    for allowed in NOT_ALLOWED if IS_ALL else NOT_ALLOWED[-1:]:
        with pytest.raises(DeliveryError, match="not allowed"):
            messenger_send(url=url, title="t", body="b", allowed=allowed)
    with pytest.raises(DeliveryError, match="not allowed"):
        messenger_send(url=f"json://{METADATA}/latest/", title="t", body="b", allowed=["0.0.0.0/0"])
    receiver.status = 302  # to an address that is allowed: no redirect is followed at all
    with pytest.raises(DeliveryError, match="status 302"):
        messenger_send(url=url, title="t", body="b", allowed=["127.0.0.0/8"])
    assert [path for path, _, _ in receiver.got] == ["/hook"]


@pytest.mark.parametrize("url", ["slack", "nonsense://token", f"json://{'x' * 2_000}", "json://a\nb"])
def test_what_is_no_messenger_is_refused(url: str) -> None:
    with pytest.raises(Invalid):
        messenger_check(url)


def test_a_name_is_resolved_only_where_something_allows_it() -> None:
    resolved: list[Any] = []
    guard = NetworkGuard(["hooks.slack.com"], lambda host, *_more, **_options: resolved.append(host) or found(PUBLIC))
    guard.is_encrypted = True
    with pytest.raises(ForbiddenActError):
        guard.addresses("evil.example", 443)
    assert resolved == []
    assert guard.addresses("hooks.slack.com", 443) == found(PUBLIC)
    guard.event("socket.connect", (None, (PUBLIC, 443)))
    with pytest.raises(ForbiddenActError):
        guard.addresses("hooks.slack.com", 80)


@pytest.mark.parametrize("place", [LOOPBACK, METADATA, "10.0.0.5", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"])
def test_a_name_that_leads_inside_is_refused_also_if_it_was_public_before(place: str) -> None:
    answers = [found(PUBLIC), found(PUBLIC, place)]
    guard = NetworkGuard(["hooks.slack.com"], lambda *_more, **_options: answers.pop(0))
    guard.is_encrypted = True
    guard.addresses("hooks.slack.com", 443)
    with pytest.raises(ForbiddenActError):
        guard.addresses("hooks.slack.com", 443)
    with pytest.raises(ForbiddenActError):
        guard.event("socket.connect", (None, (place, 443)))


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("socket.connect", (None, ("hooks.slack.com", 443))),
        ("socket.connect", (None, "/run/docker.sock")),
        ("socket.sendto", (None, (LOOPBACK, 514))),
        ("socket.getaddrinfo", ("hooks.slack.com", 443, 0, 0, 0)),
        ("subprocess.Popen", ("sh", [], None, None)),
        ("open", ("/etc/passwd", "r", 0)),
        ("open", (f"{sys.prefix}/x", "w", 0)),
        ("open", (f"{sys.prefix}/../../../../../../etc/passwd", "r", 0)),
    ],
)
def test_an_act_that_no_message_needs_is_refused(event: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ForbiddenActError):
        NetworkGuard(["hooks.slack.com"]).event(event, arguments)


def test_no_library_gets_round_the_guard() -> None:
    """In a process: the hook holds sockets of every kind, whatever they are called."""
    program = """
import socket, sys
from brokerui.analysis.alerts.messenger_guard import NetworkGuard
plain = socket.socket
resolve = socket.getaddrinfo
NetworkGuard([]).install()
for act in (lambda: plain().connect(("127.0.0.1", 9)), lambda: resolve("localhost", 9), lambda: open("/etc/passwd"),
            lambda: socket.create_connection(("127.0.0.1", 9)), lambda: __import__("os").system("true")):
    try:
        act()
    except PermissionError:
        print("refused")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["refused"] * 5


def test_the_library_is_loaded_by_its_own_process_alone() -> None:
    program = (
        "import sys, django; django.setup(); import brokerui.analysis.alerts.deliveries;"
        " print('apprise' in sys.modules)"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "brokerui.settings"}
    ended = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "False"
