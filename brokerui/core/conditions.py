"""The condition of an installation: what can become wrong with it while it runs, as its system checks find it.

A check of this tag is asked by `brokerui up` and every process at its start, by `brokerui status` and by `manage.py
check`; so all of them say the same sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.checks import ERROR, WARNING, run_checks
from django.db import DEFAULT_DB_ALIAS

from brokerui.core.redis_client import redis_client
from brokerui.core.redis_keys import CONDITIONS

TAG = "condition"
KEPT_S = 24 * 3600
"""A condition that lasts is told again after this time, in seconds."""
ANSWER_S = 2.0


@dataclass(frozen=True, slots=True)
class Condition:
    """The result of a check."""

    id: str
    """Id of the check, as in docs/reference/checks.md."""
    text: str
    """The problem and its remedy, in one line."""
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


def conditions_newly_reported(found: Sequence[Condition]) -> tuple[Condition, ...]:
    """Note in Redis which conditions were told; return those that were not before. Those that have gone are forgotten,
    so that they are told when they come again. Raises `RedisError`."""
    client = redis_client(connect_s=ANSWER_S, answer_s=ANSWER_S)
    ids = {one.id for one in found}
    noted = [member for member in client.smembers(CONDITIONS) if isinstance(member, bytes)]
    gone = [member for member in noted if member.decode(errors="replace") not in ids]
    if gone:
        client.srem(CONDITIONS, *gone)
    new = tuple(one for one in found if client.sadd(CONDITIONS, one.id))
    if new:
        client.expire(CONDITIONS, KEPT_S)
    return new


def conditions_to_run_in() -> tuple[Condition, ...]:
    """Look now. Raises `RefusedConditionError` where the product must not run."""
    found = conditions()
    for one in found:
        if one.is_refused:
            raise RefusedConditionError(one)
    return found
