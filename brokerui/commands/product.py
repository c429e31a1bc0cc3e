"""What commands share that work on the product of a home: Django, its database, and errors said in one line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from brokerui.languages import local
from routing.errors import InputError
from routing.sentence import say


@contextmanager
def the_product() -> Iterator[None]:
    """The product whose home is `BROKERUI_HOME`. Raises `InputError` where its database cannot be used."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerui.settings")
    import django

    django.setup()
    from django.db import DatabaseError

    try:
        yield
    except DatabaseError as error:
        problem = say("cannot be read or written: {reason}", reason=str(error))
        raise InputError(local(say("the database")), "", problem) from None
