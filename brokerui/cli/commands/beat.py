"""`brokerui beat`: the process that wakes workers when something is due. One for a product, not more."""

from __future__ import annotations

import argparse

from brokerui.core.start import django_ready


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def run(_options: argparse.Namespace) -> int:
    """Beat of Celery, until SIGTERM or Ctrl-C."""
    django_ready()
    from brokerui.celery import app
    from brokerui.running.condition_at_start import may_start

    if not may_start():
        return 1

    try:
        app.start(["--quiet", "beat", "--loglevel=warning"])
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 1
    return 0
