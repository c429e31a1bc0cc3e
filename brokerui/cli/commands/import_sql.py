"""`brokerui import-sql`: the scripts of instances, as an estate."""

from __future__ import annotations

import argparse
import gc
from collections import Counter
from collections.abc import Iterator

from brokerui.analysis.imports.finding_kinds import something_is_missing
from brokerui.cli.arguments import (
    add_at,
    add_encoding,
    add_format,
    add_max_size,
    add_output,
    add_variables,
    now_unless,
    one_from_standard_input,
)
from brokerui.cli.import_report import report
from brokerui.cli.inputs import load_estate
from brokerui.cli.instance_files import instance_files
from brokerui.cli.outputs import write_output
from brokerui.cli.script_folder import ScriptFolder
from brokerui.core.languages import local
from routing.common.sentence import say
from routing.documents.estate_document import write_estate
from routing.tsql import ScriptGroup, read_import


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources",
        metavar="NAME[/DATABASE][@ADDRESS]=FILE[,FILE]",
        nargs="+",
        type=instance_files,
        help=local(
            say("scripts of one instance, with the database in which they begin, in order; - for standard input")
        ),
    )
    help_text = local(say("the estate document to run the scripts on (default: none)"))
    parser.add_argument("--into", metavar="ESTATE", help=help_text)
    add_variables(parser)
    add_encoding(parser)
    add_at(parser)
    add_output(parser)
    add_format(parser)
    add_max_size(parser)


def run(options: argparse.Namespace) -> int:
    """0 when the estate has all that the scripts say, 1 when a statement was refused or not understood."""
    gc.disable()  # this process makes no cycles worth collecting, and ends soon
    one_from_standard_input(options.into, *(name for each in options.sources for name in each.files))
    into = load_estate(options.into, options.max_size) if options.into else None
    include = ScriptFolder(options.max_size, options.encoding)
    groups = [
        ScriptGroup(
            each.instance,
            next(iter(each.addresses), None),
            _ScriptGroup(each.files, include),
            each.database,
            include,
            each.addresses[1:],
        )
        for each in options.sources
    ]
    at, variables = now_unless(options.at), dict(options.variables)
    file_counts: Counter[str] = Counter()
    for each in options.sources:
        file_counts[each.instance.casefold()] += len(each.files)
    estate, findings = read_import(groups, lambda _: into, file_counts, at=at, variables=variables)
    findings += tuple(include.remarks)
    report(findings, options.format)  # first: where nobody can read it, nothing is written
    write_output(options.output, write_estate(estate))
    return int(something_is_missing(findings))


class _ScriptGroup:
    """The names and texts of files; each is read when its turn comes, so that one is in memory at a time."""

    def __init__(self, names: tuple[str, ...], folder: ScriptFolder) -> None:
        self._names = names
        self._folder = folder

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for name in self._names:
            yield name, self._folder.script(name)
