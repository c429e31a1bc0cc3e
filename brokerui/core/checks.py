"""System checks of the installation: each reports a problem of the settings at start, with its remedy."""

import os
import stat
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Info, Warning  # noqa: A004 - Django's names
from django.db import DatabaseError
from redis import RedisError

from brokerui.core.disk_space import volumes
from brokerui.core.heartbeat import ANSWER_S
from brokerui.core.migration_state import newer_migrations
from brokerui.core.redis_aside import INDEX, put_aside, unreadable_put_aside
from brokerui.core.redis_client import redis_client
from brokerui.core.redis_keys import ASIDE, EXACT
from brokerui.core.redis_url import is_own, without_password
from brokerui.core.valkey import valkey_binary
from routing.common.errors import Invalid

MOST_NAMES = 5
"""Keys that are named; of more, the number is said."""
LOCAL_HOSTS = {"localhost", "127.0.0.1", "[::1]", "testserver"}


def home_is_writable(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """E001: the home is not writable; BrokerUI writes all its files there."""
    if os.access(settings.HOME, os.W_OK | os.X_OK):
        return []
    return [
        Error(
            f"The home {settings.HOME} cannot be written to.",
            hint="Set BROKERUI_HOME to a folder of the user who runs BrokerUI.",
            id="brokerui.E001",
        )
    ]


def secret_key_is_private(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """W001: other users can read the secret key, and could sign session cookies with it."""
    path = settings.HOME / "secret.key"
    if not path.exists() or not stat.S_IMODE(path.stat().st_mode) & 0o077:
        return []
    return [
        Warning(
            f"Other users than its owner can read {path}.",
            hint=f"chmod 600 {path}",
            id="brokerui.W001",
        )
    ]


def home_is_private(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """W004: other users can read the home, which holds the database and uploaded files."""
    if not settings.HOME.exists() or not stat.S_IMODE(settings.HOME.stat().st_mode) & 0o077:
        return []
    return [
        Warning(
            f"Other users than its owner can look into the home {settings.HOME}.",
            hint=f"chmod 700 {settings.HOME}",
            id="brokerui.W004",
        )
    ]


def debug_is_local(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """E002: with DEBUG, an error page shows settings and source code to every client."""
    strangers = sorted(set(settings.ALLOWED_HOSTS) - LOCAL_HOSTS)
    if not settings.DEBUG or not strangers:
        return []
    return [
        Error(
            f"DEBUG is on and the site answers to {', '.join(strangers)}.",
            hint="Unset DEBUG, or take these names out of ALLOWED_HOSTS.",
            id="brokerui.E002",
        )
    ]


def valkey_is_there(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """W003: neither a Valkey program nor `REDIS_URL` is there, so no worker can run."""
    if not is_own(settings.REDIS_URL):
        return []
    try:
        valkey_binary()
    except Invalid as fault:
        return [Warning(f"{fault}", hint="Set REDIS_URL to a Redis or Valkey server.", id="brokerui.W003")]
    return []


def redis_answers(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """W002: the Redis of `REDIS_URL` does not answer. The embedded one is not checked: BrokerUI starts it itself."""
    if is_own(settings.REDIS_URL):
        return []
    try:
        redis_client(connect_s=ANSWER_S, answer_s=ANSWER_S).ping()
    except (RedisError, ValueError) as error:
        return [
            Warning(
                f"Nothing answers at REDIS_URL, {without_password(settings.REDIS_URL)}: {str(error).rstrip('.')}.",
                hint="Without it the site works, but nothing wakes its workers.",
                id="brokerui.W002",
            )
        ]
    return []


def database_is_not_newer(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """E014: newer code has migrated the database; this code would write rows that no longer fit its tables."""
    if not kwargs.get("databases"):
        return []
    try:
        newer = newer_migrations()
    except DatabaseError:
        return []  # it cannot be read at all, which others say
    if not newer:
        return []
    return [
        Error(
            f"Newer code has migrated the database: this code does not know {', '.join(newer)}.",
            hint="Run the newer code again, or restore a backup from before it.",
            id="brokerui.E014",
        )
    ]


def redis_keys_are_ours(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """I002: foreign data was in keys of the product in Redis, and was put aside."""
    if not kwargs.get("databases"):
        return []
    client = redis_client(connect_s=ANSWER_S, answer_s=ANSWER_S)
    try:
        unreadable_put_aside(client, EXACT)
        found = put_aside(client)
    except (RedisError, ValueError):
        return []  # it does not answer, which others say
    if not found:
        return []
    names = ", ".join(f"{one.key} ({one.at:%Y-%m-%d %H:%M} UTC)" for one in found[:MOST_NAMES])
    more = f" and {len(found) - MOST_NAMES} more" if len(found) > MOST_NAMES else ""
    return [
        Info(
            f"Keys of the product in Redis held data of another program, which was put aside: {names}{more}. It is kept"
            f" for a week as {ASIDE}KEY.",
            hint=f"Give the other program a database of its own, then delete the keys {ASIDE}* and {INDEX}.",
            id="brokerui.I002",
        )
    ]


def volumes_have_space(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """W013: a volume is full, or nearly; I001: little is left in it."""
    found: list[CheckMessage] = []
    for volume in volumes():
        if volume.is_full:
            hint = "Make room: nothing can be stored once it is full. SPACE_LEAST_BYTES is the limit of this warning."
            found.append(Warning(f"Hardly any space is left in {volume.text}.", hint=hint, id="brokerui.W013"))
        elif volume.is_low:
            hint = "Make room soon. SPACE_LOW_BYTES is the limit of this warning."
            found.append(Info(f"Little space is left in {volume.text}.", hint=hint, id="brokerui.I001"))
    return found
