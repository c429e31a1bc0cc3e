"""The database settings: the embedded SQLite of the home, or what `DATABASE_URL` names."""

from pathlib import Path
from typing import Any

import environ

DJANGO_SQLITE = "django.db.backends.sqlite3"
SQLITE = "brokerui.core.sqlite"

# Nothing acknowledged may be lost: WAL lets readers go on while one writes, FULL waits for the disk at
# every commit, IMMEDIATE takes the write lock at the beginning, where waiting for it is still possible.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=20000;",
}


def database(env: environ.Env, home: Path) -> dict[str, Any]:
    """Return Django's `DATABASES` for an address; empty: the SQLite of the home."""
    given = env.str("DATABASE_URL", default="")
    if not given:
        return _sqlite({"NAME": str(home / "brokerui.sqlite3")})
    settings = dict(environ.Env.db_url_config(given))
    if settings["ENGINE"] == DJANGO_SQLITE:
        return _sqlite(settings)
    return settings | {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}


def _sqlite(settings: dict[str, Any]) -> dict[str, Any]:
    """Add BrokerUI's backend and options, except options that the address sets itself. Tests run in memory."""
    return settings | {
        "ENGINE": SQLITE,
        "TEST": {"NAME": ":memory:"},
        "OPTIONS": SQLITE_OPTIONS | settings.get("OPTIONS", {}),
    }
