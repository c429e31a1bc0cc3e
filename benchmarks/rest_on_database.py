"""Time of requests to the REST interface on one database; see `rest.py`."""

from __future__ import annotations

import json
import statistics
import time
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from rest_framework.settings import api_settings

from benchmarks.claims import claim, large_document
from brokerui.accounts.levels import Role
from brokerui.accounts.services import user_create
from brokerui.core.jobs.kinds import MAINTENANCE
from brokerui.core.jobs.running import run_next
from brokerui.estate.services import estate_import
from routing.documents.estate_document import read_estate

API = "/api/v1"
TIMES = 7
LISTS = (
    "routes/",
    "routes/?limit=1000",
    "routes/?ordering=-lifetime",
    "routes/?service=//company.example/app1/Service00001",
    "routes/?expires_before=2021-01-01T00:00:00Z",
    "instances/",
    "databases/",
    "services/?ordering=name",
    "queues/",
    "sys/routes/",
    "sys/services/",
    "versions/",
)
QUESTION = {"conversation": {"from": {"outside": "srv0001"}, "to_service": "//company.example/app1/Service00001"}}


def measure() -> bool:
    """On the database of the environment, which is empty; whether every claim is kept."""
    call_command("migrate", interactive=False, verbosity=0)
    settings.ALLOWED_HOSTS = ["testserver"]
    api_settings.DEFAULT_THROTTLE_RATES = {"anon": None, "user": None}
    # Wake-ups are not measured, and no worker is there to take them.
    settings.CELERY_BROKER_URL = "memory://"
    estate_import(estate=read_estate(large_document().read_bytes()), author="benchmark")
    client = Client()
    client.force_login(
        user_create(name="benchmark", password="benchmark", role=Role.EDITOR),
        backend="brokerui.accounts.backend.Backend",
    )
    print(f"{connection.vendor}: 1,000 instances, 5,000 databases, 50,000 routes")
    return all(
        [
            *(_reads(client, path) for path in LISTS),
            _second_page(client),
            _asks(client),
            _writes(client),
            _sends(client),
        ]
    )


def _reads(client: Client, path: str) -> bool:
    return _claim(f"GET {path}", [_took(client, "GET", path) for _ in range(TIMES)])


def _second_page(client: Client) -> bool:
    path = client.get(f"{API}/routes/").json()["next"].partition(f"{API}/")[2]
    return _claim("GET the second page of routes/", [_took(client, "GET", path) for _ in range(TIMES)])


def _asks(client: Client) -> bool:
    return _claim("POST whatif/", [_took(client, "POST", "whatif/", QUESTION) for _ in range(TIMES)])


def _writes(client: Client) -> bool:
    row = client.get(f"{API}/routes/?limit=1").json()["results"][0]
    path = f"routes/{row['id']}/"
    took = [_took(client, "PATCH", path, {"address": f"tcp://n{number}"}, if_match="*") for number in range(TIMES)]
    return _claim("PATCH routes/ID/", took)


def _sends(client: Client) -> bool:
    """The whole estate with some routes changed: kept at once, and applied by a worker."""
    document = large_document().read_bytes().replace(b'"address": "LOCAL"', b'"address": "TRANSPORT"', 500)
    began = time.perf_counter()
    sent = client.generic("POST", f"{API}/estate/import/", document, content_type="application/json")
    took = time.perf_counter() - began
    assert sent.status_code == 202, sent.content
    began = time.perf_counter()
    assert run_next(MAINTENANCE)
    print(f"a worker takes {time.perf_counter() - began:.1f} s for it")
    path = sent.headers["Location"].partition(f"{API}/")[2]
    assert client.get(f"{API}/{path}").json()["result"]["changes"]["changed"] == 500
    seconds = [_took(client, "GET", path) for _ in range(TIMES)]
    return all([_claim("POST estate/import/ of the whole", [took]), _claim("GET estate/import/runs/NUMBER/", seconds)])


def _took(client: Client, method: str, path: str, body: Any = None, **headers: str) -> float:
    """Seconds by the clock: a server works in other processes."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    began = time.perf_counter()
    kind = "application/json"
    data = b"" if body is None else json.dumps(body).encode()
    response = client.generic(method, f"{API}/{path}", data, content_type=kind, headers=names)
    took = time.perf_counter() - began
    assert response.status_code == 200, response.content
    return took


def _claim(what: str, took: list[float]) -> bool:
    return claim(f"{what}, median", statistics.median(took) * 1e3, 300, "ms")
