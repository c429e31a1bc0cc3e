"""The condition of an installation: what can become wrong with it while it runs, as its system checks find it.

A check of this tag is asked by `brokerui up` and every process at its start, by `brokerui status` and by `manage.py
check`; so all of them say the same sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.core.checks import ERROR, WARNING, run_checks
from django.db import DEFAULT_DB_ALIAS

TAG = "condition"


@dataclass(frozen=True, slots=True)
class Condition:
    """What a check has found."""

    id: str
    """Of the check, as in docs/reference/checks.md."""
    text: str
    """What is wrong and what helps, in one line."""
    is_well: bool
    """Whether everything works all the same, and the line is for information."""
    is_refused: bool
    """Whether the product must not run in this condition."""


def conditions() -> tuple[Condition, ...]:
    """Look now: at the database, Redis, keys and volumes."""
    found = run_checks(tags=[TAG], databases=[DEFAULT_DB_ALIAS])
    return tuple(
        Condition(str(one.id), f"{one.msg} {one.hint or ''}".strip(), one.level < WARNING, one.level >= ERROR)
        for one in found
    )


class RefusedConditionError(Exception):
    """The product must not run in this condition."""

    def __init__(self, condition: Condition) -> None:
        super().__init__(condition.text)
        self.condition = condition


def conditions_to_run_in() -> tuple[Condition, ...]:
    """Look now. Raises `RefusedConditionError` where the product must not run."""
    found = conditions()
    for one in found:
        if one.is_refused:
            raise RefusedConditionError(one)
    return found
