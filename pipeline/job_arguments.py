"""Arguments of each job of the pipeline, and the function that runs it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from pipeline.argument_values import (
    classes,
    days,
    encoding,
    interval,
    moment,
    not_negative,
    place_name,
    positive,
    seed,
    setting,
)
from pipeline.lake_arguments import add_lake_commands

if TYPE_CHECKING:
    from pipeline.results.run_record import JobRun
    from pipeline.runtime.session import SparkSettings

Parser = TypeVar("Parser", bound=argparse.ArgumentParser)
START = datetime(2026, 1, 5, tzinfo=UTC)
"""Default start of synthetic traffic, a Monday: fixed, so that a seed always gives the same rows."""


def add_spark(parser: argparse.ArgumentParser) -> None:
    """Add the options of Spark's session."""
    parser.add_argument(
        "--master", help="where Spark runs (default: that of spark-submit, else local[*], this machine)"
    )
    parser.add_argument("--memory", default="1g", help="memory of Spark on this machine (default: 1g)")
    parser.add_argument(
        "--conf", action="append", default=[], type=setting, metavar="KEY=VALUE", help="any setting of Spark"
    )
    help_text = "for a program that starts the job: progress as lines of JSON; ends when standard input is closed"
    parser.add_argument("--watched", action="store_true", help=help_text)


def _settings(options: argparse.Namespace) -> SparkSettings:
    from pipeline.runtime.session import SparkSettings

    return SparkSettings(options.master, options.memory, dict(options.conf))


def _add_generate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--estate", type=place_name, required=True, help="estate document, or a folder of versions: the last one"
    )
    parser.add_argument("--rows", required=True, type=positive, metavar="N")
    parser.add_argument("--seed", required=True, type=seed, metavar="S", help="the same seed gives the same rows")
    parser.add_argument("--out", type=place_name, required=True, metavar="DIR")
    parser.add_argument("--start", type=moment, default=START, metavar="T", help=f"default: {START:%Y-%m-%d}")
    parser.add_argument("--days", type=days, default=7, metavar="N", help="default: 7")
    parser.add_argument(
        "--classes",
        type=classes,
        default=5_000,
        metavar="N",
        help="largest number of classes of traffic (default: 5,000)",
    )


def _generate(options: argparse.Namespace) -> JobRun:
    from pipeline.jobs.generate import GenerateOptions, generate

    wanted = GenerateOptions(
        estate=options.estate,
        rows=options.rows,
        seed=options.seed,
        out=options.out,
        start=options.start,
        days=options.days,
        classes=options.classes,
    )
    return generate(wanted, _settings(options))


def _add_ingest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--in",
        type=place_name,
        required=True,
        dest="traffic",
        metavar="DIR",
        help="a folder of traffic files, or one file",
    )
    parser.add_argument(
        "--out", type=place_name, required=True, metavar="LAKE", help="a new folder, or a lake to add to"
    )
    _add_texts(parser)
    parser.add_argument("--keep-duplicates", action="store_true", help="do not look for rows that were ingested before")
    parser.add_argument("--follow", action="store_true", help="continue with files that arrive, until Ctrl-C")
    parser.add_argument(
        "--every",
        type=interval,
        default="10s",
        metavar="TIME",
        help="time between two looks for new files, as 5s or 2 minutes (default: 10s)",
    )


def _ingest(options: argparse.Namespace) -> JobRun:
    from pipeline.jobs.follow import follow
    from pipeline.jobs.ingest import IngestOptions, ingest

    wanted = IngestOptions(options.traffic, options.out, options.keep_duplicates, options.dates, options.encoding)
    return follow(wanted, _settings(options), options.every) if options.follow else ingest(wanted, _settings(options))


def _add_traffic(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--traffic", type=place_name, required=True, metavar="IN", help="a lake, a folder of traffic files, or one file"
    )
    parser.add_argument("--out", type=place_name, required=True, metavar="OUT")
    parser.add_argument(
        "--version", type=not_negative, metavar="N", help="of a lake: as it was in this version (default: the last)"
    )
    _add_texts(parser)


