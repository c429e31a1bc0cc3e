"""What fails the others must not fail itself: nothing of a wire that failed stays in the process."""

from __future__ import annotations

import gc
import socket

import pytest

from tests.acceptance.proxy import Proxy
from tests.brokerui.product import free_port


@pytest.mark.filterwarnings("error")
def test_ending_the_proxy_cuts_open_connections(caplog: pytest.LogCaptureFixture) -> None:
    """Connections that were just accepted are cut too, and those that are being opened to the other side."""
    with socket.create_server(("127.0.0.1", 0)) as behind:
        for count in range(0, 40, 8):
            proxy = Proxy(free_port(), behind.getsockname()[1], seed=count)
            callers = [socket.create_connection(("127.0.0.1", proxy.port)) for _ in range(count)]
            proxy.close()
            for caller in callers:
                caller.settimeout(10)
                assert _is_cut(caller)
                caller.close()
    del proxy
    gc.collect()
    assert not caplog.records


def _is_cut(caller: socket.socket) -> bool:
    try:
        return caller.recv(1) == b""
    except ConnectionResetError:
        return True
