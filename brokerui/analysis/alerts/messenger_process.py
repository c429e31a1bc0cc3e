"""Checks the URL of a messenger, or sends one message, with apprise: `python -m …messenger_process`.

One JSON object comes on standard input, so that no list of processes shows a token, and one leaves on standard output.
The library loads a hundred services; it resolves names and opens connections itself. So the process is short-lived, and
`messenger_guard.py` keeps it to the addresses that are allowed. It imports nothing of Django.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from typing import Any, Final

from brokerui.analysis.alerts.messenger_guard import NetworkGuard
from brokerui.core.sentence_json import sentence_as_json
from routing.common.sentence import Sentence, say

SERVICE_S: Final = 20.0
"""Seconds of one service, its own retries included."""


def main() -> int:
    """Answer one request: `{"service": NAME}` or `{"problem": SENTENCE}`."""
    request = json.load(sys.stdin)
    answer_to = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever a library prints
    guard = NetworkGuard(request["allowed"])
    answer = _answer(request, guard)
    answer_to.write(json.dumps(answer))
    answer_to.flush()
    return 0


def _answer(request: dict[str, Any], guard: NetworkGuard) -> dict[str, Any]:
    import apprise  # noqa: PLC0415 - only this process pays for it
    import requests  # noqa: PLC0415

    logging.disable(logging.CRITICAL)
    service = apprise.Apprise.instantiate(request["url"], asset=_asset(apprise), suppress_exceptions=True)
    if service is None:
        return _problem(say("is no URL of a messenger that apprise knows"))
    name = str(service.service_name)
    if request["act"] == "check":
        return {"service": name}
    seen = _watched(requests)
    guard.is_encrypted = _is_encrypted(service, request["url"])
    guard.install()
    try:
        is_sent = bool(service.notify(body=request["body"], title=request["title"]))
    except Exception:  # noqa: BLE001 - of any of a hundred services: its text may hold a token
        is_sent = False
    return {"service": name} if is_sent else _problem(guard.refusal or _why(seen, name))


def _asset(apprise: Any) -> Any:
    """Nothing is stored, no redirect is followed, no text is a template."""
    asset = apprise.AppriseAsset(app_id="BrokerUI", app_desc="BrokerUI", async_mode=False)
    asset.http_redirects = asset.pem_autogen = asset.pgp_autogen = False
    asset._service_timeout = SERVICE_S
    asset._AppriseAsset__storage_mode = apprise.PersistentStoreMode.MEMORY
    return asset


def _is_encrypted(service: Any, url: str) -> bool:
    """Whether the service is spoken to with TLS. A service that only has an encrypted form has no other schema."""
    mode = getattr(service, "secure_mode", None)
    if mode is not None:
        return str(mode) != "insecure"
    schemas = service.secure_protocol or ()
    secure = (schemas,) if isinstance(schemas, str) else tuple(schemas)
    return bool(service.secure) or (url.partition(":")[0].lower() in secure and not service.protocol)


def _watched(requests: Any) -> list[tuple[str, int, str]]:
    """Host, status and failure of each request: the library itself says only that it has failed."""
    seen: list[tuple[str, int, str]] = []
    send = requests.adapters.HTTPAdapter.send

    def watched(self: Any, request: Any, **options: Any) -> Any:
        host = str(requests.compat.urlparse(request.url).hostname)
        try:
            answer = send(self, request, **options)
        except Exception as error:
            seen.append((host, 0, type(error).__name__))
            raise
        seen.append((host, answer.status_code, ""))
        return answer

    requests.adapters.HTTPAdapter.send = watched
    return seen


def _why(seen: list[tuple[str, int, str]], service: str) -> Sentence:
    host, status, failure = seen[-1] if seen else ("", 0, "")
    if failure:
        return say("{host} cannot be reached: {reason}", host=host, reason=failure)
    if status:
        return say("{host} answered with status {status}", host=host, status=status)
    return say("{service} did not take it", service=service)


def _problem(problem: Sentence) -> dict[str, Any]:
    return {"problem": sentence_as_json(problem)}


if __name__ == "__main__":
    sys.exit(main())
