"""The site on a port for tests that share one window of a browser, which keeps files and connections beyond a test."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.servers.basehttp import ThreadedWSGIServer
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.test.testcases import LiveServerThread

ANSWERED_S = 20.0
KEPT_S = 3600
"""How long a browser keeps a static file, in seconds: nobody edits one while the tests run."""
AXE_PATH = "/static/axe.js"
"""The file that a page under test imports, beside those of the site."""


class RestingServer(ThreadedWSGIServer):
    """Closes its connections between two tests, once each request on them is answered."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.served: dict[threading.Thread, socket.socket] = {}

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        self.served[threading.current_thread()] = request
        try:
            super().process_request_thread(request, client_address)
        finally:
            del self.served[threading.current_thread()]

    def rest(self) -> None:
        """Close every connection for reading, which gives first the requests on it, and wait for the answers."""
        for thread, connection in list(self.served.items()):
            with suppress(OSError):  # the browser closed it
                connection.shutdown(socket.SHUT_RD)
            thread.join(ANSWERED_S)


class KeptFiles(StaticFilesHandler):
    """Serves static files that a browser asks for once in a run, and axe as one of them."""

    def serve(self, request: HttpRequest) -> HttpResponseBase:
        is_axe = request.path == AXE_PATH
        answer = HttpResponse(AXE_SCRIPT, content_type="text/javascript") if is_axe else super().serve(request)
        answer.headers["Cache-Control"] = f"max-age={KEPT_S}"
        return answer


class RestingThread(LiveServerThread):
    """Runs this server with these files in place of Django's."""

    server_class = RestingServer

    def __init__(self, host: str, static_handler: object, **options: Any) -> None:
        super().__init__(host, KeptFiles, **options)
