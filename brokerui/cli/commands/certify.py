"""`brokerui certify`: write the certificate of a change."""

from __future__ import annotations

import argparse

from brokerui.cli.arguments import add_at, add_estate, add_max_size, now_unless, one_from_standard_input
from brokerui.cli.inputs import load_estate
from brokerui.cli.outputs import STANDARD_OUTPUT, write_output
from brokerui.core.languages import local
from routing.certificate.writing import write_certificate
from routing.common.errors import InputError, Invalid
from routing.common.sentence import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_estate(parser, "before")
    add_estate(parser, "after")
    help_text = local(say("default: standard output"))
    parser.add_argument("-o", "--output", metavar="FILE", default=STANDARD_OUTPUT, help=help_text)
    add_at(parser)
    add_max_size(parser)


def run(options: argparse.Namespace) -> int:
    one_from_standard_input(options.before, options.after)
    before = load_estate(options.before, options.max_size)
    after = load_estate(options.after, options.max_size)
    try:
        text = write_certificate(before, after, now_unless(options.at))
    except Invalid as fault:
        raise InputError(options.after, "", fault.problem) from None
    write_output(options.output, text)
    return 0
