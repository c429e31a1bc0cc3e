"""The start of a program of the product."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

from routing.common.gc_control import gc_paused


@contextmanager
def loading() -> Iterator[None]:
    """Load modules without a search for garbage, which would be a tenth of the start and find none. Later searches
    leave the modules out too."""
    with gc_paused():
        yield
        gc.freeze()  # before the collector is on again, which would begin with all that was loaded


def django_ready() -> None:
    """Set up Django."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerui.settings")
    import django  # noqa: PLC0415 - most commands start without it
    from django.apps import apps  # noqa: PLC0415 - the same

    if apps.ready:
        return  # the program that runs the command has done it
    with loading():
        django.setup()
