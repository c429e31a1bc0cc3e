"""Messengers (Slack, Teams, Discord, Telegram, ntfy, Matrix, mail and a hundred more) by the URL that apprise gives
them. The library runs in a process of its own (`messenger_process.py`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Final

from brokerui.analysis.alerts.errors import DeliveryError
from brokerui.core.sentence_json import sentence_from_json
from routing.common.errors import Invalid
from routing.common.sentence import say

PROGRAM: Final = (sys.executable, "-I", "-B", "-m", "brokerui.analysis.alerts.messenger_process")
TOTAL_S: Final = 40.0
"""Seconds until the process is killed: it needs a few for its start."""
MOST_URL: Final = 2_000
PASSED: Final = ("PATH", "LANG", "LC_ALL", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
"""The variables of the environment that it gets: no setting of the deployment, and no proxy."""


def messenger_check(url: str) -> str:
    """The name of the service of a URL. Nothing is connected to. Raises `Invalid`."""
    if len(url) > MOST_URL or not url.isprintable() or "://" not in url:
        raise Invalid("url", say("must be a URL of up to {count} characters, as slack://…", count=MOST_URL))
    answer = _answer({"act": "check", "url": url, "allowed": []})
    if "problem" in answer:
        raise Invalid("url", sentence_from_json(answer["problem"]))
    return str(answer["service"])


def messenger_send(*, url: str, title: str, body: str, allowed: Sequence[str]) -> None:
    """Send one message. Raises `DeliveryError`, whose sentence holds no URL and no token."""
    request = {"act": "send", "url": url, "title": title, "body": body, "allowed": list(allowed)}
    answer = _answer(request)
    if "problem" in answer:
        raise DeliveryError(sentence_from_json(answer["problem"]))


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    environment = {name: os.environ[name] for name in PASSED if name in os.environ}
    try:
        ended = subprocess.run(  # noqa: S603 - the program is fixed, and the URL goes to its standard input
            PROGRAM,
            input=json.dumps(request),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**environment, "HOME": "/nonexistent"},
            text=True,
            timeout=TOTAL_S,
            check=True,
        )
    except subprocess.TimeoutExpired:
        raise DeliveryError(say("the messenger did not answer within {n} s", n=round(TOTAL_S))) from None
    except (subprocess.CalledProcessError, OSError):
        raise DeliveryError(say("the process that sends to messengers has failed")) from None
    return dict(json.loads(ended.stdout))
