"""Refuses requests while the database is one that newer code has migrated: this code would read and write it wrongly.

`brokerui up` refuses at its start; a server that loads `brokerui.wsgi` by itself does not, and newer code may migrate
the database while this process runs.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from brokerui.core.errors import error_page
from brokerui.core.migration_state import newer_migrations
from brokerui.core.refusals import log_refusal

EVERY_S: float | None = 5.0
"""Seconds between two looks at the migrations of the database; None: no look at all."""
ALLOWED = frozenset(("/healthz", "/readyz"))
"""Addresses for monitoring, which report faults in their own way."""
CODE = "newer_database"

logger = logging.getLogger(__name__)
Handler = Callable[[HttpRequest], HttpResponse]


class NewerDatabaseMiddleware:
    """Answers 503 with the names of the migrations that this code does not know."""

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response
        self._due_at = 0.0
        """When to look again, by the monotonic clock."""
        self._newer: tuple[str, ...] = ()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info in ALLOWED or not self._newer_now():
            return self._get_response(request)
        return _refuse(request, ", ".join(self._newer))

    def _newer_now(self) -> tuple[str, ...]:
        if EVERY_S is not None and time.monotonic() >= self._due_at:
            self._due_at = time.monotonic() + EVERY_S
            try:
                self._newer = newer_migrations()
            except DatabaseError:
                logger.warning("the migrations of the database cannot be read", exc_info=True)
        return self._newer


def _refuse(request: HttpRequest, names: str) -> HttpResponse:
    log_refusal(request, 503, f"newer code has migrated the database: this code does not know {names}")
    text = _(
        "Newer code has migrated the database: this code does not know %(names)s. Nothing was read or written. "
        "Run the newer code again, or restore a backup from before it."
    )
    title = _("The database belongs to a newer version")
    return error_page(request, status=503, title=title, text=text % {"names": names}, code=CODE)
