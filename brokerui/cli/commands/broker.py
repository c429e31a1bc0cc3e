"""`brokerui broker`: ALTER DATABASE … SET ENABLE_BROKER, DISABLE_BROKER, NEW_BROKER, ERROR_BROKER_CONVERSATIONS."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

from brokerui.cli.arguments import described
from brokerui.cli.messaging import HOST_DB, place, verb
from brokerui.cli.product import once_written
from brokerui.core.languages import local
from routing.common.sentence import say

ACTIONS = {
    "enable": say("ENABLE_BROKER: waiting messages are tried at once"),
    "disable": say("DISABLE_BROKER: nothing is sent or taken until it is enabled"),
    "new": say("NEW_BROKER: another identifier, and all conversations are gone without a word to their other sides"),
    "error-conversations": say("ERROR_BROKER_CONVERSATIONS: enables it, and ends all conversations with an error"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    for name, summary in ACTIONS.items():
        action = actions.add_parser(name, allow_abbrev=False, **described(summary))
        help_text = local(say("a database of an instance that is hosted here"))
        action.add_argument("database", metavar=HOST_DB, type=place(HOST_DB), help=help_text)
        action.set_defaults(action=name)


def run(options: argparse.Namespace) -> int:
    """Print what the database has afterwards, a line of JSON."""
    instance, database = options.database
    with verb(f"{instance}/{database}"), once_written() as answer_with:
        from brokerui.estate.selectors import estate_current

        done = _done(options.action, instance, database)
        now = estate_current().estate.instances[instance].databases[database]
        answer = {"database": database, "broker_instance": now.broker_instance, "broker_enabled": now.broker_enabled}
        answer_with(f"{json.dumps(answer | done)}\n")
    return 0


def _done(action: str, instance: str, database: str) -> dict[str, Any]:
    """Do it, and return what else is to be told."""
    from brokerui.messaging import services

    where = {"instance": instance, "database": database, "author": os.environ.get("USER") or "brokerui"}
    if action == "error-conversations":
        return {"conversations": services.broker_error_conversations(**where)}
    verbs = {"enable": services.broker_enable, "disable": services.broker_disable, "new": services.broker_renew}
    verbs[action](**where)
    return {}
