"""The instances on which the user of the current request may act: set where a request is authorized, asked by writers.

Without a limit, as in workers and on the command line, every instance may be acted on. Reading asks nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.core.exceptions import PermissionDenied

from routing.common.sentence import Sentence, say

Limit = frozenset[str] | None
"""Names of instances; None: all of them."""
NAMED = 5
"""Instances that a refusal names."""
_limit: ContextVar[Limit] = ContextVar("instance_limit", default=None)


class InstanceForbiddenError(PermissionDenied):
    """403: the act concerns instances for which the user has no role."""

    def __init__(self, instances: Collection[str]) -> None:
        self.instances = tuple(sorted(instances))
        self.sentence = _sentence(self.instances)
        super().__init__(str(self.sentence))


def _sentence(instances: tuple[str, ...]) -> Sentence:
    if not instances:
        return say("your role is for some instances, and this concerns every one: nothing was changed")
    if len(instances) == 1:
        return say("you have no role for the instance {name}: nothing was changed", name=instances[0])
    named, more = instances[:NAMED], len(instances) - NAMED
    if more > 0:
        return say("you have no role for the instances {names} and {n} more: nothing was changed", names=named, n=more)
    return say("you have no role for the instances {names}: nothing was changed", names=named)


@contextmanager
def limited_to(limit: Limit) -> Iterator[None]:
    """Let acts inside concern these instances alone."""
    token = _limit.set(limit)
    try:
        yield
    finally:
        _limit.reset(token)


def limit_request(limit: Limit) -> None:
    """Set the limit for the rest of a request, inside of `limited_to`."""
    _limit.set(limit)


def check_every() -> None:
    """Raise `InstanceForbiddenError` where there is any limit: the act concerns every instance."""
    if is_limited():
        raise InstanceForbiddenError(())


def is_limited() -> bool:
    return _limit.get() is not None


def check_instances(names: Iterable[str]) -> None:
    """Raise `InstanceForbiddenError` where one of these instances is outside of the limit."""
    limit = _limit.get()
    if limit is not None and (outside := set(names) - limit):
        raise InstanceForbiddenError(outside)
