"""`brokerui send`: begin a dialog, or go on with one, and send."""

from __future__ import annotations

import argparse
import json
import os

from brokerui.cli.arguments import identifier, size
from brokerui.cli.inputs import STANDARD_INPUT, load_bytes
from brokerui.cli.messaging import HOST_DB, place, verb
from brokerui.cli.product import once_written
from brokerui.cli.standard_output import need_output
from brokerui.core.languages import local
from routing.common.sentence import say
from routing.dialog.settings import DialogSettings

MOST_BODY = DialogSettings().message_bytes
AT_ONCE = 100
"""Messages in one transaction."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_text = local(say("the instance and database that send"))
    parser.add_argument("--from", metavar=HOST_DB, dest="sender", type=place(HOST_DB), required=True, help=help_text)
    parser.add_argument("--service", metavar="S", help=local(say("the initiator service")))
    parser.add_argument("--to", metavar="S2", help=local(say("the target service")))
    help_text = local(say("the service broker identifier of the target's database (default: any)"))
    parser.add_argument("--broker", metavar="G", type=identifier, help=help_text)
    help_text = local(say("the contract of the dialog (default: DEFAULT)"))
    parser.add_argument("--contract", metavar="NAME", default="DEFAULT", help=help_text)
    help_text = local(say("the type of the messages (default: DEFAULT)"))
    parser.add_argument("--message-type", metavar="NAME", default="DEFAULT", help=help_text)
    help_text = local(say("encrypt the dialog (default: where there is a key for the service)"))
    parser.add_argument("--encryption", choices=("on", "off"), help=help_text)
    help_text = local(say("send on this conversation; repeat it to send each message on several"))
    parser.add_argument("--conversation", metavar="HANDLE", action="append", type=identifier, help=help_text)
    parser.add_argument("--count", metavar="N", type=int, default=1, help=local(say("number of messages (default: 1)")))
    help_text = local(say("size of random bodies in bytes, in place of a file"))
    parser.add_argument("--size", metavar="BYTES", type=size, help=help_text)
    help_text = local(say("the body, - for standard input"))
    parser.add_argument("file", metavar="FILE", nargs="?", help=help_text)
    parser.set_defaults(check=lambda options: _check(parser, options))


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if options.conversation is None and not (options.service and options.to):
        parser.error(local(say("a new dialog needs --service and --to")))
    if (options.file is None) == (options.size is None):
        parser.error(local(say("one of FILE and --size")))
    if options.count < 1:
        parser.error(local(say("--count must be 1 or more")))


def run(options: argparse.Namespace) -> int:
    """Print handle and id of each conversation, a line of JSON each; then everything is committed."""
    need_output()
    options.check(options)
    body = load_bytes(options.file or STANDARD_INPUT, MOST_BODY, is_fixed=True) if options.size is None else None
    instance, database = options.sender
    with verb(f"{instance}/{database}"), once_written() as answer_with:
        conversations = _conversations(options, instance, database)
        _send(options, instance, options.conversation or list(conversations), body)
        for handle, conversation in conversations.items():
            answer = {"conversation_handle": handle, "conversation_id": conversation}
            answer_with(f"{json.dumps(answer)}\n")
    return 0


def _conversations(options: argparse.Namespace, instance: str, database: str) -> dict[str, str]:
    """The id of each by its handle."""
    from brokerui.messaging import services

    if options.conversation is not None:
        return {handle: services.conversation_id(instance=instance, handle=handle) for handle in options.conversation}
    begun = services.conversation_begin(
        instance=instance,
        database=database,
        from_service=options.service,
        to_service=options.to,
        to_broker_instance=options.broker,
        contract=options.contract,
        encryption=_encryption(options, instance, database),
    )
    return {begun.conversation_handle: begun.conversation_id}


def _encryption(options: argparse.Namespace, instance: str, database: str) -> bool:
    from brokerui.messaging.broker_cache import has_binding

    return options.encryption == "on" if options.encryption else has_binding(instance, database, options.to)


def _send(options: argparse.Namespace, instance: str, handles: list[str], body: bytes | None) -> None:
    from brokerui.messaging import services

    left = options.count
    while left:
        number = min(left, AT_ONCE)
        bodies = [body if options.size is None else os.urandom(options.size) for _ in range(number)]
        messages = [services.Message(each, options.message_type) for each in bodies]
        services.conversation_send(instance=instance, handles=handles, messages=messages)
        left -= number
