"""Retry waiting conversations now, once an operator has mended the cause."""

from __future__ import annotations

from brokerui.messaging.broker_cache import check_database
from brokerui.messaging.verbs.transactions import unit_of_work
from routing.dialog.batch import ClaimRequest


def waiting_retry(*, instance: str, database: str, service: str) -> None:
    """Whatever a database has for a service, and waits, is due at once. A worker tries the messages that it
    holds now itself."""
    with unit_of_work(instance, ClaimRequest()) as (broker, work):
        check_database(broker, database)
        work.changes.retry_services.add((database, service))
