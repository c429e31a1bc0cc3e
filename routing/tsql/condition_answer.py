"""The value of a condition of a script, as far as it is known before the script runs."""

from __future__ import annotations

from dataclasses import dataclass

from routing.common.sentence import Sentence


@dataclass(frozen=True, slots=True)
class ConditionAnswer:
    """The value of a condition, as far as it is known before the script runs."""

    value: bool | None
    """None: known only when the script runs."""
    subject: tuple[str, str] | None = None
    """Kind and name of the only object that it asks for."""
    why: Sentence | None = None
    """The fact that decides it."""
