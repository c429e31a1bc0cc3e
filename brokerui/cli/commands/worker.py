"""`brokerui worker`: the process that does due work."""

from __future__ import annotations

import argparse
import logging
import warnings

from brokerui.core.languages import local
from brokerui.core.start import django_ready, loading
from routing.common.sentence import say

CONCURRENCY = 3
"""Processes of a worker. Under traffic, one transmits, one receives, and the third does all other tasks. Threads would
not help: the work is Python code, which one thread runs at a time."""
PIPELINE = "pipeline"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_text = local(say("how many tasks at a time (default: 3)"))
    parser.add_argument("--concurrency", metavar="N", type=int, default=CONCURRENCY, help=help_text)
    help_text = local(say("only these queues, by commas (default: all but pipeline)"))
    parser.add_argument("--queues", metavar="NAMES", default="", help=help_text)


def run(options: argparse.Namespace) -> int:
    """A worker of Celery, until SIGTERM or Ctrl-C; tasks under way are finished."""
    django_ready()
    with loading():
        from celery.platforms import SecurityWarning

        from brokerui.celery import app, load_tasks
        from brokerui.running.condition_at_start import may_start

    if not may_start():
        return 1
    with loading():
        load_tasks()

    # Celery warns root of tasks with pickled payload; BrokerUI's tasks have no payload.
    warnings.simplefilter("ignore", SecurityWarning)
    queues = options.queues or ",".join(name for name in app.amqp.queues if name != PIPELINE)
    # Rounds are one at a time, and this process only waits for theirs: it has no need of another one.
    pool = "solo" if queues == PIPELINE else "prefork"
    # Workers of one product need not know of each other; asking takes a second at the start.
    alone = {"without_mingle": True, "without_gossip": True}
    worker = app.Worker(
        pool=pool, concurrency=options.concurrency, queues=queues, quiet=True, loglevel=logging.WARNING, **alone
    )
    try:
        worker.start()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 1
    return worker.exitcode or 0
