"""The wake-up of the demo's application, every five seconds."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from brokerui.demo.clearing import clear
from brokerui.demo.playing import play
from brokerui.demo.selectors import demo_plays


@shared_task(name="brokerui.demo.tasks.demo_act")
def demo_act() -> None:
    """Play five seconds of cafe and bakery; where the demo was removed, delete its messages."""
    if settings.DEMO and demo_plays():
        play()
    else:
        clear()
