"""Clean-up of what ran out."""

from celery import shared_task

from brokerui.accounts.services import expired_delete
from brokerui.core.rate_counter import rate_counters_prune


@shared_task(name="brokerui.accounts.tasks.expired_clean")
def expired_clean() -> None:
    """Daily."""
    expired_delete()
    rate_counters_prune()
