"""The Celery application. Tasks are wake-ups without payload: workers look in the database for due work."""

import os
import sys

from celery import Celery
from celery.signals import setup_logging, task_prerun

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerui.settings")
# Otherwise each worker and beat that starts loads all pages, to run Django's checks, and throws away what they find.
# `may_start` has run those that keep a process from starting.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("brokerui")
# Each thread has a current application of its own: those of the web server have to find this one, too.
app.set_default()
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# Otherwise Celery ends the connection to the database before and after each task, and a wake-up costs more than its
# work. Django knows how long a connection may live, and looks whether it still does.
app.conf["CELERY_DB_REUSE_MAX"] = sys.maxsize


def load_tasks() -> None:
    """Load the modules of all tasks, as the programs of Celery do at their start."""
    app.loader.import_default_modules()


@setup_logging.connect
def _keep_logs(**_signal: object) -> None:
    """Keep the logging of the settings: a listener to this signal stops Celery from setting up its own."""


@task_prerun.connect
def _look_after_connections(**_signal: object) -> None:
    from django.db import close_old_connections  # noqa: PLC0415 - after Django is set up

    close_old_connections()
