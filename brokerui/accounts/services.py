"""Writing accounts."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import timedelta
from typing import Any

import axes.utils
from django.conf import settings
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from brokerui.accounts.levels import Level, Right, Role, highest_level, holds
from brokerui.accounts.models import Token
from brokerui.accounts.token_limits import TOKEN_DAYS, TOKENS
from brokerui.estate.audit import audit
from brokerui.estate.audit_changes import Changes, changes_of
from brokerui.estate.models import AuditEntry

FIRST_NAME = "admin"
PASSWORD_BYTES = 12


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
    for permission in (*Level, *Right):
        name = permission.codename.replace("_", " ").capitalize()
        Permission.objects.get_or_create(content_type=kind, codename=permission.codename, defaults={"name": name})


class LastAdministratorError(Exception):
    """The change would leave no administrator who can sign in."""


@transaction.atomic
def user_create(*, name: str, password: str, role: Role, author: str = "") -> User:
    """Create a user with one role. An empty author means the product itself."""
    user = User.objects.create_user(username=name, password=password)
    user.groups.set([Group.objects.get(name=role)])
    after = {"name": name, "role": role.value, "may sign in": True}
    audit(author=author, action="user.create", note=f"{name}: {role}", changes=changes_of(None, after))
    return user


@transaction.atomic
def user_save(
    *, user: User, role: Role, active: bool, password: str = "", rights: Collection[Right] = (), author: str
) -> None:
    """Role and rights, whether the user may sign in, and a new password where one is given.

    Who may no longer sign in loses the tokens: they do not come back with the user.
    Raises `LastAdministratorError` where nobody would be left to manage users.
    """
    before = _audited(user)
    user.is_active = active
    if password:
        user.set_password(password)
    user.save()
    user.groups.set([Group.objects.get(name=role)])
    if not User.objects.filter(is_active=True, groups__name=Role.ADMINISTRATOR).exists():
        raise LastAdministratorError
    _rights_set(user, rights)
    state = ", ".join([role, *(right.codename for right in rights)]) if active else "may not sign in"
    changes = changes_of(before, _audited(user))
    audit(author=author, action="user.change", note=f"{user.username}: {state}", changes=changes)
    if password:
        audit(author=author, action="user.password", note=user.username)
    if not active:
        for token in Token.objects.filter(user=user):
            token_revoke(user=user, key=token.token_key, author=author)


def _audited(user: User) -> dict[str, object]:
    """Return the fields of a user that the audit has. A password is none of them."""
    stored = User.objects.filter(pk=user.pk).values_list("is_active", flat=True).first()
    roles = sorted(user.groups.values_list("name", flat=True))
    return {"role": roles, "rights": [right.codename for right in rights_of(user)], "may sign in": stored}


def rights_of(user: User) -> tuple[Right, ...]:
    """The rights that were given to this user beside the role."""
    held = set(_rights_rows().filter(user=user).values_list("codename", flat=True))
    return tuple(right for right in Right if right.codename in held)


def _rights_set(user: User, rights: Collection[Right]) -> None:
    user.user_permissions.remove(*_rights_rows())
    user.user_permissions.add(*_rights_rows().filter(codename__in=[right.codename for right in rights]))


def _rights_rows() -> QuerySet[Permission]:
    codenames = [right.codename for right in Right]
    return Permission.objects.filter(content_type__app_label="accounts", codename__in=codenames)


@transaction.atomic
def password_change(*, user: User, password: str) -> None:
    """The user's own doing. All other sessions of the user end."""
    user.set_password(password)
    user.save()
    audit(author=user.get_username(), action="user.password", note=user.get_username())


LOCKOUT_BEGIN, LOCKOUT_RELEASE = "lockout.begin", "lockout.release"
"""Actions of the audit."""


@transaction.atomic
def lockout_begin(*, name: str, address: str) -> None:
    """Add the lock-out of a name at an address to the audit, once for all tries while it lasts."""
    note = f"{name} {address}".strip()
    since = timezone.now() - settings.AXES_COOLOFF_TIME
    entries = AuditEntry.objects.filter(action__in=(LOCKOUT_BEGIN, LOCKOUT_RELEASE), note=note, at__gt=since)
    latest = entries.values_list("action", flat=True).first()
    if latest != LOCKOUT_BEGIN:
        audit(author="", action=LOCKOUT_BEGIN, note=note)


@transaction.atomic
def lockout_release(*, name: str, address: str, author: str) -> None:
    """Forget the wrong passwords for a name from an address."""
    axes.utils.reset(username=name, ip=address or None)
    audit(author=author, action=LOCKOUT_RELEASE, note=f"{name} {address}".strip())


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


class TokenNameTakenError(Exception):
    """The user has a token of this name already."""


class TooManyTokensError(Exception):
    """The user has `TOKENS` already."""


class LevelNotHeldError(Exception):
    """The scope is a level that the user does not have."""

    def __init__(self, highest: Level | None) -> None:
        super().__init__(highest)
        self.highest = highest


@transaction.atomic
def token_create(
    *, user: User, name: str, level: Level | None = None, days: int = TOKEN_DAYS, author: str = ""
) -> tuple[Token, str]:
    """A token, and its secret, which is kept nowhere. It has a scope up to a level; None: all that its user may.

    `author` is the acting user, if it is not this one. Raises `TokenNameTakenError`, `TooManyTokensError` and
    `LevelNotHeldError`.
    """
    _check_new_token(user, name, level)
    scope = level.codename if level else ""
    token, secret = Token.objects.create(user, expiry=timedelta(days=days), name=name, level=scope)
    note = f"{name} ({scope or 'all permissions'}, until {token.expiry:%Y-%m-%d %H:%M} UTC)"
    after = {"name": name, "scope": scope or "all permissions", "expires": token.expiry}
    _audit_token("token.create", user, note, author, changes_of(None, after))
    return token, secret


def _check_new_token(user: User, name: str, level: Level | None) -> None:
    """One token is made for a user at a time: the row of the user is locked."""
    User.objects.select_for_update().get(pk=user.pk)
    if Token.objects.filter(user=user, name=name).exists():
        raise TokenNameTakenError
    if Token.objects.filter(user=user).count() >= TOKENS:
        raise TooManyTokensError
    if level is not None and not holds(user, level):
        raise LevelNotHeldError(highest_level(user))


@transaction.atomic
def token_revoke(*, user: User, key: str, author: str = "") -> str | None:
    """Delete the user's token that begins so; its name, None where there is none.

    `author` is the acting user, if it is not this one.
    """
    token = Token.objects.filter(user=user, token_key=key).first()
    if token is None:
        return None
    name: str = token.name
    before = {"name": name, "scope": token.level or "all permissions", "expires": token.expiry}
    token.delete()
    _audit_token("token.revoke", user, name, author, changes_of(before, None))
    return name


def _audit_token(action: str, user: User, note: str, author: str, changes: Changes) -> None:
    """The user is named where somebody else acts."""
    owner = user.get_username()
    about = note if author in ("", owner) else f"{owner}: {note}"
    audit(author=author or owner, action=action, note=about, changes=changes)
