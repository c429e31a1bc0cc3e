"""Prepares the home: translations, database, static files, the demo, the first user. Quick when nothing changed."""

from __future__ import annotations

import hashlib
import io
import os
from typing import NamedTuple

from brokerui.core.start import django_ready, loading

ADMIN_PASSWORD_VARIABLE = "BROKERUI_ADMIN_PASSWORD"  # noqa: S105 - the name of a variable


class Prepared(NamedTuple):
    """The messages to print once the home is ready."""

    login: tuple[str, str] | None
    """Name and password of the first user, if it was made now; the password is empty if it was given."""
    conditions: tuple[str, ...]
    """Warnings about database, keys, Redis and volumes, a line each."""


def prepare() -> Prepared:
    """Prepare it. Raises `RefusedConditionError` where the product must not run, and then has written nothing."""
    from brokerui.core.catalogues import compile_stale  # noqa: PLC0415 - before the settings ask which are ready

    compile_stale()
    django_ready()
    from django.core.management import call_command  # noqa: PLC0415 - Django reads its settings only now
    from django.db import connections  # noqa: PLC0415 - Django reads its settings only now

    from brokerui.core.conditions import conditions_to_run_in  # noqa: PLC0415 - Django reads its settings only now
    from brokerui.running.condition_at_start import note_reported  # noqa: PLC0415 - Django reads its settings only now

    with loading():  # the check of the addresses loads all pages
        call_command("check", stdout=io.StringIO(), stderr=io.StringIO())
    conditions_to_run_in()
    call_command("migrate", interactive=False, verbosity=0)
    _collect_files()
    _load_demo()
    found = conditions_to_run_in()
    note_reported(found)
    prepared = Prepared(_first_login(), tuple(one.text for one in found))
    # A connection must not be shared with the processes that are forked from this one.
    connections.close_all()
    return prepared


def _first_login() -> tuple[str, str] | None:
    from brokerui.accounts.services import first_login  # noqa: PLC0415 - Django reads its settings only now

    given = os.environ.pop(ADMIN_PASSWORD_VARIABLE, "")
    login = first_login(given)
    return (login[0], "") if login and given else login


def _load_demo() -> None:
    from django.conf import settings  # noqa: PLC0415 - Django reads its settings only now

    from brokerui.demo.services import demo_load  # noqa: PLC0415 - Django reads its settings only now

    if settings.DEMO:
        demo_load()


def _collect_files() -> None:
    """Collect and fingerprint the front end's files, unless they are the ones collected last time."""
    from django.conf import settings  # noqa: PLC0415 - Django reads its settings only now
    from django.core.management import call_command  # noqa: PLC0415 - Django reads its settings only now

    stamp = settings.STATIC_ROOT / ".stamp"
    wanted = _files_stamp()
    if stamp.exists() and stamp.read_text(encoding="ascii") == wanted:
        return
    call_command("collectstatic", interactive=False, verbosity=0, clear=True)
    stamp.write_text(wanted, encoding="ascii")


def _files_stamp() -> str:
    """A hash of every file's place, size and time of change."""
    from django.contrib.staticfiles.finders import get_finders  # noqa: PLC0415 - Django reads its settings only now

    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            state = os.stat(storage.path(path))  # noqa: PTH116 - a path of the storage's, as text
            digest.update(f"{path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return digest.hexdigest()
