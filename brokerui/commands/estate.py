"""`brokerui estate history`: the versions of the live estate as documents."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from brokerui.commands.arguments import described
from brokerui.languages import local
from routing.errors import InputError
from routing.sentence import say, say_counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    summary = say("every version as a document with its valid_from, in a folder")
    history = actions.add_parser("history", allow_abbrev=False, **described(summary))
    history.add_argument(
        "-o",
        metavar="DIR",
        dest="folder",
        type=Path,
        required=True,
        help=local(say("a new folder, or one with a history to update")),
    )


def run(options: argparse.Namespace) -> int:
    """The estate of the product whose home is `BROKERUI_HOME`."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerui.settings")
    import django  # noqa: PLC0415 - Django, which pure commands do without

    django.setup()
    from django.db import DatabaseError  # noqa: PLC0415

    from brokerui.estate.history import history_write  # noqa: PLC0415

    try:
        count = history_write(options.folder)
    except DatabaseError as error:
        raise InputError(local(say("the database")), "", say("cannot be read: {reason}", reason=str(error))) from None
    said = say_counted(count, "{count} version in {folder}", "{count} versions in {folder}", folder=options.folder)
    sys.stderr.write(f"{local(said)}\n")
    return 0
