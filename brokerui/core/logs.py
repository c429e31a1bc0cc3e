"""Lines of the logs: for people, or with `LOG_FORMAT=json` an object each for programs. Neither tells a secret."""

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
"""The variable in which `brokerui up` tells a process what it is called."""
HIDDEN = "***"
SECRET_MIN_CHARS = 4
"""Letters of a secret that is looked for; shorter ones would be found in every word."""


class LineFormatter(logging.Formatter):
    """`MOMENT LEVEL LOGGER: MESSAGE`, and the traceback below it."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class JsonFormatter(logging.Formatter):
    """An object in one line: time, level, process, logger, message, and exception where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "process": os.environ.get(PROCESS) or record.processName,
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        if record.exc_info:
            told["exception"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(told, ensure_ascii=False)


def without_secrets(text: str) -> str:
    """Without the secrets of this installation, whoever has put them there."""
    for secret in _secrets():
        text = text.replace(secret, HIDDEN)
    return text


@cache
def _secrets() -> tuple[str, ...]:
    """The longest first: one may be a part of another."""
    passwords = [urlsplit(settings.REDIS_URL).password or "", str(settings.DATABASES["default"].get("PASSWORD") or "")]
    found = {settings.SECRET_KEY, settings.KEYS_SECRET, *passwords, *map(unquote, passwords)}
    return tuple(sorted((one for one in found if len(one) >= SECRET_MIN_CHARS), key=len, reverse=True))
