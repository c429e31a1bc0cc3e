"""`brokerui host`: run an instance here, with these databases, listening at an address."""

from __future__ import annotations

import argparse
import json
import os
import sys

from brokerui.cli.product import the_product
from brokerui.cli.standard_output import need_output
from brokerui.core.languages import here, local
from routing.common.errors import InputError, Invalid
from routing.common.sentence import say
from routing.model.address import Address, parse_network_address


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("instance", metavar="HOST", help=local(say("the name of the instance")))
    help_text = local(say("where it listens, tcp://HOST:PORT"))
    parser.add_argument("--listen", metavar="ADDR", type=_address, required=True, help=help_text)
    help_text = local(say("a database of the instance, created if it does not exist; may be repeated"))
    parser.add_argument("--database", metavar="DB", action="append", default=[], help=help_text)


def _address(text: str) -> Address:
    try:
        return parse_network_address(text)
    except Invalid as invalid:
        raise argparse.ArgumentTypeError(invalid.render(here())) from None


def run(options: argparse.Namespace) -> int:
    """Prints what it is then, a line of JSON."""
    need_output()
    with the_product():
        from brokerui.messaging.verbs.provisioning import instance_host

        author = os.environ.get("USER") or "brokerui"
        try:
            instance = instance_host(
                name=options.instance, listen=options.listen, databases=options.database, author=author
            )
        except Invalid as invalid:
            raise InputError(options.instance, invalid.path, invalid.problem) from None
    databases = {name: database.broker_instance for name, database in instance.databases.items()}
    answer = {"instance": instance.name, "listen": options.listen.key, "databases": databases}
    sys.stdout.write(f"{json.dumps(answer)}\n")
    return 0
