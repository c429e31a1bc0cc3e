"""Every thread finds the product's Celery application: those of the web server send tasks by name."""

from __future__ import annotations

from threading import Thread

from celery import current_app
from django.conf import settings


def test_a_new_thread_sends_to_the_broker_of_the_product() -> None:
    found: list[str] = []
    thread = Thread(target=lambda: found.append(current_app.conf.broker_url))
    thread.start()
    thread.join()
    assert found == [settings.CELERY_BROKER_URL]
