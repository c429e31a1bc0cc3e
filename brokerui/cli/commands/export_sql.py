"""`brokerui export-sql`: the script that makes an estate, or that changes one into another."""

from __future__ import annotations

import argparse
import gc

from brokerui.cli.arguments import add_at, add_estate, add_max_size, now_unless, one_from_standard_input
from brokerui.cli.inputs import load_estate
from brokerui.cli.outputs import STANDARD_OUTPUT, write_output
from brokerui.core.languages import local
from routing.common.errors import InputError
from routing.common.sentence import say
from routing.tsql import export_sql


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_estate(parser)
    help_text = local(say("only what changes this estate document into the other"))
    parser.add_argument("--since", metavar="BEFORE", help=help_text)
    parser.add_argument("--instance", metavar="NAME", help=local(say("only this instance")))
    add_at(parser)
    add_max_size(parser)


def run(options: argparse.Namespace) -> int:
    gc.disable()  # this process makes no cycles worth collecting, and ends soon
    one_from_standard_input(options.estate, options.since)
    estate = load_estate(options.estate, options.max_size)
    since = load_estate(options.since, options.max_size) if options.since else None
    name = options.instance
    if name is not None and name not in estate.instances and (since is None or name not in since.instances):
        raise InputError("--instance", "", say('there is no instance "{name}"', name=name))
    write_output(STANDARD_OUTPUT, export_sql(estate, since=since, instance=name, at=now_unless(options.at)))
    return 0
