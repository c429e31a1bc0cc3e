"""`brokerui beat`: the process that wakes workers when something is due. One for a product, not more."""

from __future__ import annotations

import argparse
import logging

from brokerui.core.start import django_ready, loading


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def run(_options: argparse.Namespace) -> int:
    """Beat of Celery, until SIGTERM or Ctrl-C."""
    django_ready()
    with loading():
        from brokerui.celery import app, load_tasks
        from brokerui.core.beat import QuietlyEndingBeat
        from brokerui.running.condition_at_start import may_start

    if not may_start():
        return 1
    with loading():
        load_tasks()

    try:
        QuietlyEndingBeat(app=app, quiet=True, loglevel=logging.WARNING).run()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 1
    return 0
