"""`brokerui failover`: the partners of a mirrored database change roles."""

from __future__ import annotations

import argparse
import json
import os

from brokerui.cli.messaging import HOST_DB, place, verb
from brokerui.cli.product import once_written
from brokerui.core.languages import local
from routing.common.sentence import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_text = local(say("either partner of the mirrored pair, both of which run here"))
    parser.add_argument("database", metavar=HOST_DB, type=place(HOST_DB), help=help_text)


def run(options: argparse.Namespace) -> int:
    """Print the new principal as a line of JSON."""
    instance, database = options.database
    with verb(f"{instance}/{database}"), once_written() as answer_with:
        from brokerui.messaging.services import database_fail_over

        author = os.environ.get("USER") or "brokerui"
        roles = database_fail_over(instance=instance, database=database, author=author)
        answer = {"database": database, "principal": roles.principal, "mirror": roles.mirror}
        answer_with(f"{json.dumps(answer)}\n")
    return 0
