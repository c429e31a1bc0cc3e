"""The schedule of beat in the database, where others may have entries of their own beside those of the settings."""

from __future__ import annotations

from typing import Final

from django_celery_beat.models import PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler

OURS: Final = "Of BrokerUI's settings: made anew at each start of beat, and gone when it is no longer there."
"""The description by which our entries are known."""


class Schedule(DatabaseScheduler):
    """Entries that the settings have no longer are gone at the next start; those that somebody else made stay."""

    def setup_schedule(self) -> None:
        """At the start of beat."""
        ours = self.app.conf.beat_schedule
        PeriodicTask.objects.filter(description=OURS).exclude(name__in=ours).delete()
        self.install_default_entries(self.schedule)
        self.update_from_dict({name: {**entry, "description": OURS} for name, entry in ours.items()})
