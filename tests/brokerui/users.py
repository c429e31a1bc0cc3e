"""Users and sessions of tests: the service's rows, repeated.

Some thousand tests sign in. The first of a process asks the service for its user; the others write the rows that the
service has written then, in a quarter of the time. `test_users.py` holds both to the same rows.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection, models
from django.utils import timezone
from django.utils.crypto import get_random_string

from brokerui.accounts.levels import Role
from brokerui.accounts.services import user_create
from brokerui.estate.models import AuditEntry

SESSION_KEY_LENGTH: Final = 32

_made: dict[tuple[Role, str, str], tuple[User, AuditEntry]] = {}
"""What the service made for a role with a password and a hasher of passwords: the user, and the entry of the audit."""


def user_repeated(role: Role, password: str) -> User:
    """Make the user of this role; the database must not have one of the name yet."""
    key = role, password, settings.PASSWORD_HASHERS[0]
    if key not in _made:
        user = user_create(name=role, password=password, role=role)
        _made[key] = copied(user), AuditEntry.objects.latest("pk")
        return user
    user, entry = map(copied, _made[key])
    user.date_joined = entry.at = timezone.now()
    user.pk = inserted(user)
    group = one_value("SELECT id FROM auth_group WHERE name = %s", str(role))
    inserted(User.groups.through(user_id=user.pk, group_id=group))
    inserted(entry)
    return user


def session_made(values: dict[str, str]) -> SessionStore:
    """Store a session with these values under a key of its own."""
    store = SessionStore()
    store.update(values)
    store._session_key = get_random_string(SESSION_KEY_LENGTH, VALID_KEY_CHARS)
    inserted(Session(store.session_key, store.encode(values), store.get_expiry_date()))
    return store


def user_marked_signed_in(user: User) -> None:
    """Store that the user signs in now."""
    user.last_login = timezone.now()
    User.objects.filter(pk=user.pk).update(last_login=user.last_login)


def copied(row: Any) -> Any:
    """Copy a row with its state, so that no test changes the row of another one."""
    other = copy(row)
    other._state = copy(row._state)
    other._state.fields_cache = {}
    return other


def inserted(row: models.Model) -> Any:
    """Write a new row, and return its key. Django's `save` takes five times as long."""
    fields = [field for field in row._meta.local_concrete_fields if not isinstance(field, models.AutoField)]
    values = [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]
    names = ", ".join(connection.ops.quote_name(field.column) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    return one_value(
        f"INSERT INTO {row._meta.db_table} ({names}) VALUES ({places}) RETURNING {row._meta.pk.column}",
        *values,
    )


def one_value(statement: str, *parameters: Any) -> Any:
    """Return the first value of the first row; None: no row."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        row = cursor.fetchone()
    return None if row is None else row[0]
