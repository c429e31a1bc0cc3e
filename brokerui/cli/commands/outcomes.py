"""`brokerui outcomes`: every outcome of each conversation."""

from __future__ import annotations

import argparse
import gc
import json
import sys

from brokerui.cli.arguments import add_at, add_estate, add_max_size, now_unless, one_from_standard_input
from brokerui.cli.inputs import load_conversations, load_estate
from brokerui.core.languages import local
from routing.common.sentence import say
from routing.rules.decision import Outcome
from routing.rules.journey import Journeys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_estate(parser)
    help_text = local(say("JSON lines, - for standard input"))
    parser.add_argument("conversations", metavar="CONVERSATIONS", help=help_text)
    add_at(parser)
    add_max_size(parser)


def run(options: argparse.Namespace) -> int:
    """All input is read and checked before the first line is written."""
    one_from_standard_input(options.estate, options.conversations)
    gc.disable()  # this process makes no cycles worth collecting, and ends soon
    estate = load_estate(options.estate, options.max_size)
    conversations = load_conversations(options.conversations, estate)
    journeys = Journeys(estate, now_unless(options.at))
    texts: dict[tuple[Outcome, ...], str] = {}
    for conversation in conversations:
        outcomes = journeys.outcomes(conversation)
        text = texts.get(outcomes)
        if text is None:
            text = texts[outcomes] = json.dumps([outcome.as_json() for outcome in outcomes])
        sys.stdout.write(f'{{"id": {json.dumps(conversation.id)}, "outcomes": {text}}}\n')
    return 0
