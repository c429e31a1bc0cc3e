"""Arguments of the commands on a lake, and the function that runs each: `brokerui pipeline lake COMMAND LAKE`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from pipeline.argument_values import not_negative, place_name, positive

if TYPE_CHECKING:
    from pipeline.jobs.lake_history import LakeHistory
    from pipeline.jobs.lake_register import Registered
    from pipeline.jobs.lake_sql import Statements
    from pipeline.results.run_record import JobRun
    from pipeline.runtime.session import SparkSettings

PROGRAMS = ("spark", "trino", "duckdb")
OF_A_LAKE, OF_A_RESULT = "a lake that ingest made", "a lake, or a result of any job but graph"
OF_TABLES = ("sql", "register")
"""Commands that take results, too."""
Parser = TypeVar("Parser", bound=argparse.ArgumentParser)


def _settings(options: argparse.Namespace) -> SparkSettings:
    from pipeline.runtime.session import SparkSettings

    return SparkSettings(options.master, options.memory, dict(options.conf))


def _add_history(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _history(options: argparse.Namespace) -> LakeHistory:
    from pipeline.jobs.lake_history import HistoryOptions, history

    return history(HistoryOptions(options.lake, options.json), _settings(options))


def _add_compact(parser: argparse.ArgumentParser) -> None:
    help_text = "the size of a file that it writes; those of half of it and more stay (default: 128)"
    parser.add_argument("--megabytes", type=positive, default=128, metavar="N", help=help_text)


def _compact(options: argparse.Namespace) -> JobRun:
    from pipeline.jobs.lake_compact import CompactOptions, compact_lake

    return compact_lake(CompactOptions(options.lake, options.megabytes), _settings(options))


def _add_vacuum(parser: argparse.ArgumentParser) -> None:
    help_text = "the days for which former versions stay readable (default: 7)"
    parser.add_argument("--retention-days", type=not_negative, default=7, metavar="N", help=help_text)
    parser.add_argument("--dry-run", action="store_true", help="list the files, and remove none")


def _vacuum(options: argparse.Namespace) -> JobRun:
    from pipeline.jobs.lake_vacuum import VacuumOptions, vacuum_lake

    return vacuum_lake(VacuumOptions(options.lake, options.retention_days, options.dry_run), _settings(options))


def _add_sql(parser: argparse.ArgumentParser) -> None:
    help_text = "the program that reads the tables"
    parser.add_argument("--for", choices=PROGRAMS, required=True, dest="program", help=help_text)
    _add_schema(parser)


def _add_schema(parser: argparse.ArgumentParser) -> None:
    help_text = "the schema, or database, that the tables are in (default: brokerui)"
    parser.add_argument("--schema", default="brokerui", metavar="NAME", help=help_text)


def _register(options: argparse.Namespace) -> Registered:
    from pipeline.jobs.lake_register import RegisterOptions, register

    return register(RegisterOptions(options.lake, options.schema), _settings(options))


def _sql(options: argparse.Namespace) -> Statements:
    from pipeline.jobs.lake_sql import SqlOptions, catalog_sql

    return catalog_sql(SqlOptions(options.lake, options.program, options.schema), _settings(options))


Command = tuple[
    str,
    Callable[[argparse.ArgumentParser], None],
    Callable[[argparse.Namespace], "JobRun | LakeHistory | Registered | Statements"],
]
COMMANDS: dict[str, Command] = {
    "history": ("list the versions of a lake: time, operation, rows, files and run", _add_history, _history),
    "compact": ("write the small files of each day as fewer, larger ones", _add_compact, _compact),
    "vacuum": ("remove the files that only old versions name", _add_vacuum, _vacuum),
    "sql": ("print the statements that make the tables known to a catalog", _add_sql, _sql),
    "register": ("make the tables known to the catalog of Spark's session", _add_schema, _register),
}


def add_lake_commands(jobs: argparse._SubParsersAction[Parser], *, add_help: bool = True) -> Iterator[Parser]:
    """Add `lake` with a parser for each command, without the options of Spark's session."""
    summary = "the versions of a lake, its compaction, and the removal of its former files"
    about = f"{summary.capitalize()}."
    lake = jobs.add_parser("lake", help=summary, description=about, allow_abbrev=False, add_help=add_help)
    commands = lake.add_subparsers(metavar="COMMAND", required=True, parser_class=type(lake))
    for name, (does, add_arguments, run) in COMMANDS.items():
        description = f"{does.capitalize()}."
        command = commands.add_parser(name, help=does, description=description, allow_abbrev=False, add_help=add_help)
        takes = OF_A_RESULT if name in OF_TABLES else OF_A_LAKE
        command.add_argument("lake", type=place_name, metavar="LAKE", help=takes)
        add_arguments(command)
        command.set_defaults(run=run)
        yield command
