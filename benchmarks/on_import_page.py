"""Time of an import of the large estate, requests and work; see `import_page.py`."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client

from benchmarks.claims import claim, large_document
from brokerui.accounts.levels import Role
from brokerui.accounts.services import roles_ensure, user_create
from brokerui.analysis.imports.models import ImportRun, ImportState
from brokerui.core.jobs.kinds import MAINTENANCE
from brokerui.core.jobs.running import run_next
from brokerui.estate.cache import estates
from brokerui.estate.selectors import estate_current

SLOWEST: dict[str, float] = {}


def measure() -> bool:
    """Imports from nothing, then one that changes some routes; whether every claim is kept."""
    call_command("migrate", interactive=False, verbosity=0)
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    client, document = _editor(), large_document().read_bytes()
    client.get("/imports/")  # the first request of a process compiles the templates
    print(f"{connection.vendor}: a document of {len(document) / 1e6:.1f} MB")
    kept = [_import(client, document, "from nothing")]
    changed = document.replace(b'"address": "LOCAL"', b'"address": "TRANSPORT"', 500)
    kept.append(_import(client, changed, "500 routes changed"))
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    name, took = max(SLOWEST.items(), key=lambda each: each[1])
    return all([*kept, claim(f"the slowest request ({name})", took, 0.3, "s", "")])


def _editor() -> Client:
    roles_ensure()
    user = user_create(name="editor", password="correct horse battery staple", role=Role.EDITOR)
    client = Client()
    client.force_login(user, backend="brokerui.accounts.backend.Backend")
    return client


def _import(client: Client, document: bytes, what: str) -> bool:
    file = SimpleUploadedFile("large.json", document, content_type="application/json")
    _timed("upload", lambda: client.post("/imports/", {"files": [file]}))
    run = ImportRun.objects.latest("id")
    page = f"/imports/{run.pk}/"
    _timed("assign page", lambda: client.get(page))
    _timed("preview", lambda: client.post(f"{page}preview/", {"mode": "whole", "kind-0": "document"}))
    reading = _worked()
    _timed("preview page", lambda: client.get(page))
    _timed("changes.csv", lambda: client.get(f"{page}changes.csv"))
    _timed("apply", lambda: client.post(f"{page}apply/"))
    applying = _worked()
    _timed("applied page", lambda: client.get(page))
    _timed("start page", lambda: client.get("/imports/"))
    assert ImportRun.objects.get(pk=run.pk).state == ImportState.APPLIED
    return claim(
        f"import {what}", reading + applying, 60, "s", f"reading and preview {reading:.1f}, applying {applying:.1f}"
    )


def _worked() -> float:
    """As a worker of its own does it; what it leaves in memory the web has too."""
    estates.clear()
    began = time.perf_counter()
    assert run_next(MAINTENANCE)
    took = time.perf_counter() - began
    estate_current()
    return took


def _timed(name: str, request: Callable[[], Any]) -> None:
    began = time.perf_counter()
    response = request()
    took = time.perf_counter() - began
    assert response.status_code in (200, 302), response.content[:500]
    SLOWEST[name] = max(took, SLOWEST.get(name, 0))
    print(f"  {name}: {took * 1000:.0f} ms")
