"""`brokerui host`: run an instance here, with these databases, listening at an address."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

from brokerui.cli.product import once_written, the_product
from brokerui.core.languages import here, local
from routing.common.errors import InputError, Invalid
from routing.common.sentence import say
from routing.model.address import Address, parse_network_address
from routing.model.estate import Instance


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
    """Print what it is then, a line of JSON."""
    with the_product():
        from brokerui.messaging.verbs.provisioning import instance_host

        author = os.environ.get("USER") or "brokerui"
        try:
            with once_written() as answer_with:
                instance = instance_host(
                    name=options.instance, listen=options.listen, databases=options.database, author=author
                )
                answer_with(f"{json.dumps(_answer(instance, options.listen))}\n")
        except Invalid as invalid:
            raise InputError(options.instance, invalid.path, invalid.problem) from None
    return 0


def _answer(instance: Instance, listen: Address) -> dict[str, Any]:
    databases = {name: database.broker_instance for name, database in instance.databases.items()}
    state = instance.endpoint.state if instance.endpoint is not None else None
    return {"instance": instance.name, "listen": listen.key, "endpoint_state": state, "databases": databases}
