"""What commands share that work on the product of a home: Django, its database, and errors said in one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from brokerui.cli.standard_output import need_output
from brokerui.core.languages import local
from routing.common.errors import InputError
from routing.common.sentence import Sentence, say


@contextmanager
def the_product() -> Iterator[None]:
    """The product whose home is `BROKERUI_HOME`. Raises `InputError` where its database cannot be used."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerui.settings")
    import django

    django.setup()
    from django.db import DatabaseError

    from brokerui.core.migration_state import newer_migrations

    try:
        if newer := newer_migrations():
            names = ", ".join(newer)
            raise InputError(local(say("the database")), "", say("newer code has migrated it: {names}", names=names))
        yield
    except DatabaseError as error:
        raise InputError(local(say("the database")), "", _problem(error)) from None


@contextmanager
def once_written() -> Iterator[None]:
    """Commit what the command does once its answer is written: where the answer cannot be, nothing is done.

    For answers of a few lines: a reader that waits would keep the transaction open.
    """
    need_output()
    from django.db import transaction

    with transaction.atomic():
        yield
        sys.stdout.flush()


def _problem(error: Exception) -> Sentence:
    """A home that the product was never started with is the most usual one."""
    from django.db import DatabaseError, connection

    with suppress(DatabaseError):
        if not connection.introspection.table_names():
            return say("is not prepared yet: start the product with this home once")
    return say("cannot be read or written: {reason}", reason=str(error))
