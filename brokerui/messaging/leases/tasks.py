"""Wake-ups."""

from __future__ import annotations

from celery import shared_task

from brokerui.messaging.leases.answers import answers_forget
from brokerui.messaging.leases.services import leases_forget, leases_lapse
from brokerui.messaging.leases.uses import uses_tell


@shared_task(name="brokerui.messaging.leases.tasks.leases_end")
def leases_end() -> None:
    """End leases whose time is over, so that they count as rollbacks; others receive their messages anyway."""
    leases_lapse()


@shared_task(name="brokerui.messaging.leases.tasks.leases_clean")
def leases_clean() -> None:
    """Write usage counts to the audit, and delete stored responses that have expired."""
    uses_tell()
    leases_forget()
    answers_forget()
