"""Users by name and password, as Django has them; a request reads the preferences in the query of its user."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User


class Backend(ModelBackend):
    """Django's own backend, with the preferences."""

    def get_user(self, user_id: Any) -> Any:
        """Return the user of a session; None where it is gone or may not sign in."""
        user = User.objects.select_related("preferences").filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None
