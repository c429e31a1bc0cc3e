"""Clean-up of what ran out."""

from celery import shared_task

from brokerui.accounts.services import expired_delete
from brokerui.core.counts import counts_prune


@shared_task(name="brokerui.accounts.tasks.expired_clean")
def expired_clean() -> None:
    """Daily."""
    expired_delete()
    counts_prune()
