"""What beat has in the database: the entries of the settings and no former ones of them; those of others stay."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from celery import Celery
from celery.beat import Service
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.module_loading import import_string
from django.utils.timezone import now
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from brokerui.core.beat import LOOK_S, QuietlyEndingBeat, Schedule

pytestmark = pytest.mark.django_db
WAKES = {"task": "brokerui.core.tasks.pulse", "schedule": timedelta(seconds=7)}


def started(**schedule: Any) -> Schedule:
    """Beat with this schedule in its settings."""
    app = Celery("one", broker="memory://", set_as_current=False)
    app.conf.beat_schedule = schedule
    beat = Schedule(app=app)
    beat._finalize.cancel()  # it would write at the end of the process
    return beat


def names() -> set[str]:
    return set(PeriodicTask.objects.exclude(name="celery.backend_cleanup").values_list("name", flat=True))


def test_an_entry_that_the_settings_have_no_longer_is_gone_at_the_next_start() -> None:
    started(one=WAKES, two=WAKES)
    assert names() == {"one", "two"}
    beat = started(two=WAKES)
    assert names() == {"two"}
    assert set(beat.schedule) - {"celery.backend_cleanup"} == {"two"}


def test_an_entry_of_somebody_else_stays_also_one_of_a_task_of_ours() -> None:
    started(one=WAKES)
    often = IntervalSchedule.objects.get()
    PeriodicTask.objects.create(name="mine", task=WAKES["task"], interval=often, description="My own.")
    PeriodicTask.objects.create(name="another", task="shop.tasks.count", interval=often)
    beat = started()
    assert names() == {"mine", "another"}
    assert {"mine", "another"} <= set(beat.schedule)


def test_one_that_stays_keeps_how_often_it_ran() -> None:
    started(one=WAKES)
    PeriodicTask.objects.filter(name="one").update(total_run_count=5)
    started(one=WAKES)
    assert PeriodicTask.objects.get(name="one").total_run_count == 5


def test_beat_of_the_product_is_this_one() -> None:
    module, _, name = settings.CELERY_BEAT_SCHEDULER.partition(":")
    assert import_string(f"{module}.{name}") is Schedule


def test_entries_of_one_short_interval_do_not_run_in_the_same_moment() -> None:
    """A long one goes on where it was, however often beat is started."""
    long = {**WAKES, "schedule": timedelta(hours=1)}
    schedule = {**dict.fromkeys(("a", "b", "c", "d"), WAKES), "first": long, "second": long}
    started(**schedule)
    before = now() - timedelta(minutes=59)
    PeriodicTask.objects.update(last_run_at=before)
    beat = started(**schedule)
    ran = sorted(beat.schedule[name].last_run_at for name in ("a", "b", "c", "d"))
    assert [(later - earlier).total_seconds() for earlier, later in pairwise(ran)] == [7 / 4] * 3
    assert (
        list(PeriodicTask.objects.filter(name__in="abcd").order_by("last_run_at").values_list("last_run_at", flat=True))
        == ran
    )
    assert [beat.schedule[name].last_run_at for name in ("first", "second")] == [before] * 2


def test_beat_looks_for_changes_once_in_a_while_and_finds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    beat, at = started(one=WAKES), time.monotonic() + LOOK_S
    monkeypatch.setattr("brokerui.core.beat.time.monotonic", lambda: at)
    assert "mine" not in beat.schedule
    PeriodicTask.objects.create(name="mine", task=WAKES["task"], interval=IntervalSchedule.objects.get())
    with CaptureQueriesContext(connection) as queries:
        assert "mine" not in beat.schedule
    assert len(queries) == 0
    at += LOOK_S
    assert "mine" in beat.schedule


def test_beat_sleeps_until_an_entry_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not ask again and again in the last moment before: that took a fiftieth of a processor."""
    beat, runs, looks = started(one={**WAKES, "schedule": timedelta(seconds=1)}), list[float](), 0
    monkeypatch.setattr(beat, "apply_entry", lambda *_entry, **_options: runs.append(time.monotonic()))
    while len(runs) < 3 and looks < 30:
        time.sleep(min(max(beat.tick(), 0), 1))  # as Celery's service sleeps between two looks
        looks += 1
    assert len(runs) == 3
    assert looks <= 3 * len(runs)
    assert min(later - earlier for earlier, later in pairwise(runs)) >= 0.99


@pytest.fixture
def handlers() -> Iterator[None]:
    """The handlers of signals are those of before, after the test."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_the_schedule_is_read_ends_beat(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[Schedule]()

    def interrupted(schedule: Schedule) -> None:
        read.append(schedule)
        os.kill(os.getpid(), number)

    monkeypatch.setattr(Schedule, "setup_schedule", interrupted)
    app = Celery("one", set_as_current=False)
    service = Service(app=app, scheduler_cls=Schedule)
    QuietlyEndingBeat(app=app, quiet=True).install_sync_handler(service)
    with pytest.raises(SystemExit):
        service.start()
    assert len(read) == 1


@pytest.mark.usefixtures("handlers")
def test_a_signal_while_beat_works_saves_the_schedule_once(monkeypatch: pytest.MonkeyPatch) -> None:
    saved = list[Schedule]()

    def close(schedule: Schedule) -> None:
        saved.append(schedule)

    monkeypatch.setattr(Schedule, "tick", lambda _schedule: os.kill(os.getpid(), signal.SIGTERM))
    monkeypatch.setattr(Schedule, "close", close)
    app = Celery("one", set_as_current=False)
    app.conf.beat_schedule = {"one": WAKES}
    service = Service(app=app, scheduler_cls=Schedule)
    QuietlyEndingBeat(app=app, quiet=True).install_sync_handler(service)
    service.start()
    service.scheduler._finalize.cancel()  # it would write at the end of the process
    assert saved == [service.scheduler]
