"""Keeps the schedule of Celery beat in the database: the entries of the settings, and those of administrators."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from celery import platforms
from celery.apps.beat import Beat
from celery.beat import Service
from django.utils.timezone import now
from django_celery_beat.models import PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler

OURS: Final = "Of BrokerUI's settings: made anew at each start of beat, and gone when it is no longer there."
"""Description that marks the entries which come from the settings."""
LOOK_S: Final = 1.0
"""Seconds between two looks for changes of the schedule: beat asks several times for each task that it sends."""
SHORT: Final = timedelta(minutes=1)


class QuietlyEndingBeat(Beat):
    """Ends at a signal also while it reads its schedule: Celery's reads the schedule once more in the handler of the
    signal, on a connection that the first reading is using."""

    def install_sync_handler(self, service: Service) -> None:
        """Have SIGTERM and SIGINT end the service, which saves the schedule at its end."""

        def end(*_signal: object) -> None:
            raise SystemExit

        platforms.signals.update(SIGTERM=end, SIGINT=end)


class Schedule(DatabaseScheduler):
    """Removes at start the entries that the settings no longer have; entries of administrators stay."""

    _look_at = 0.0
    """When changes are looked for next, by the monotonic clock."""

    def setup_schedule(self) -> None:
        """Load the schedule when beat starts."""
        ours = self.app.conf.beat_schedule
        PeriodicTask.objects.filter(description=OURS).exclude(name__in=ours).delete()
        self.install_default_entries(self.schedule)
        self.update_from_dict({name: {**entry, "description": OURS} for name, entry in ours.items()})
        self._spread(ours)

    def schedule_changed(self) -> bool:
        """Return whether an administrator has changed entries, at most once in `LOOK_S`; False in between."""
        at = time.monotonic()
        if at < self._look_at:
            return False
        self._look_at = at + LOOK_S
        return bool(super().schedule_changed())

    def adjust(self, n: float, drift: float = 0.0) -> float:
        """Return the seconds until an entry is due, to the end: Celery wakes 10 ms early, and spins until then."""
        seconds: float = super().adjust(n, drift)
        return seconds

    def _spread(self, ours: Mapping[str, Mapping[str, Any]]) -> None:
        """Spread the next runs of entries that have the same short interval over it: else all of them run in the same
        moment, and messages wait for the processors. A long interval goes on where it was before beat started."""
        short: dict[timedelta, list[str]] = {}
        for name, entry in ours.items():
            if isinstance(entry["schedule"], timedelta) and entry["schedule"] < SHORT:
                short.setdefault(entry["schedule"], []).append(name)
        started = now()
        for interval, names in short.items():
            for place, name in enumerate(names if len(names) > 1 else (), 1):
                at = started - interval * place / len(names)
                PeriodicTask.objects.filter(name=name).update(last_run_at=at)
                if name in self.schedule:  # an administrator may have switched it off
                    self.schedule[name].last_run_at = self.schedule[name].model.last_run_at = at
