"""The Celery application. Tasks are wake-ups without payload: what is to be done stands in the database."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerui.settings")

app = Celery("brokerui")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
