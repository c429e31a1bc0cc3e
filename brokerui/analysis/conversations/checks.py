"""Checks of the settings about bodies at the start, each problem with its remedy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

from brokerui.analysis.conversations.masking import Secret


def masks_make_sense(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """E015: a rule that there is not, or a pattern that is none."""
    names = [secret.value for secret in Secret if secret is not Secret.OWN]
    found: list[CheckMessage] = [
        Error(f"BODY_MASKS has no rule {name}.", hint=f"The rules are {', '.join(names)}.", id="brokerui.E015")
        for name in settings.BODY_MASKS
        if name not in names
    ]
    try:
        re.compile(settings.BODY_MASK_PATTERN)
    except re.error as error:
        hint = "It must be a regular expression of Python, or empty."
        found.append(Error(f"BODY_MASK_PATTERN is no pattern: {error}.", hint=hint, id="brokerui.E015"))
    return found
