"""`brokerui keys`: the key pairs of dialog security. A private key is never printed."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from brokerui.cli.arguments import described
from brokerui.cli.inputs import load_bytes
from brokerui.cli.messaging import HOST_DB, place, verb
from brokerui.cli.product import once_written
from brokerui.core.languages import local
from routing.common.errors import InputError, Invalid
from routing.common.sentence import Sentence, say

PASSPHRASE = "BROKERUI_PASSPHRASE"  # noqa: S105 - the name of a variable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    make = _action(actions, "make", say("a new key pair for a hosted database; prints its public key"), _make)
    make.add_argument("--replace", action="store_true", help=local(say("replace the existing key")))
    export = _action(actions, "export", say("print the public key, for databases that send to this one"), _export)
    help_text = say(
        "write the key pair to a new file, encrypted with the passphrase in {variable}", variable=PASSPHRASE
    )
    export.add_argument("--private", metavar="FILE", type=Path, help=local(help_text))
    take = _action(
        actions, "import", say("import the public key of another database, or a key pair for this one"), _import
    )
    take.add_argument("file", metavar="FILE", help=local(say("a key as export writes it, - for standard input")))
    way = take.add_mutually_exclusive_group()
    help_text = say("of the database behind this service: dialogs to it are encrypted (default: it may begin dialogs)")
    way.add_argument("--service", metavar="NAME", default="", help=local(help_text))
    help_text = say(
        "the file has a key pair for this database, encrypted with the passphrase in {variable}", variable=PASSPHRASE
    )
    way.add_argument("--private", action="store_true", help=local(help_text))
    take.add_argument("--replace", action="store_true", help=local(say("replace the existing key")))


def _action(actions: Any, name: str, summary: Sentence, act: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, allow_abbrev=False, **described(summary))
    parser.add_argument("place", metavar=HOST_DB, type=place(HOST_DB), help=local(say("a hosted database")))
    parser.set_defaults(act=act)
    return parser


def run(options: argparse.Namespace) -> int:
    """In the product whose home is `BROKERUI_HOME`."""
    where = "/".join(options.place)
    with verb(where):
        from brokerui.messaging.errors import NoSuchDatabaseError, NotHostedError
        from brokerui.messaging.keys.selectors import hosted_databases

        instance, database = options.place
        databases = hosted_databases(instance)
        if databases is None:
            raise NotHostedError(instance)
        if database not in databases:
            raise NoSuchDatabaseError(instance, database)
        try:
            options.act(options, instance, database)
        except Invalid as fault:
            raise InputError(fault.path or where, "", fault.problem) from None
    return 0


def _make(options: argparse.Namespace, instance: str, database: str) -> None:
    from brokerui.messaging.keys.files import public_file
    from brokerui.messaging.keys.services import key_make

    with once_written() as answer_with:
        public = key_make(instance=instance, database=database, author=_author(), replace=options.replace)
        answer_with(public_file(public).decode())


def _export(options: argparse.Namespace, instance: str, database: str) -> None:
    from brokerui.messaging.keys.files import private_file, public_file, write_private
    from brokerui.messaging.keys.selectors import pair_of, public_of

    if options.private is None:
        sys.stdout.write(public_file(public_of(instance, database)).decode())
        return
    content = private_file(pair_of(instance, database), _passphrase())
    try:
        write_private(options.private, content)
    except OSError as error:
        raise InputError(str(options.private), "", say("cannot be written: {reason}", reason=error.strerror)) from None


def _import(options: argparse.Namespace, instance: str, database: str) -> None:
    from brokerui.messaging.keys.files import MOST, pair_from, public_from
    from brokerui.messaging.keys.services import key_take, peer_take

    content = load_bytes(options.file, MOST, is_fixed=True)
    at = {"instance": instance, "database": database, "author": _author()}
    try:
        found = pair_from(content, _passphrase()) if options.private else public_from(content)
    except Invalid as fault:
        raise InputError(options.file, fault.path, fault.problem) from None
    if isinstance(found, bytes):
        peer_take(**at, service=options.service, public=found)
    else:
        key_take(**at, pair=found, replace=options.replace)


def _passphrase() -> str:
    given = os.environ.get(PASSPHRASE, "")
    if not given:
        raise InputError(PASSPHRASE, "", say("must hold the passphrase of the file"))
    return given


def _author() -> str:
    return os.environ.get("USER") or "brokerui"
