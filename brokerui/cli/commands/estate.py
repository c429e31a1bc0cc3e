"""`brokerui estate`: the versions of the live estate as documents; files into it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from brokerui.cli.arguments import (
    add_at,
    add_encoding,
    add_format,
    add_max_size,
    add_variables,
    described,
    one_from_standard_input,
)
from brokerui.cli.instance_files import InstanceFiles, instance_files
from brokerui.cli.product import the_product
from brokerui.core.languages import local
from routing.common.command_line import write_error
from routing.common.sentence import say, say_counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    _add_history(actions)
    _add_import(actions)


def _add_history(actions: Any) -> None:
    summary = say("export every version to a folder, as a document with its valid_from")
    history = actions.add_parser("history", allow_abbrev=False, **described(summary))
    history.set_defaults(act=_history)
    history.add_argument(
        "-o",
        metavar="DIR",
        dest="folder",
        type=Path,
        required=True,
        help=local(say("a new folder, or one with a history to update")),
    )


def _add_import(actions: Any) -> None:
    summary = say("import scripts, catalogs and documents into the live estate, as its next version")
    action = actions.add_parser("import", allow_abbrev=False, **described(summary))
    action.set_defaults(act=_import)
    action.add_argument(
        "sources",
        metavar="NAME[/DATABASE][@ADDRESS]=FILE[,FILE]|ESTATE",
        nargs="+",
        type=_source,
        help=local(say("scripts or catalogs of one instance, or an estate document; - for standard input")),
    )
    ways = action.add_mutually_exclusive_group()
    ways.add_argument("--replace", action="store_true", help=local(say("replace the whole estate")))
    help_text = local(say("replace the instances of the files (default where scripts make most of them)"))
    ways.add_argument("--instances", action="store_true", help=help_text)
    help_text = local(say("run scripts on the live estate (default where they change some objects)"))
    ways.add_argument("--into", action="store_true", help=help_text)
    action.add_argument("--dry-run", action="store_true", help=local(say("show what would change, and write nothing")))
    action.add_argument("--note", default="", help=local(say("note for the history of the estate")))
    author = os.environ.get("USER") or "brokerui"
    help_text = local(say("author for the history (default: {author})", author=author))
    action.add_argument("--author", default=author, help=help_text)
    add_variables(action)
    add_encoding(action)
    add_at(action)
    add_format(action)
    add_max_size(action)


def _source(text: str) -> InstanceFiles | str:
    """Read NAME=FILE, or the path of a document. A path with an `=` in it has to begin with `./`."""
    return instance_files(text) if "=" in text and not text.startswith((".", "/")) else text


def run(options: argparse.Namespace) -> int:
    """The estate of the product whose home is `BROKERUI_HOME`."""
    with the_product():
        status: int = options.act(options)
        return status


def _import(options: argparse.Namespace) -> int:
    from brokerui.cli.estate_import import import_run

    one_from_standard_input(*(file for each in options.sources for file in _files(each)))
    return import_run(options)


def _files(each: InstanceFiles | str) -> tuple[str, ...]:
    return (each,) if isinstance(each, str) else each.files


def _history(options: argparse.Namespace) -> int:
    from brokerui.estate.history import history_write

    count = history_write(options.folder)
    summary = say_counted(count, "{count} version in {folder}", "{count} versions in {folder}", folder=options.folder)
    write_error(f"{local(summary)}\n")
    return 0
