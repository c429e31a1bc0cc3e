"""`brokerui status`: whether the product of this home runs and is well; 1 where it is not."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from brokerui.analysis.lint.finding_text import one_line
from brokerui.core.languages import environment_language, local
from brokerui.core.start import django_ready
from routing.common.sentence import Sentence, say, say_counted

if TYPE_CHECKING:
    from brokerui.running.status import ProcessStatus, Status, VolumeStatus

MEGABYTE = 1024 * 1024
DRAINS = 100
"""Drains that are listed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--diagnose",
        action="store_true",
        help=local(say("what drops messages or holds them back, the worst first, each with its remedy")),
    )
    parser.add_argument("--json", action="store_true", help=local(say("one object of JSON, for programs")))


def run(options: argparse.Namespace) -> int:
    """The product whose home is `BROKERUI_HOME`."""
    django_ready()
    from brokerui.running.status import status

    found = status()
    causes, drains = (_causes(found), _drains(found)) if options.diagnose else (None, [])
    if options.json:
        body = found.as_json() | ({"causes": causes, "drains": drains} if causes is not None else {})
        sys.stdout.write(f"{json.dumps(body, ensure_ascii=False)}\n")
    else:
        sys.stdout.writelines(
            f"{line}\n" for line in (*map(local, _lines(found)), *_diagnosis(causes), *_flowing(drains))
        )
    return 0 if found.is_well else 1


def _causes(found: Status) -> list[dict[str, Any]]:
    """The causes, the worst first; none where the database cannot be asked."""
    from django.utils.translation import override

    from brokerui.analysis.overview.diagnosis import diagnosed

    if found.database_problem:
        return []
    with override(environment_language()):
        return diagnosed()


def _drains(found: Status) -> list[dict[str, Any]]:
    """The messages that flow after an act, and those of the last day that ended, the newest first."""
    from brokerui.analysis.drains.as_json import drain_as_json
    from brokerui.analysis.drains.selectors import drains_listed
    from brokerui.messaging.clock import now

    at = now()
    return [] if found.database_problem else [drain_as_json(drain, at) for drain in drains_listed(None, DRAINS)]


def _diagnosis(causes: list[dict[str, Any]] | None) -> Iterator[str]:
    if causes is not None and not causes:
        yield ""
        yield local(say("No message is held back or dropped, as far as the database knows."))
    for one in causes or ():
        yield ""
        yield one_line(f"{one['cause']}: {_volume(one)}")
        yield one_line(f"  {one['sentence']}")
        yield from _estimate(one)
        yield from (f"      {line}" for line in (one["remedy_sql"] or "").splitlines())
        yield from ([one_line(f"    {one['remedy']}")] if one["remedy"] else [])


def _estimate(one: dict[str, Any]) -> Iterator[str]:
    if one["drain_estimate_s"] is not None:
        words = say("Its messages need about {n} s once nothing holds them.", n=one["drain_estimate_s"])
        yield one_line(f"  {local(words)}")


def _flowing(drains: list[dict[str, Any]]) -> Iterator[str]:
    """A line for each drain."""
    for one in drains:
        facts = {"place": f"{one['instance']}/{one['database']}", "subject": one["subject"]}
        counts = {"gone": one["messages"] - one["left"], "messages": one["messages"]}
        yield ""
        yield one_line(local(say("{place}, {subject}: {gone} of {messages} gone", **facts, **counts)))
        yield one_line(f"  {local(_progress(one))}")


def _progress(one: dict[str, Any]) -> Sentence:
    if one["state"] == "stalled":
        return say("Given up: nothing had moved for two minutes.")
    if one["state"] == "flowing":
        left = one["left_s"]
        return say("Flows now.") if left is None else say("Flows now; the estimate leaves {n} s.", n=left)
    if one["is_well"] is False:
        return say("Drained in {n} s, but routing would hold the next message.", n=one["took_s"])
    return say("Drained and checked, in {n} s.", n=one["took_s"])


def _volume(one: dict[str, Any]) -> str:
    """The messages of a cause, the age of the oldest, and the moment at which its server was asked."""
    messages = local(say_counted(one["messages"], "{count} message", "{count} messages"))
    if not one["messages"] and one["log_lines"]:
        messages = local(say_counted(one["log_lines"], "{count} log line", "{count} log lines"))
    elif one["oldest_s"] is not None:
        messages = local(say("{messages}, the oldest {n} s", messages=messages, n=one["oldest_s"]))
    if one["collected_at"] is None:
        return messages
    return local(say("{messages}, as of {moment}", messages=messages, moment=one["collected_at"]))


def _lines(found: Status) -> Iterator[Sentence]:
    yield say("home       {home}", home=found.home)
    if found.address:
        yield say("web        {address}", address=found.address)
    else:
        yield say("web        `brokerui up` does not run in this home")
    yield from map(_of_process, found.processes)
    yield _of_database(found)
    yield _of_redis(found)
    yield _of_worker(found)
    yield from map(_of_volume, found.volumes)
    if found.server_database_bytes is not None:
        yield _of_server(found.server_database_bytes)
    yield from (say("condition  {what}", what=one.text) for one in found.conditions)


def _of_process(process: ProcessStatus) -> Sentence:
    if not process.is_alive:
        return say("process    {name}: ended; restarts: {n}", name=process.name, n=process.restarts)
    if process.restarts:
        return say("process    {name}: {pid}; restarts: {n}", name=process.name, pid=process.pid, n=process.restarts)
    return say("process    {name}: {pid}", name=process.name, pid=process.pid)


def _of_database(found: Status) -> Sentence:
    if found.database_problem:
        return say("database   not ready: {problem}", problem=found.database_problem)
    return say("database   ready; the live estate has version {version}", version=found.live_version)


def _of_redis(found: Status) -> Sentence:
    if found.redis_problem:
        return say("Redis      {url} does not answer: {problem}", url=found.redis, problem=found.redis_problem)
    return say("Redis      {url} answers", url=found.redis)


def _of_worker(found: Status) -> Sentence:
    if found.worker_seen is None:
        return say("worker     none was seen")
    seen = found.worker_seen.isoformat(sep=" ", timespec="seconds")
    if found.worker_is_late:
        return say("worker     not seen since {moment}", moment=seen)
    return say("worker     seen at {moment}", moment=seen)


def _of_volume(volume: VolumeStatus) -> Sentence:
    free, total = volume.free_bytes // MEGABYTE, volume.total_bytes // MEGABYTE
    return say("space      {folder}: {free} of {total} MB are free", folder=volume.folder, free=free, total=total)


def _of_server(size_bytes: int) -> Sentence:
    size = size_bytes // MEGABYTE
    return say("space      the database has {n} MB; what its server has left cannot be known from here", n=size)
