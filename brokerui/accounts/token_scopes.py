"""Scopes of tokens in words, for pages and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy

from brokerui.accounts.levels import Level, holds

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.utils.functional import Promise

EVERYTHING = "all"
"""Stands for no scope in a form, whose empty value is none."""
_SCOPES = {
    Level.VIEW.codename: gettext_lazy("See only"),
    Level.OPERATE.codename: gettext_lazy("See and operate"),
    Level.EDIT.codename: gettext_lazy("See, operate and edit"),
    Level.ADMINISTER.codename: gettext_lazy("See, operate, edit and administer"),
}
_ALL = gettext_lazy("All permissions of the user")


def scope_words(scope: str) -> str:
    """Return the words for a scope, a codename; one that is unknown stands as it is."""
    return str(_SCOPES.get(scope, scope) if scope else _ALL)


def scope_choices(user: User) -> list[tuple[str, str | Promise]]:
    """The scopes that a token of this user may have, the least first."""
    held = [(level.codename, _SCOPES[level.codename]) for level in Level if holds(user, level)]
    return [*held, (EVERYTHING, _ALL)]


def level_of(choice: str) -> Level | None:
    """The level of a choice; None: no scope."""
    return next((level for level in Level if level.codename == choice), None)
