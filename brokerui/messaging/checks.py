"""System checks of messaging, each with its remedy.

Checks that read the database run only where they may: `manage.py check --database default`.
"""

from __future__ import annotations

import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's names
from django.db import DatabaseError, connection

from brokerui.core.logs import FORMATS
from brokerui.estate.models import Instance
from brokerui.messaging.endpoint.hosted_instances import hosted
from brokerui.messaging.exchange.frame_bundles import BUNDLE

SQLITE_LEAST = (3, 35)
"""The first with RETURNING."""
MOST_SHARDS = 64


def sqlite_is_new_enough(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """E005: the store needs RETURNING."""
    if connection.vendor != "sqlite" or sqlite3.sqlite_version_info >= SQLITE_LEAST:
        return []
    return [
        Error(
            f"SQLite {sqlite3.sqlite_version} is too old: 3.35 or newer is needed.",
            hint="Use a Python that comes with a newer SQLite, or PostgreSQL by DATABASE_URL.",
            id="brokerui.E005",
        )
    ]


def shards_can_be_used(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """E006: without a shard nothing arrives; each of many is looked at by every worker."""
    if 1 <= settings.ENDPOINT_SHARDS <= MOST_SHARDS:
        return []
    return [
        Error(
            f"ENDPOINT_SHARDS is {settings.ENDPOINT_SHARDS}, and must be from 1 to {MOST_SHARDS}.",
            hint="4 is right for most; the same in all processes.",
            id="brokerui.E006",
        )
    ]


def lists_have_room(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """E007: a list must hold at least one bundle."""
    of_peer, one = settings.ENDPOINT_LIST_BYTES_OF_PEER, settings.ENDPOINT_LIST_BYTES
    all_of_them = settings.ENDPOINT_LISTS_BYTES
    if BUNDLE <= of_peer <= one <= all_of_them and one >= 2 * BUNDLE:
        return []
    return [
        Error(
            f"ENDPOINT_LIST_BYTES_OF_PEER is {of_peer}, ENDPOINT_LIST_BYTES {one} and ENDPOINT_LISTS_BYTES"
            f" {all_of_them}.",
            hint=f"{BUNDLE} or more, {2 * BUNDLE} or more, and none less than the one before it.",
            id="brokerui.E007",
        )
    ]


def connections_are_let_in(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """E008: a limit below 1 allows no connection."""
    most, of_peer = settings.ENDPOINT_CONNECTIONS, settings.ENDPOINT_CONNECTIONS_OF_PEER
    if 1 <= of_peer <= most:
        return []
    return [
        Error(
            f"ENDPOINT_CONNECTIONS is {most} and ENDPOINT_CONNECTIONS_OF_PEER {of_peer}.",
            hint="Both must be 1 or more, and the second not more than the first.",
            id="brokerui.E008",
        )
    ]


def log_format_is_known(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """W006: it is taken for the usual one."""
    if settings.LOG_FORMAT in FORMATS:
        return []
    problem = f"LOG_FORMAT is {settings.LOG_FORMAT!r}, which is none of {', '.join(FORMATS)}."
    return [Warning(problem, hint="The logs are written as lines for people.", id="brokerui.W006")]


def event_log_has_its_folder(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """W011: switched on, and nowhere to write it to. The folder itself is made when it is first written."""
    folder = settings.EVENT_LOG_FOLDER
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not settings.EVENT_LOG or (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        return []
    return [
        Warning(
            f"EVENT_LOG is on, and {there} cannot be written to: no events are kept.",
            hint="Set EVENT_LOG_FOLDER to a folder of the user who runs the workers.",
            id="brokerui.W011",
        )
    ]


def hosted_instances_listen(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """W007: an instance has no address for replies. W008: its messages wait. W009: a second listener fails."""
    if not kwargs.get("databases"):
        return []
    try:
        names = set(Instance.objects.filter(hosted=True).values_list("name", flat=True))
        listening = hosted()
    except DatabaseError:
        return []  # not migrated yet
    return [*_silent(listening), *_stopped(names - set(listening)), *_taken_twice(listening)]


def _silent(listening: Mapping[str, tuple[str, ...]]) -> Iterator[CheckMessage]:
    for name, addresses in listening.items():
        if not addresses:
            yield Warning(
                f'The instance "{name}" is hosted here and has no address.',
                hint=f"Nobody can send to it: brokerui host {name} --listen tcp://HOST:PORT",
                id="brokerui.W007",
            )


def _stopped(names: set[str]) -> Iterator[CheckMessage]:
    for name in sorted(names):
        yield Warning(
            f'The endpoint of the hosted instance "{name}" is stopped or disabled.',
            hint="It neither listens nor sends; what it has to send waits.",
            id="brokerui.W008",
        )


def _taken_twice(listening: Mapping[str, tuple[str, ...]]) -> Iterator[CheckMessage]:
    """Warn of a port that several instances listen at: on one machine only one of them can have it."""
    of_ports: dict[str, list[str]] = defaultdict(list)
    for name, addresses in listening.items():
        for address in addresses:
            of_ports[address.rpartition(":")[2]].append(f"{name} ({address})")
    for port, those in sorted(of_ports.items()):
        if len(those) > 1:
            yield Warning(
                f"Several addresses that are listened at here have the port {port}: {', '.join(those)}.",
                hint="Where they are addresses of one network interface, the second one is not listened at.",
                id="brokerui.W009",
            )