def _add_texts(parser: argparse.ArgumentParser) -> None:
    help_text = "how text files write dates with slashes: 11/22/2026 (mdy) or 22/11/2026 (dmy); default: not at all"
    parser.add_argument("--dates", choices=["mdy", "dmy"], default="", help=help_text)
    help_text = "of text files without a byte order mark, as cp1252 or latin-1 (default: UTF-8)"
    parser.add_argument("--encoding", type=encoding, default="utf-8", metavar="NAME", help=help_text)


def _add_route(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--estate",
        type=place_name,
        required=True,
        metavar="E|DIR",
        help="an estate document, or the folder of a history",
    )
    _add_traffic(parser)


def _route(options: argparse.Namespace) -> JobRun:
    from pipeline.jobs.route import RouteOptions, route

    return route(
        RouteOptions(options.estate, options.traffic, options.out, options.dates, options.encoding, options.version),
        _settings(options),
    )


def _add_replay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--baseline",
        type=place_name,
        required=True,
        metavar="E0|DIR",
        help="an estate document, or the folder of a history",
    )
    parser.add_argument("--proposed", type=place_name, required=True, metavar="E1")
    _add_traffic(parser)
    parser.add_argument("--rows", action="store_true", help="also write the answer for each row, to OUT/rows")


def _replay(options: argparse.Namespace) -> JobRun:
    from pipeline.jobs.replay import ReplayOptions, replay

    wanted = ReplayOptions(
        options.baseline,
        options.proposed,
        options.traffic,
        options.out,
        rows=options.rows,
        dates=options.dates,
        encoding=options.encoding,
        version=options.version,
    )
    return replay(wanted, _settings(options))


def _add_telemetry(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--events", type=place_name, required=True, metavar="IN", help="an event log, or one file of it"
    )
    parser.add_argument("--out", type=place_name, required=True, metavar="OUT")
    parser.add_argument(
        "--estate",
        type=place_name,
        metavar="E|DIR",
        help="the estate whose routes and addresses the log is compared with",
    )
    parser.add_argument(
        "--unused-days",
        type=days,
        default=30,
        metavar="N",
        help="days after which a route counts as unused (default: 30)",
    )
    _add_texts(parser)


def _telemetry(options: argparse.Namespace) -> JobRun:
    from pipeline.jobs.telemetry import TelemetryOptions, telemetry

    wanted = TelemetryOptions(
        options.events, options.out, options.estate, options.unused_days, options.dates, options.encoding
    )
    return telemetry(wanted, _settings(options))


def _add_graph(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--events", type=place_name, required=True, metavar="IN", help="an event log")
    parser.add_argument("--out", type=place_name, required=True, metavar="OUT")
    parser.add_argument(
        "--compute", action="store_true", help="compute the tables, not only check that they fit together"
    )


def _graph(options: argparse.Namespace) -> JobRun:
    from pipeline.jobs.graph import GraphOptions, graph

    return graph(GraphOptions(options.events, options.out, options.compute), _settings(options))


Job = tuple[str, Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], "JobRun"]]
JOBS: dict[str, Job] = {
    "generate": ("realistic traffic of an estate, from a seed", _add_generate, _generate),
    "ingest": ("traffic files to a lake: kept, cleaned, each row once", _add_ingest, _ingest),
    "route": ("the outcome of each conversation under the routes of its time", _add_route, _route),
    "replay": ("the outcomes that traffic would have had under proposed routes", _add_replay, _replay),
    "graph": ("the tables of telemetry as a declared graph", _add_graph, _graph),
    "telemetry": ("depths, delays, latencies, links and ways of an event log", _add_telemetry, _telemetry),
}


def add_jobs(jobs: argparse._SubParsersAction[Parser], *, add_help: bool = True) -> Iterator[Parser]:
    """Add a parser for each job and each command on a lake, without the options of Spark's session."""
    for name, (summary, add_arguments, run) in JOBS.items():
        description = f"{summary.capitalize()}."
        job = jobs.add_parser(name, help=summary, description=description, allow_abbrev=False, add_help=add_help)
        add_arguments(job)
        job.set_defaults(run=run)
        yield job
    yield from add_lake_commands(jobs, add_help=add_help)
