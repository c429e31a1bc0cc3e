"""The four levels of access, the rights beside them, and the one place that decides which user has which.

Every page, resource and command asks `may`, or `holds` on which it is built, and nothing else: templates too, and the
read-only switch holds for all of them at once. `roles_ensure` in `services.py` makes the groups of the roles.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractUser, AnonymousUser


class Level(StrEnum):
    """A permission of Django's, from the least to the most."""

    VIEW = "accounts.view"
    """See the estate, its scenarios, and what any change would do."""
    OPERATE = "accounts.operate"
    """Operate the existing objects: ask scenarios, send and receive messages, switch queues."""
    EDIT = "accounts.edit"
    """Change the estate: import, edit, apply, roll back."""
    ADMINISTER = "accounts.administer"
    """Users, roles, and everything else."""

    @property
    def codename(self) -> str:
        return self.value.partition(".")[2]


class Right(StrEnum):
    """A permission of Django's beside the levels. No role has it: administrators give it to single users."""

    READ_BODIES = "accounts.read_bodies"
    """See the bodies of messages. Each act is recorded."""

    @property
    def codename(self) -> str:
        return self.value.partition(".")[2]


Permission = Level | Right
_SCOPE = "token_scope"
"""The attribute of a user whose request came with a token."""


class Role(StrEnum):
    """A group of Django's; each may do what those before it may."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    EDITOR = "editor"
    ADMINISTRATOR = "administrator"

    @property
    def levels(self) -> tuple[Level, ...]:
        return tuple(Level)[: tuple(Role).index(self) + 1]

    def includes(self, permission: Permission) -> bool:
        """Whether the role has this level. A right is the user's own: it takes a role that may look."""
        return (permission if isinstance(permission, Level) else Level.VIEW) in self.levels


def may(user: AbstractUser | AnonymousUser, permission: Permission) -> bool:
    """Whether this user has the permission here and now: nobody changes anything where the site is read-only.

    Reading a body is recorded, and so is no mere looking: a site that is read-only shows none.
    """
    if settings.READ_ONLY and permission is not Level.VIEW:
        return False
    return holds(user, permission)


def holds(user: AbstractUser | AnonymousUser, permission: Permission) -> bool:
    """Whether the user has the permission, also where the site is read-only: enough to look, never to write.

    A right alone is worth nothing: it adds to the level VIEW.
    """
    if not _is_in_scope(user, permission):
        return False
    if isinstance(permission, Right) and not user.has_perm(Level.VIEW):
        return False
    return bool(user.is_active and user.has_perm(permission))


def limit_to(user: AbstractUser, scope: str) -> None:
    """Limit this object of a user, which lasts for one request, to the scope of a token: the codename of a level.

    Empty: no limit.
    """
    setattr(user, _SCOPE, scope)


def _is_in_scope(user: AbstractUser | AnonymousUser, permission: Permission) -> bool:
    """Whether a scope includes the permission: it never has a right, and one that is unknown has nothing."""
    scope = getattr(user, _SCOPE, "")
    if not scope:
        return True
    return isinstance(permission, Level) and scope in [level.codename for level in _from(permission)]


def _from(level: Level) -> tuple[Level, ...]:
    return tuple(Level)[tuple(Level).index(level) :]


def highest_level(user: AbstractUser) -> Level | None:
    """The highest level of a user, also where the site is read-only; None: no role, or the user may not sign in."""
    return next((level for level in reversed(Level) if holds(user, level)), None)


class UserAccess:
    """Levels of access of a user, for one rendering of a template: `{% if access.edit %}` in each row asks once."""

    def __init__(self, user: AbstractUser | AnonymousUser) -> None:
        self._user = user

    @cached_property
    def view(self) -> bool:
        return may(self._user, Level.VIEW)

    @cached_property
    def operate(self) -> bool:
        return may(self._user, Level.OPERATE)

    @cached_property
    def edit(self) -> bool:
        return may(self._user, Level.EDIT)

    @cached_property
    def administer(self) -> bool:
        return may(self._user, Level.ADMINISTER)

    @cached_property
    def read_bodies(self) -> bool:
        return may(self._user, Right.READ_BODIES)
