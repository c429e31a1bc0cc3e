"""`brokerui import-catalog`: what live instances say of themselves, as an estate."""

from __future__ import annotations

import argparse
import gc
import sys

from brokerui.analysis.imports.collected import CollectedFile, collected_file, dated, findings_of_files
from brokerui.analysis.imports.finding_kinds import something_is_missing
from brokerui.analysis.lint.finding_text import one_line
from brokerui.cli.arguments import (
    add_at,
    add_encoding,
    add_format,
    add_max_size,
    add_output,
    now_unless,
    one_from_standard_input,
)
from brokerui.cli.import_report import report
from brokerui.cli.inputs import load_bytes, load_estate
from brokerui.cli.instance_files import instance_files
from brokerui.cli.outputs import write_output
from brokerui.core.languages import here, local
from routing.catalog.applying import apply_snapshot
from routing.catalog.reading import read_saved
from routing.catalog.sums import sums_of
from routing.common.finding import Finding
from routing.common.sentence import Sentence, say
from routing.documents.estate_document import write_estate
from routing.model.estate import Estate
from routing.tsql.encodings import code_page_findings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources",
        metavar="NAME[/DATABASE][@ADDRESS]=FILE[,FILE]",
        nargs="+",
        type=instance_files,
        help=local(
            say(
                "a result of collect-sql (NAME=FILE), or a grid of sys.databases (NAME=FILE) or of sys.routes, "
                "sys.services, sys.service_queues or sys.transmission_queue (NAME/DATABASE=FILE); - for standard input"
            )
        ),
    )
    help_text = local(say("the estate document to put the instances into (default: none)"))
    parser.add_argument("--into", metavar="ESTATE", help=help_text)
    add_encoding(parser)
    add_at(parser)
    add_output(parser)
    add_format(parser)
    add_max_size(parser)


def run(options: argparse.Namespace) -> int:
    """0 when the estate has all that the instances said, 1 when something was left out."""
    gc.disable()  # this process makes no cycles worth collecting, and ends soon
    one_from_standard_input(options.into, *(name for each in options.sources for name in each.files))
    estate = load_estate(options.into, options.max_size) if options.into else Estate()
    findings: list[Finding] = []
    collected: list[CollectedFile] = []
    at = now_unless(options.at)
    sums: list[Sentence] = []
    for each in options.sources:
        for name in each.files:
            content = load_bytes(name, options.max_size)
            snapshot = dated(read_saved(content, where=name, database=each.database, encoding=options.encoding), at)
            findings += code_page_findings(content, where=name, encoding=options.encoding)
            applied = apply_snapshot(estate, each.instance, snapshot, *each.addresses)
            estate = applied.estate
            findings += applied.findings
            collected.append(collected_file(each.instance, snapshot))
            sums += sums_of(each.instance, snapshot)
    report([*findings, *findings_of_files(estate, collected, at)], options.format)
    if options.format == "text":
        translate = here()
        for sentence in sums:
            sys.stderr.write(f"{one_line(sentence.render(translate))}\n")
    write_output(options.output, write_estate(estate))
    return int(something_is_missing(findings))
