"""Parts of commands that work on the product of a home: Django, its database, and errors in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from brokerui.cli.standard_output import forget_output, is_taken_at_once, wait_until_taken, write_now
from brokerui.core.languages import local
from brokerui.core.start import django_ready
from routing.common.errors import InputError
from routing.common.sentence import Sentence, say


@contextmanager
def the_product() -> Iterator[None]:
    """The product whose home is `BROKERUI_HOME`. Raises `InputError` where its database cannot be used."""
    django_ready()
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
def once_written() -> Iterator[Callable[[str], object]]:
    """Commit what the command does once its answer is written, and hold no lock while nobody reads that answer.

    The body gives its answer to the function that it gets. The transaction begins when standard output takes a short
    answer at once, so that writing one inside of it does not wait; where it cannot be written, nothing is done. A long
    answer is written after the commit.
    """
    wait_until_taken()
    from django.db import transaction

    pieces: list[str] = []
    with transaction.atomic():
        yield pieces.append
        answer = "".join(pieces)
        if is_early := is_taken_at_once(answer):
            write_now(answer)
    if not is_early:
        _write_after(answer)


def _write_after(answer: str) -> None:
    """Write an answer whose command is committed. Raises `InputError`, which says so."""
    try:
        write_now(answer)
    except OSError as error:
        forget_output()
        problem = say("everything is done, but the answer cannot be written: {reason}", reason=error.strerror)
        raise InputError("-", "", problem) from None


def _problem(error: Exception) -> Sentence:
    """A home that the product was never started with is the most usual one."""
    from django.db import DatabaseError, connection

    with suppress(DatabaseError):
        if not connection.introspection.table_names():
            return say("is not prepared yet: start the product with this home once")
    return say("cannot be read or written: {reason}", reason=str(error))
