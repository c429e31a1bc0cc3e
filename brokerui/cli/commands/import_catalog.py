"""`brokerui import-catalog`: what live instances say of themselves, as an estate."""

from __future__ import annotations

import argparse
import gc
import re
import sys
from dataclasses import dataclass

from brokerui.analysis.imports.finding_kinds import report, something_is_missing
from brokerui.analysis.lint.finding_text import one_line
from brokerui.cli.arguments import (
    add_format,
    add_max_size,
    add_output,
    misuse,
    must_be_given,
    one_from_standard_input,
)
from brokerui.cli.inputs import load_bytes, load_estate
from brokerui.cli.outputs import write_output
from brokerui.core.languages import here, local
from routing.catalog.applying import apply_snapshot
from routing.catalog.reading import read_saved
from routing.catalog.sums import findings_of_sums, sums_of
from routing.common.errors import Invalid
from routing.common.finding import Finding
from routing.common.names import check_name
from routing.common.sentence import Sentence, say
from routing.documents.estate_document import write_estate
from routing.model.address import Address, parse_network_address
from routing.model.estate import INSTANCE_NAME_CHARS, Estate

_ADDRESS = re.compile(r"@(?=tcp:)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """The files of one instance, or of one of its databases."""

    instance: str
    database: str | None
    address: Address | None
    files: tuple[str, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources",
        metavar="NAME[/DATABASE][@ADDRESS]=FILE[,FILE]",
        nargs="+",
        type=source,
        help=local(
            say(
                "a result of collect-sql (NAME=FILE), or a grid of sys.databases (NAME=FILE) or of sys.routes, "
                "sys.services, sys.service_queues or sys.transmission_queue (NAME/DATABASE=FILE); - for standard input"
            )
        ),
    )
    said = local(say("the estate that the instances are put into (default: none)"))
    parser.add_argument("--into", metavar="ESTATE", help=said)
    add_output(parser)
    add_format(parser)
    add_max_size(parser)


def run(options: argparse.Namespace) -> int:
    """0 when the estate has all that the instances said, 1 when something was left out."""
    gc.disable()  # this process makes no cycles worth collecting, and ends soon
    one_from_standard_input(options.into, *(name for each in options.sources for name in each.files))
    estate = load_estate(options.into, options.max_size) if options.into else Estate()
    findings: list[Finding] = []
    waiting: list[Finding] = []
    sums: list[Sentence] = []
    for each in options.sources:
        for name in each.files:
            told = read_saved(load_bytes(name, options.max_size), where=name, database=each.database)
            applied = apply_snapshot(estate, each.instance, told, each.address)
            estate = applied.estate
            findings += applied.findings
            waiting += findings_of_sums(each.instance, told)
            sums += sums_of(each.instance, told)
    write_output(options.output, write_estate(estate))
    report(findings + waiting, options.format)
    if options.format == "text":
        translate = here()
        for sentence in sums:
            sys.stderr.write(f"{one_line(sentence.render(translate))}\n")
    return int(something_is_missing(findings))


def source(text: str) -> Source:
    """`NAME[/DATABASE][@ADDRESS]=FILE[,FILE]`; a database's name may hold slashes, an instance's may not."""
    target, equals, files = text.partition("=")
    target, *rest = _ADDRESS.split(target, maxsplit=1)
    instance, _, database = target.partition("/")
    names = tuple(name for name in files.split(",") if name)
    if not (equals and instance and names):
        raise must_be_given(say("NAME=FILE or NAME/DATABASE=FILE"), text)
    try:
        check_name(instance, "NAME", INSTANCE_NAME_CHARS)
        if database:
            check_name(database, "DATABASE")
        return Source(instance, database or None, parse_network_address(rest[0]) if rest else None, names)
    except Invalid as fault:
        raise misuse(fault) from None
