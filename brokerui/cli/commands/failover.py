"""`brokerui failover`: the partners of a mirrored database change roles."""

from __future__ import annotations

import argparse
import json
import os
import sys

from brokerui.cli.messaging import HOST_DB, place, verb
from brokerui.cli.product import once_written
from brokerui.core.languages import local
from routing.common.sentence import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_text = local(say("either partner of the mirrored pair, both of which run here"))
    parser.add_argument("database", metavar=HOST_DB, type=place(HOST_DB), help=help_text)
    parser.add_argument(
        "--dry-run", action="store_true", help=local(say("change nothing; print what the failover would do"))
    )


def run(options: argparse.Namespace) -> int:
    """Print the new principal as a line of JSON."""
    instance, database = options.database
    if options.dry_run:
        return _dry_run(instance, database)
    with verb(f"{instance}/{database}"), once_written() as answer_with:
        from brokerui.analysis.acts.failing_over import fail_over

        author = os.environ.get("USER") or "brokerui"
        roles = fail_over(instance=instance, database=database, author=author)
        answer = {"database": database, "principal": roles.principal, "mirror": roles.mirror}
        answer_with(f"{json.dumps(answer)}\n")
    return 0


def _dry_run(instance: str, database: str) -> int:
    with verb(f"{instance}/{database}"):
        from brokerui.analysis.acts.failing_over import failover_plan

        plan = failover_plan(instance=instance, database=database)
    effect = {"conversations": plan.conversations, "messages": plan.messages}
    classes = {"better": sum(one.count for one in plan.better), "worse": sum(one.count for one in plan.worse)}
    answer = {"database": database, "principal": plan.pair.mirror, "mirror": plan.pair.principal, **effect, **classes}
    sys.stdout.write(f"{json.dumps(answer)}\n")
    return 0
