"""`brokerui delayed retry` and `brokerui delayed switch-on`: what the page *Delayed* does with several rows at once."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from brokerui.cli.arguments import described
from brokerui.cli.messaging import HOST_DB, HOST_DB_QUEUE, place
from brokerui.cli.product import the_product
from brokerui.core.languages import environment_language, local
from routing.common.sentence import say

if TYPE_CHECKING:
    from brokerui.analysis.acts.several import ActPlan


def add_acts(parser: argparse.ArgumentParser) -> None:
    """Add the two actions; without one, the command lists."""
    actions = parser.add_subparsers(metavar="ACTION", required=False)
    summary = say("retry the messages of a database that wait for services, each with its result")
    retry = actions.add_parser("retry", allow_abbrev=False, **described(summary))
    retry.add_argument("database", metavar=HOST_DB, type=place(HOST_DB), help=local(say("the database")))
    retry.add_argument("services", metavar="SERVICE", nargs="+", help=local(say("the services that they wait for")))
    retry.set_defaults(act=_retry)
    summary = say("switch several queues on, each with its result")
    switch = actions.add_parser("switch-on", allow_abbrev=False, **described(summary))
    help_text = local(say("the queues"))
    switch.add_argument("queues", metavar=HOST_DB_QUEUE, nargs="+", type=place(HOST_DB_QUEUE), help=help_text)
    switch.set_defaults(act=_switch_on)
    for action in (retry, switch):
        help_text = local(say("change nothing; print what would be done"))
        action.add_argument("--dry-run", action="store_true", help=help_text)


def run_act(options: argparse.Namespace) -> int:
    """Print a line of JSON for each place; 1 where one of them was refused."""
    with the_product():
        from django.utils.translation import override

        with override(environment_language()):
            plans: list[ActPlan[Any]] = options.act(options)
    sys.stdout.writelines(f"{json.dumps(_as_json(plan, options), ensure_ascii=False)}\n" for plan in plans)
    return 1 if any(plan.refusal.words for plan in plans) else 0


def _retry(options: argparse.Namespace) -> list[ActPlan[Any]]:
    from brokerui.analysis.acts.several import RetriedPlace, retry_each, retry_plans

    instance, database = options.database
    plans = retry_plans([RetriedPlace(instance, database, service) for service in options.services])
    return list(plans if options.dry_run else retry_each(plans, _author()))


def _switch_on(options: argparse.Namespace) -> list[ActPlan[Any]]:
    from brokerui.analysis.acts.several import QueuePlace, switch_each, switch_plans
    from brokerui.messaging.queue_names import queue_named

    plans = switch_plans([QueuePlace(*queue_named(*queue)) for queue in options.queues])
    return list(plans if options.dry_run else switch_each(plans, is_on=True, author=_author()))


def _author() -> str:
    return os.environ.get("USER") or "brokerui"


def _as_json(plan: ActPlan[Any], options: argparse.Namespace) -> dict[str, Any]:
    done, refused = ("would_be_done", "would_be_refused") if options.dry_run else ("done", "refused")
    return {
        "result": refused if plan.refusal.words else done,
        **plan.place._asdict(),
        "messages": plan.messages,
        "conversations": plan.conversations,
        "number": plan.refusal.number or None,
        "detail": plan.refusal.words or None,
    }
