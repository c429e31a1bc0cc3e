"""Formats log records: lines for people, or with `LOG_FORMAT=json` one object each. Neither contains a secret."""

from __future__ import annotations

import json
import logging
import os
from datetime import UTC, datetime
from functools import cache
from urllib.parse import unquote, urlsplit

from django.conf import settings

LINE, JSON = "line", "json"
FORMATS = (LINE, JSON)
PROCESS = "BROKERUI_PROCESS"
"""Environment variable in which `brokerui up` names each process."""
HIDDEN = "***"
SECRET_MIN_CHARS = 4
"""Shortest secret that is replaced, in characters; a shorter one would occur in ordinary words."""


class LineFormatter(logging.Formatter):
    """`MOMENT LEVEL LOGGER: MESSAGE`, and the traceback below it."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class JsonFormatter(logging.Formatter):
    """An object in one line: time, level, process, logger, message, and exception where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "process": os.environ.get(PROCESS) or record.processName,
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        if record.exc_info:
            fields["exception"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(fields, ensure_ascii=False)


def without_secrets(text: str) -> str:
    """Replace every secret of this installation in the text."""
    for secret in _secrets():
        text = text.replace(secret, HIDDEN)
    return text


@cache
def _secrets() -> tuple[str, ...]:
    """Longest first: one may be a part of another."""
    passwords = [urlsplit(settings.REDIS_URL).password or "", str(settings.DATABASES["default"].get("PASSWORD") or "")]
    found = {settings.SECRET_KEY, settings.KEYS_SECRET, *passwords, *map(unquote, passwords)}
    return tuple(sorted((one for one in found if len(one) >= SECRET_MIN_CHARS), key=len, reverse=True))
