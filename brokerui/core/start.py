"""The start of a program of the product."""

from __future__ import annotations

import gc
import os

from routing.common.gc_control import gc_paused


def django_ready() -> None:
    """Set up Django without a search for garbage, which would be a tenth of the start and find none; what it has
    loaded is left out of later searches too."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerui.settings")
    import django  # noqa: PLC0415 - most commands start without it
    from django.apps import apps  # noqa: PLC0415 - the same

    if apps.ready:
        return  # the program that runs the command has done it
    with gc_paused():
        django.setup()
    gc.freeze()
