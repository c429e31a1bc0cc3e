"""Keeps the schedule of Celery beat in the database: the entries of the settings, and those of administrators."""

from __future__ import annotations

from typing import Final

from django_celery_beat.models import PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler

OURS: Final = "Of BrokerUI's settings: made anew at each start of beat, and gone when it is no longer there."
"""Description that marks the entries which come from the settings."""


class Schedule(DatabaseScheduler):
    """Removes at start the entries that the settings no longer have; entries of administrators stay."""

    def setup_schedule(self) -> None:
        """Load the schedule when beat starts."""
        ours = self.app.conf.beat_schedule
        PeriodicTask.objects.filter(description=OURS).exclude(name__in=ours).delete()
        self.install_default_entries(self.schedule)
        self.update_from_dict({name: {**entry, "description": OURS} for name, entry in ours.items()})
