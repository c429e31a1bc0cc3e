"""`brokerui endpoint`: the process that owns the sockets of the hosted instances. One for a product, not more."""

from __future__ import annotations

import argparse

from brokerui.core.languages import here
from brokerui.core.start import django_ready, loading
from routing.common.errors import Invalid


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def run(_options: argparse.Namespace) -> int:
    """Until SIGTERM or Ctrl-C; connections are closed then. 1 where its settings cannot be used."""
    django_ready()
    with loading():
        from brokerui.messaging.endpoint.command import serve
        from brokerui.running.condition_at_start import may_start
        from brokerui.running.messages import print_failure

    if not may_start():
        return 1
    try:
        serve()
    except Invalid as fault:
        print_failure(fault.render(here()))
        return 1
    return 0
