"""Messages about alerts: signed, at least once, with one key, to allowed addresses alone."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from brokerui.analysis.alerts.channel_models import AlertChannel, AlertDelivery
from brokerui.analysis.alerts.channels import channel_change, channel_create, channel_delete
from brokerui.analysis.alerts.deliveries import ATTEMPTS, LAPSE, alerts_announce, channel_test, deliveries_send
from brokerui.analysis.alerts.errors import AlertStaleError
from brokerui.analysis.alerts.evaluation import Observed
from brokerui.analysis.alerts.models import Alert
from brokerui.analysis.alerts.rule_writing import silence_begin
from brokerui.analysis.alerts.rules import RuleKind
from brokerui.analysis.alerts.services import alerts_evaluate
from brokerui.core.sentence_json import sentence_from_json
from brokerui.estate.models import AuditEntry
from routing.common.errors import Invalid
from routing.common.sentence import say

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


class Receiver(HTTPServer):
    """A server on loopback that keeps what it is sent, and answers with a status."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status = 204
        self.got: list[tuple[str, dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook?token=T0P"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, dict(self.headers), body))
        self.send_response(self.server.status)
        self.send_header("Location", f"{self.server.url}&redirected=1")
        self.end_headers()

    def log_message(self, *_given: object) -> None:
        """Say nothing."""


@pytest.fixture
def receiver(settings: Any, tmp_path: Any) -> Iterator[Receiver]:
    settings.ALERT_HOSTS, settings.SITE_URL, settings.HOME = ["127.0.0.0/8"], "https://broker.example", tmp_path
    settings.KEYS_SECRET = "of the deployment"
    server = Receiver()
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def webhook(receiver: Receiver, **more: Any) -> tuple[AlertChannel, str]:
    named = {"kind": "webhook", "name": "hook", "target": receiver.url, "severity": "warning", "author": "me"} | more
    return channel_create(**named, at=timezone.now())


def leaking(*databases: str, minutes: int = 0) -> None:
    at = timezone.now() + timedelta(minutes=minutes)
    seen = [
        Observed(key=name, figure=5_000, heading=say("{d} leaks", d=name), page="/servers/?server=far", instance="far")
        for name in databases
    ]
    alerts_evaluate({RuleKind.LEAK: seen}, at)


def test_a_webhook_gets_one_signed_message_about_all_alerts_of_a_look(receiver: Receiver) -> None:
    _, secret = webhook(receiver)
    leaking("one", "two")
    assert alerts_announce(timezone.now()) == 1
    assert alerts_announce(timezone.now()) == 0
    deliveries_send(timezone.now())
    deliveries_send(timezone.now())
    ((path, headers, body),) = receiver.got
    assert path == "/hook?token=T0P"
    signed = f"{headers['X-BrokerUI-Timestamp']}.".encode() + body
    assert headers["X-BrokerUI-Signature"] == f"v1={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"
    row = AlertDelivery.objects.get()
    assert (headers["Idempotency-Key"], row.due_at, row.error) == (row.key, None, "")
    content = json.loads(body)
    assert [one["alert"] for one in content["alerts"]] == ["one leaks", "two leaks"]
    sentence = content["alerts"][0]["sentence"]
    assert sentence.startswith("one leaks, since ")
    assert sentence.endswith(
        "UTC: 5,000 conversations. Open the server: it has the order of work and a clean-up"
        " script. https://broker.example/servers/?server=far"
    )


def test_a_failure_is_tried_again_with_the_same_key_and_given_up_in_the_end(receiver: Receiver, caplog: Any) -> None:
    _, secret = webhook(receiver)
    leaking("one")
    alerts_announce(timezone.now())
    receiver.status = 500
    later = timezone.now() + timedelta(days=1)
    for _ in range(ATTEMPTS + 3):
        deliveries_send(later)
    row = AlertDelivery.objects.get()
    assert (row.attempts, row.due_at, row.sent_at) == (ATTEMPTS, None, None)
    assert str(sentence_from_json(row.error)) == "127.0.0.1 answered with status 500"
    assert {headers["Idempotency-Key"] for _, headers, _ in receiver.got} == {row.key}
    assert len(receiver.got) == ATTEMPTS
    assert "T0P" not in caplog.text + row.error
    assert secret not in caplog.text


def test_a_message_whose_worker_was_killed_is_sent_by_another(receiver: Receiver) -> None:
    webhook(receiver)
    leaking("one")
    alerts_announce(timezone.now())
    claimed = {"attempts": 1, "due_at": timezone.now() + LAPSE}
    AlertDelivery.objects.update(**claimed)
    deliveries_send(timezone.now())
    assert not receiver.got
    deliveries_send(timezone.now() + 2 * LAPSE)
    assert len(receiver.got) == 1


def test_a_redirect_is_no_success_and_is_not_followed(receiver: Receiver) -> None:
    channel, _ = webhook(receiver)
    receiver.status = 302
    channel_test(channel=channel, author="me", at=timezone.now())
    deliveries_send(timezone.now())
    assert [path for path, _, _ in receiver.got] == ["/hook?token=T0P"]
    row = AlertDelivery.objects.get()
    assert (row.due_at, row.sent_at, "302" in row.error) == (None, None, True), "a test is not repeated"


def test_no_connection_goes_to_an_address_that_is_not_allowed(receiver: Receiver, settings: Any) -> None:
    channel, _ = webhook(receiver)
    settings.ALERT_HOSTS = ["localhost", "10.0.0.0/8"]
    channel_test(channel=channel, author="me", at=timezone.now())
    deliveries_send(timezone.now())
    assert not receiver.got
    assert "not allowed" in AlertDelivery.objects.get().error


def test_the_address_that_was_checked_is_the_one_that_is_connected_to(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that resolves elsewhere the second time (DNS rebinding) is resolved once."""
    channel, _ = webhook(receiver, target=receiver.url.replace("127.0.0.1", "rebinding.example"))
    resolutions: list[str] = []
    resolve = socket.getaddrinfo

    def resolved(host: Any, port: Any, *args: Any, **named: Any) -> Any:
        if host != "rebinding.example":
            return resolve(host, port, *args, **named)
        resolutions.append(host)
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1" if len(resolutions) == 1 else "10.9.9.9", port))
        ]

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    channel_test(channel=channel, author="me", at=timezone.now())
    deliveries_send(timezone.now())
    assert (len(receiver.got), len(resolutions)) == (1, 1)


def test_a_silence_delays_the_message_and_keeps_the_history(receiver: Receiver) -> None:
    webhook(receiver)
    at = timezone.now()
    whole = {"rule": None, "instance": "far", "key": "", "owner": "Ana", "reason": "x", "author": "me"}
    silence_begin(**whole, ends=at + timedelta(minutes=5), at=at)
    leaking("one", "two")
    leaking("two", minutes=1)
    assert Alert.objects.count() == 2
    assert alerts_announce(at + timedelta(minutes=1)) == 0
    assert alerts_announce(at + timedelta(minutes=6)) == 1
    (told,) = AlertDelivery.objects.get().content["alerts"]
    assert (told["alert"], told["event"]) == ("two leaks", "opened")
    leaking(minutes=7)
    assert alerts_announce(at + timedelta(minutes=7)) == 1
    assert AlertDelivery.objects.first().content["alerts"][0]["event"] == "closed"  # type: ignore[union-attr]  # there are two


def test_an_e_mail_says_it_in_one_sentence(settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example"
    named = {"kind": "email", "name": "Operators", "target": "a@b.example, c@d.example", "author": "me"}
    channel, secret = channel_create(**named, severity="error", at=timezone.now())
    assert secret == ""
    leaking("one")
    assert alerts_announce(timezone.now()) == 0, "a warning is below the severity of the channel"
    channel_test(channel=channel, author="me", at=timezone.now())
    deliveries_send(timezone.now())
    (sent,) = mail.outbox
    assert (sent.subject, sent.to) == ("BrokerUI: a test", ["a@b.example", "c@d.example"])
    assert sent.body == "A test of this channel by me. No alert is open because of it.\n"
    assert AlertDelivery.objects.get().key in sent.extra_headers["Message-ID"]


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"target": "https://elsewhere.example/"}, "url"),
        ({"target": "file:///etc/passwd"}, "url"),
        ({"name": " "}, "name"),
        ({"severity": "fatal"}, "severity"),
        ({"kind": "email", "target": "nobody"}, "target"),
    ],
)
def test_a_channel_that_could_not_work_is_refused(wrong: dict[str, str], where: str, settings: Any) -> None:
    settings.ALERT_HOSTS, settings.EMAIL_HOST = ["hooks.example"], "mail.example"
    given = {"kind": "webhook", "name": "a", "target": "https://hooks.example/", "severity": "error"} | wrong
    with pytest.raises(Invalid) as refused:
        channel_create(**given, author="me", at=timezone.now())
    assert refused.value.path == where
    assert not AlertChannel.objects.exists()


def test_a_channel_is_changed_by_the_user_who_has_seen_it_and_its_secret_is_in_no_column(receiver: Receiver) -> None:
    channel, secret = webhook(receiver)
    at = timezone.now()
    changed = channel_change(
        pk=channel.pk, severity="error", is_on=False, author="me", at=at, seen_at=channel.changed_at
    )
    with pytest.raises(AlertStaleError):
        channel_delete(pk=channel.pk, author="me", seen_at=channel.changed_at)
    stored = repr(AlertChannel.objects.values().get()) + repr(list(AuditEntry.objects.values_list("note")))
    assert secret not in stored
    assert "T0P" not in stored
    channel_delete(pk=channel.pk, author="me", seen_at=changed.changed_at)
    actions = list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))
    assert actions == ["alert_channel.create", "alert_channel.change", "alert_channel.delete"]


def test_a_secret_of_another_deployment_is_named(receiver: Receiver, settings: Any) -> None:
    channel, _ = webhook(receiver)
    settings.KEYS_SECRET = "another"
    channel_test(channel=channel, author="me", at=timezone.now())
    deliveries_send(timezone.now())
    assert "KEYS_SECRET" in AlertDelivery.objects.get().error
    assert not receiver.got
