"""Arguments of each job of the pipeline, and the function that runs it."""

from __future__ import annotations

import argparse
import codecs
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from pipeline.files.location import RemoteLocation, location
from routing.common.errors import Invalid
from routing.common.moment import typed_moment

if TYPE_CHECKING:
    from pipeline.results.run_record import JobRun
    from pipeline.runtime.session import SparkSettings

Parser = TypeVar("Parser", bound=argparse.ArgumentParser)
START = datetime(2026, 1, 5, tzinfo=UTC)
"""Default start of synthetic traffic, a Monday: fixed, so that a seed always gives the same rows."""

_INTERVAL = re.compile(
    r"(?P<number>[0-9]{1,6}) *(?:(?P<milliseconds>ms|milliseconds?)|(?P<seconds>s|sec|seconds?)"
    r"|(?P<minutes>m|min|minutes?)|(?P<hours>h|hours?)|(?P<days>d|days?))",
    re.IGNORECASE,
)


def add_spark(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--master", help="where Spark runs (default: that of spark-submit, else local[*], this machine)"
    )
    parser.add_argument("--memory", default="1g", help="memory of Spark on this machine (default: 1g)")
    parser.add_argument(
        "--conf", action="append", default=[], type=_setting, metavar="KEY=VALUE", help="any setting of Spark"
    )
    help_text = "for a program that starts the job: progress as lines of JSON; ends when standard input is closed"
    parser.add_argument("--watched", action="store_true", help=help_text)


def _settings(options: argparse.Namespace) -> SparkSettings:
    from pipeline.runtime.session import SparkSettings

    return SparkSettings(options.master, options.memory, dict(options.conf))


def _add_generate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--estate", type=_path, required=True, help="estate document, or a folder of versions: the last one"
    )
    parser.add_argument("--rows", required=True, type=_positive, metavar="N")
    parser.add_argument("--seed", required=True, type=int, metavar="S", help="the same seed gives the same rows")
    parser.add_argument("--out", type=_path, required=True, metavar="DIR")
    parser.add_argument("--start", type=_moment, default=START, metavar="T", help=f"default: {START:%Y-%m-%d}")
    parser.add_argument("--days", type=_positive, default=7, metavar="N", help="default: 7")
    parser.add_argument(
        "--classes",
        type=_positive,
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
        "--in", type=_path, required=True, dest="traffic", metavar="DIR", help="a folder of traffic files, or one file"
    )
    parser.add_argument("--out", type=_path, required=True, metavar="LAKE", help="a new folder, or a lake to add to")
    _add_texts(parser)
    parser.add_argument("--keep-duplicates", action="store_true", help="do not look for rows that were ingested before")
    parser.add_argument("--follow", action="store_true", help="continue with files that arrive, until Ctrl-C")
    parser.add_argument(
        "--every",
        type=_interval,
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
        "--traffic", type=_path, required=True, metavar="IN", help="a lake, a folder of traffic files, or one file"
    )
    parser.add_argument("--out", type=_path, required=True, metavar="OUT")
    parser.add_argument(
        "--version", type=_version, metavar="N", help="of a lake: as it was in this version (default: the last)"
    )
    _add_texts(parser)


def _add_texts(parser: argparse.ArgumentParser) -> None:
    help_text = "how text files write dates with slashes: 11/22/2026 (mdy) or 22/11/2026 (dmy); default: not at all"
    parser.add_argument("--dates", choices=["mdy", "dmy"], default="", help=help_text)
    help_text = "of text files without a byte order mark, as cp1252 or latin-1 (default: UTF-8)"
    parser.add_argument("--encoding", type=_encoding, default="utf-8", metavar="NAME", help=help_text)


def _add_route(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--estate", type=_path, required=True, metavar="E|DIR", help="an estate document, or the folder of a history"
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
        "--baseline", type=_path, required=True, metavar="E0|DIR", help="an estate document, or the folder of a history"
    )
    parser.add_argument("--proposed", type=_path, required=True, metavar="E1")
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
    parser.add_argument("--events", type=_path, required=True, metavar="IN", help="an event log, or one file of it")
    parser.add_argument("--out", type=_path, required=True, metavar="OUT")
    parser.add_argument(
        "--estate", type=_path, metavar="E|DIR", help="the estate whose routes and addresses the log is compared with"
    )
    parser.add_argument(
        "--unused-days",
        type=_positive,
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
    parser.add_argument("--events", type=_path, required=True, metavar="IN", help="an event log")
    parser.add_argument("--out", type=_path, required=True, metavar="OUT")
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
    """Add a parser for each job, without the options of Spark's session."""
    for name, (summary, add_arguments, run) in JOBS.items():
        description = f"{summary.capitalize()}."
        job = jobs.add_parser(name, help=summary, description=description, allow_abbrev=False, add_help=add_help)
        add_arguments(job)
        job.set_defaults(run=run)
        yield job


def _path(text: str) -> str:
    """Return the path or the URL that a user names."""
    place = location(text)
    if not isinstance(place, RemoteLocation):
        return text
    scheme, _, authority = place.store.partition("://")
    if scheme == "file" and authority not in ("", "localhost"):
        raise argparse.ArgumentTypeError(f"must be of this machine, as file:///data, not {text}")
    return str(place).replace("//localhost/", "///", 1) if scheme == "file" else str(place)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, not {text}")
    return number


def _version(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"must be 0 or more, not {text}")
    return number


def _interval(text: str) -> str:
    """Return a time between two looks as Spark takes it."""
    found = _INTERVAL.fullmatch(text.strip())
    if found is None or not int(found["number"]):
        raise argparse.ArgumentTypeError(f"must be a time such as 5s, 2 minutes or 1h, not {text}")
    return f"{found['number']} {found.lastgroup}"


def _encoding(text: str) -> str:
    """Return Python's name of an encoding of texts, empty for UTF-8."""
    try:
        name = codecs.lookup(text).name
        "".encode(name)
    except LookupError:
        raise argparse.ArgumentTypeError(f"{text} is no encoding; cp1252, cp1251 or latin-1 are") from None
    return "" if name in ("utf-8", "utf-8-sig") else name


def _moment(text: str) -> datetime:
    try:
        return typed_moment(text)
    except Invalid as fault:
        raise argparse.ArgumentTypeError(str(fault)) from None


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.startswith("spark."):
        raise argparse.ArgumentTypeError(f"must be spark.KEY=VALUE, not {text}")
    return key, value
