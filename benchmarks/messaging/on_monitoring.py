"""Time of the pages about messages at work on one database; see `monitoring.py`."""

from __future__ import annotations

import time

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client

from benchmarks.claims import claim
from brokerui.accounts.levels import Role
from brokerui.accounts.services import roles_ensure, user_create
from brokerui.analysis.monitoring import waiting
from brokerui.core.deferred import is_deferred_work_running
from brokerui.estate.models import Instance
from brokerui.estate.services import estate_import
from brokerui.eventlog.models import MINUTE, Sampled
from brokerui.eventlog.samples import OfSample
from brokerui.messaging.clock import now
from brokerui.messaging.models import ConversationEndpoint, HostedInstance, OutgoingMessage
from routing.model.address import parse_address
from routing.model.catalog_objects import Queue, Service
from routing.model.estate import Database, Estate
from routing.model.estate import Instance as Hosted

CONVERSATIONS, MESSAGES = 100_000, 10
"""Messages of each conversation."""
DATABASES, SERVICES = 20, 25
GUID = "substr('00000000-0000-4000-8000-000000000000', 1, 36 - length(CAST(i AS text))) || CAST(i AS text)"
"""Of a number, on any database."""
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {} - 1) SELECT {} FROM n"
PAGES = (
    "/delayed/",
    "/delayed/?span=24h",
    "/delayed/?instance=big&database=d0&service=s0&cause=9793",
    "/queues/",
    "/queues/?span=24h",
    "/queues/?instance=big&database=d19",
    "/mirrors/",
    "/connections/",
    "/delayed/delayed.csv",
)
LONGEST = 0.3


def measure() -> bool:
    """On the database of the environment, which is empty; whether every claim is kept."""
    call_command("migrate", interactive=False, verbosity=0)
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    _host()
    _fill()
    _sample()
    print(f"{connection.vendor}: {ConversationEndpoint.objects.count():,} conversations,", end=" ")
    print(f"{OutgoingMessage.objects.count():,} messages, {Sampled.objects.count():,} samples")
    client = _operator()
    kept = [_page(client, path) for path in PAGES]
    return all(kept)


def _operator() -> Client:
    roles_ensure()
    user = user_create(name="operator", password="correct horse battery staple", role=Role.OPERATOR)
    client = Client()
    client.force_login(user, backend="brokerui.accounts.backend.Backend")
    client.get("/account/tokens/")  # the first request of a process compiles what all pages share
    return client


def _page(client: Client, path: str) -> bool:
    """Request a page several times: first without a count, then with the last count, which is renewed beside it."""
    waiting.forget()
    slowest, status = 0.0, 0
    for _ in range(8):
        began = time.perf_counter()
        status = client.get(path).status_code
        slowest = max(slowest, time.perf_counter() - began)
        while status in (202, 503) and is_deferred_work_running():
            time.sleep(0.05)
    return claim(path, slowest * 1e3, LONGEST * 1e3, "ms", f"the slowest of 8, the last with status {status}")


def _host() -> None:
    databases = {
        f"d{number}": Database(f"d{number}", services=(Service("s", "q"),), queues=(Queue("q"),))
        for number in range(DATABASES)
    }
    hosted = Hosted("big", databases, (parse_address("tcp://127.0.0.1:7001"),))
    estate_import(estate=Estate({"big": hosted}), author="benchmark")
    Instance.objects.update(hosted=True)
    HostedInstance.objects.create(name="big")


def _fill() -> None:
    number = HostedInstance.objects.get().id
    later = now() + 3_600_000
    endpoint = {
        **dict.fromkeys(("conversation_handle", "conversation_id", "conversation_group_id"), GUID),
        "instance_id": str(number),
        "is_initiator": "true",
        "database": f"'d' || CAST(i % {DATABASES} AS text)",
        "service_name": "'s'",
        "queue": "'q'",
        "far_service": f"'s' || CAST(i % {SERVICES} AS text)",
        "service_contract_name": "'DEFAULT'",
        "lifetime": str(2**40),
        "state": "'CO'",
        "priority": "5",
        "encryption": "false",
        "outgoing": str(MESSAGES),
        "send_sequence": str(MESSAGES),
        "transmission_status": "CASE WHEN i % 3 = 0 THEN 9796 WHEN i % 3 = 1 THEN 9793 ELSE 9727 END",
        "attempts": "3",
        "next_attempt": str(later),
        "due": str(later),
        "key_id": r"CAST('\x00' AS bytea)" if connection.vendor == "postgresql" else "x'00'",
        **dict.fromkeys(
            (
                *("transmitted", "acknowledged_sequence", "sending_sequence", "receive_sequence", "held"),
                *("held_bytes", "integrity", "fragment_bytes"),
            ),
            "0",
        ),
    }
    _insert("conversation_endpoints", CONVERSATIONS, endpoint)
    message = {
        "conversation_handle": GUID.replace("CAST(i", f"CAST((i / {MESSAGES})"),
        "message_sequence_number": f"i % {MESSAGES}",
        "instance_id": str(number),
        "message_type_name": "'DEFAULT'",
        "enqueue_time": str(now()),
        "is_end_of_dialog": "false",
        "is_conversation_error": "false",
    }
    _insert("transmission_queue", CONVERSATIONS * MESSAGES, message)


def _insert(table: str, rows: int, columns: dict[str, str]) -> None:
    select = NUMBERS.format(rows, ", ".join(columns.values()))
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} ({', '.join(columns)}) {select}")
        if connection.vendor == "postgresql":
            cursor.execute(f"ANALYZE {table}")


def _sample() -> None:
    """A day of minutes, of every database and every cause in it."""
    last = now() - now() % 60_000
    for back in range(1440):
        at = last - back * 60_000
        depths = [_sampled(at, OfSample.TRANSMISSION_QUEUE, f"d{number}", 0) for number in range(DATABASES)]
        causes = [
            _sampled(at, OfSample.WAITING_CONVERSATIONS, f"d{number}", error)
            for number in range(DATABASES)
            for error in (9727, 9793, 9796)
        ]
        Sampled.objects.bulk_create(depths + causes)


def _sampled(at: int, kind: OfSample, database: str, error: int) -> Sampled:
    what = {"instance": "big", "database": database, "name": "", "error": error}
    return Sampled(seconds=MINUTE, at=at, kind=int(kind), **what, depth=at % 997, oldest_age_ms=at % 997, role="")
