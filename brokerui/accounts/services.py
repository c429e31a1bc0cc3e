"""Writing accounts."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone

from brokerui.accounts.levels import Level, Role
from brokerui.accounts.models import Token
from brokerui.estate.models import AuditEntry

FIRST_NAME = "admin"
PASSWORD_BYTES = 12
TOKENS = 20
"""As many as a user may have."""


def roles_ensure(**_signal: Any) -> None:
    """The groups of the roles, each with exactly its levels."""
    _permissions_ensure()
    known = {row.codename: row for row in Permission.objects.filter(content_type__app_label="accounts")}
    for role in Role:
        group, _ = Group.objects.get_or_create(name=role)
        group.permissions.set([known[level.codename] for level in role.levels])


def _permissions_ensure() -> None:
    """Django makes them in a handler of the same signal, whose turn may come later."""
    kind, _ = ContentType.objects.get_or_create(app_label="accounts", model="access")
    for level in Level:
        Permission.objects.get_or_create(
            content_type=kind, codename=level.codename, defaults={"name": level.codename.capitalize()}
        )


@transaction.atomic
def user_create(*, name: str, password: str, role: Role) -> User:
    """A user who may sign in, with one role."""
    user = User.objects.create_user(username=name, password=password)
    user.groups.set([Group.objects.get(name=role)])
    return user


def first_login(password: str = "") -> tuple[str, str] | None:
    """Make the first administrator where there is no user yet; gives name and password, at random unless given.

    None where somebody can sign in already.
    """
    if User.objects.exists():
        return None
    password = password or secrets.token_urlsafe(PASSWORD_BYTES)
    user_create(name=FIRST_NAME, password=password, role=Role.ADMINISTRATOR)
    return FIRST_NAME, password


def expired_delete() -> int:
    """Sessions and tokens that have run out; gives how many."""
    now = timezone.now()
    sessions, _ = Session.objects.filter(expire_date__lt=now).delete()
    tokens, _ = Token.objects.filter(expiry__lt=now).delete()
    return int(sessions + tokens)


@transaction.atomic
def token_create(*, user: User, name: str) -> tuple[Token, str]:
    """A token, and its secret, which is kept nowhere.

    Raises `IntegrityError` where the user has one of this name, `ValueError` where there are `TOKENS` already.
    """
    if Token.objects.filter(user=user).count() >= TOKENS:
        raise ValueError(f"{user} has {TOKENS} tokens")
    token, secret = Token.objects.create(user, name=name)
    _audit(user, "token.create", name)
    return token, secret


@transaction.atomic
def token_revoke(*, user: User, key: str) -> str | None:
    """Delete the user's token that begins so; its name, None where there is none."""
    token = Token.objects.filter(user=user, token_key=key).first()
    if token is None:
        return None
    name: str = token.name
    token.delete()
    _audit(user, "token.revoke", name)
    return name


def _audit(user: User, action: str, note: str) -> None:
    AuditEntry.objects.create(at=timezone.now(), author=user.get_username(), action=action, note=note)
