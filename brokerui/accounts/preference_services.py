"""Reading and writing the preferences of a user."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from brokerui.accounts.models import UserPreferences
from brokerui.accounts.preferences import DEFAULTS, NAMES, Preferences, preferences_checked
from brokerui.estate.audit import audit
from brokerui.estate.audit_changes import changes_of


def preferences_of(user: Any) -> Preferences | None:
    """Return the choices of a signed-in user; None where there are none, or nobody is signed in."""
    row = getattr(user, "preferences", None)
    return Preferences(**{name: getattr(row, name) for name in NAMES}) if row is not None else None


@transaction.atomic
def preferences_save(*, user: User, given: dict[str, Any]) -> Preferences:
    """Change the choices that are given; the others stay. Raises `Invalid`. The audit has what changes."""
    changes = preferences_checked(given)
    kept = UserPreferences.objects.select_for_update().filter(user=user).first()
    before = {name: getattr(kept or DEFAULTS, name) for name in NAMES}
    after = {**before, **changes}
    row, _ = UserPreferences.objects.update_or_create(user=user, defaults=after)
    user.preferences = row
    words = [f"{name}: {before[name]} -> {after[name]}" for name in NAMES if before[name] != after[name]]
    if words:
        audit(
            author=user.get_username(),
            action="preferences.change",
            note=", ".join(words),
            changes=changes_of(before, after),
        )
    return Preferences(**after)
