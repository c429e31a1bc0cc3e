"""`brokerui explain`: where one conversation goes and why, with every rule tried, forth and back."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from brokerui.analysis.explanations.as_json import explanation_as_json
from brokerui.analysis.explanations.as_text import explanation_as_text
from brokerui.analysis.explanations.origin import ON, OUTSIDE, ambiguous, as_origin, cuts, is_exact, is_outside, meant
from brokerui.analysis.remedies.conversation_offers import conversation_offers, findings_of_way
from brokerui.cli.arguments import (
    add_at,
    add_estate,
    add_format,
    add_max_size,
    identifier,
    must_be_given,
    now_unless,
)
from brokerui.cli.inputs import load_estate
from brokerui.core.languages import LANGUAGES, environment_language, local, translation
from routing.common.errors import InputError, Invalid
from routing.common.names import SERVICE_NAME_CHARS, check_name
from routing.common.sentence import say
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.explanation import explain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_estate(parser)
    entry = parser.add_mutually_exclusive_group(required=True)
    help_text = local(say("the database that begins the conversation"))
    entry.add_argument("--from", dest="origin", metavar="HOST/DB", type=_with_slash, help=help_text)
    entry.add_argument(
        "--outside", metavar="HOST", help=local(say("the message arrives at this instance from outside"))
    )
    parser.add_argument("--to", metavar="SERVICE", required=True, help=local(say("the target service")))
    help_text = local(say("the broker identifier that the conversation names"))
    parser.add_argument("--broker", metavar="GUID", type=identifier, help=help_text)
    parser.add_argument(
        "--service", metavar="OWN", help=local(say("the initiator service (default: each service of its database)"))
    )
    parser.add_argument(
        "--reply", action="store_true", help=local(say("the message is a reply, from a target service"))
    )
    add_at(parser)
    help_text = local(say("the language of the answer (default: that of the environment)"))
    parser.add_argument("--lang", choices=LANGUAGES, help=help_text)
    add_format(parser)
    add_max_size(parser)


def run(options: argparse.Namespace) -> int:
    estate = load_estate(options.estate, options.max_size)
    conversation = _conversation(options, estate)
    explanation = explain(estate, conversation, now_unless(options.at))
    offers = conversation_offers(explanation, estate, findings_of_way(explanation, estate))
    translate = translation(options.lang or environment_language())
    if options.format == "json":
        json.dump(explanation_as_json(explanation, estate, translate, offers), sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        sys.stdout.write(explanation_as_text(explanation, estate, translate, offers))
    return 0


def _conversation(options: argparse.Namespace, estate: Estate) -> Conversation:
    if options.outside is not None:
        where, instance, database = "--outside", _host(options.outside, estate), None
    else:
        where = "--from"
        instance, database = _split(as_origin(options.origin, estate), estate)
    conversation = Conversation(instance, database, options.to, options.broker, options.reply, options.service)
    with _naming("--to"):
        check_name(options.to, "", SERVICE_NAME_CHARS)
    if options.service is not None:
        with _naming("--service"):
            check_name(options.service, "", SERVICE_NAME_CHARS)
    with _naming(where):
        conversation.check(estate)
    return conversation


@contextmanager
def _naming(argument: str) -> Iterator[None]:
    """Put the name of the wrong argument into the error."""
    try:
        yield
    except Invalid as fault:
        raise InputError(argument, "", fault.problem) from None


def _with_slash(text: str) -> str:
    """HOST/DB, or as answers write it."""
    if "/" not in text and ON not in text and not is_exact(text) and not text.startswith(OUTSIDE[:-1]):
        raise must_be_given("HOST/DB", text)
    return text


def _host(text: str, estate: Estate) -> str:
    """An instance, also as pages and answers write what arrives there from outside."""
    return text if text in estate.instances else as_origin(text, estate).removeprefix(OUTSIDE)


def _split(origin: str, estate: Estate) -> tuple[str, str | None]:
    """HOST/DB, or outside:HOST; names may hold slashes themselves, so the estate decides where to cut."""
    if is_outside(origin, estate):
        return origin.removeprefix(OUTSIDE), None
    known = meant(origin, estate)
    if len(known) > 1:
        raise InputError("--from", "", ambiguous(known))
    possible = cuts(origin)
    hosts = [(host, name) for host, name in possible if host in estate.instances]
    found = known or hosts or possible
    return found[0] if found else (origin.removeprefix(OUTSIDE), None)
