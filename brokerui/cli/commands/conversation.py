"""`brokerui conversation`: the verbs about one conversation, and GET CONVERSATION GROUP."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from brokerui.cli.arguments import described, identifier, must_be_given
from brokerui.cli.messaging import HOST_DB_QUEUE, place, verb
from brokerui.cli.product import once_written
from brokerui.core.languages import environment_language, local
from routing.common.sentence import Sentence, say
from routing.dialog.conversation_timer import MAX_TIMER_S


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    _add_end(_about_one(actions, "end", _end, say("end this side of the conversation and notify the other side")))
    move = _about_one(actions, "move", _move, say("move it to another conversation group of its queue"))
    move.add_argument("group", metavar="GROUP", type=identifier, help=local(say("the conversation group")))
    timer = _about_one(actions, "timer", _timer, say("start its timer: a DialogTimer message arrives when it expires"))
    help_text = local(say("seconds until it expires; a running timer is restarted"))
    timer.add_argument("timeout_s", metavar="SECONDS", type=_seconds, help=help_text)
    _add_history(actions)
    _add_group(actions)


def _seconds(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:20]) <= MAX_TIMER_S):
        raise must_be_given(say("a whole number of seconds from 1 to {most}", most=MAX_TIMER_S), text)
    return int(text)


def _about_one(
    actions: Any, name: str, act: Callable[[argparse.Namespace], dict[str, Any]], summary: Sentence
) -> argparse.ArgumentParser:
    action: argparse.ArgumentParser = actions.add_parser(name, allow_abbrev=False, **described(summary))
    action.add_argument("handle", metavar="HANDLE", type=identifier, help=local(say("the conversation handle")))
    action.set_defaults(act=act, where=lambda options: options.handle, transaction=once_written)
    return action


def _add_end(action: argparse.ArgumentParser) -> None:
    ways = action.add_mutually_exclusive_group()
    help_text = local(say("end with this error, 1 or more; messages that were not sent yet are dropped"))
    ways.add_argument("--error", metavar="CODE", type=int, help=help_text)
    help_text = local(say("remove it with all its messages, without notifying the other side"))
    ways.add_argument("--cleanup", action="store_true", help=help_text)
    action.add_argument(
        "--description", metavar="TEXT", help=local(say("description of the error, for the other side"))
    )
    action.set_defaults(check=lambda options: _check_end(action, options))


def _check_end(action: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if (options.error is None) != (options.description is None):
        action.error(local(say("--error and --description need each other")))


def _add_history(actions: Any) -> None:
    summary = say("print the history of both sides, with the decisions of routing as of then, as JSON")
    history = _about_one(actions, "history", _history, summary)
    history.set_defaults(transaction=_no_transaction)
    help_text = local(say("portions of the event log to look through, 0 to 10 (default: 10)"))
    history.add_argument("--portions", metavar="N", type=int, choices=range(11), default=10, help=help_text)


def _history(options: argparse.Namespace) -> dict[str, Any]:
    from django.utils.translation import override

    from brokerui.analysis.conversations.as_json import history_as_json

    with override(environment_language()):
        return history_as_json(options.handle, options.portions)


def _add_group(actions: Any) -> None:
    summary = say("get the next conversation group of a queue that has messages and is not locked")
    action = actions.add_parser("group", allow_abbrev=False, **described(summary))
    action.add_argument("queue", metavar=HOST_DB_QUEUE, type=place(HOST_DB_QUEUE), help=local(say("which queue")))
    help_text = local(say("milliseconds to wait for the first message (default: 0)"))
    action.add_argument("--wait", metavar="MS", type=int, default=0, help=help_text)
    # It changes nothing, and may wait.
    action.set_defaults(act=_group, where=lambda options: "/".join(options.queue), transaction=_no_transaction)


def _no_transaction() -> AbstractContextManager[Callable[[str], object]]:
    return nullcontext(sys.stdout.write)


def run(options: argparse.Namespace) -> int:
    """Print a line of JSON; then the verb is committed."""
    if "check" in options:
        options.check(options)
    with verb(options.where(options)), options.transaction() as answer_with:
        answer = options.act(options)
        answer_with(f"{json.dumps(answer)}\n")
    return 0


def _end(options: argparse.Namespace) -> dict[str, str | None]:
    from brokerui.analysis.acts.services import end
    from brokerui.messaging import services

    instance = _instance(options)
    if options.cleanup:
        author = os.environ.get("USER") or "brokerui"
        end(instance=instance, handle=options.handle, author=author, error=None, cleanup=True)
    elif options.error is not None:
        services.conversation_end_with_error(
            instance=instance, handle=options.handle, code=options.error, description=options.description
        )
    else:
        services.conversation_end(instance=instance, handle=options.handle)
    return {"conversation_handle": options.handle}


def _move(options: argparse.Namespace) -> dict[str, str | None]:
    from brokerui.messaging.services import conversation_move

    conversation_move(instance=_instance(options), handle=options.handle, conversation_group_id=options.group)
    return {"conversation_handle": options.handle, "conversation_group_id": options.group}


def _timer(options: argparse.Namespace) -> dict[str, str | None]:
    from brokerui.messaging.services import conversation_timer_start

    conversation_timer_start(instance=_instance(options), handle=options.handle, timeout_s=options.timeout_s)
    return {"conversation_handle": options.handle}


def _group(options: argparse.Namespace) -> dict[str, str | None]:
    from brokerui.messaging.services import conversation_group_get

    instance, database, queue = options.queue
    wait_s = options.wait / 1000
    group = conversation_group_get(instance=instance, database=database, queue=queue, wait_s=wait_s)
    return {"conversation_group_id": group}


def _instance(options: argparse.Namespace) -> str:
    """The hosted instance that has the conversation."""
    from brokerui.messaging.selectors import endpoint_of

    return endpoint_of(options.handle).instance
