"""System check of the stored keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Warning  # noqa: A004 - Django's name
from django.db import DatabaseError

from brokerui.messaging.keys.selectors import undecryptable_keys

MOST_NAMES = 5
"""Databases that are named; of further ones only the number is given."""


def stored_keys_can_be_decrypted(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """W012: KEYS_SECRET or keys.secret is another one than the stored keys were encrypted with."""
    if not kwargs.get("databases"):
        return []
    try:
        places = undecryptable_keys()
    except DatabaseError:
        return []  # not migrated yet
    if not places:
        return []
    more = f" and {len(places) - MOST_NAMES} more" if len(places) > MOST_NAMES else ""
    return [
        Warning(
            f"The stored key pairs of {', '.join(places[:MOST_NAMES])}{more} cannot be decrypted: KEYS_SECRET, or"
            " keys.secret in the home, is missing or another one than they were encrypted with. Their encrypted dialogs"
            " wait.",
            hint="Put keys.secret back or set KEYS_SECRET to what it was, and start again. If it is lost, set"
            " KEYS_SECRET to a new one, make each pair anew (brokerui keys make HOST/DB --replace), and give the"
            " public keys to those who speak with these databases.",
            id="brokerui.W012",
        )
    ]
