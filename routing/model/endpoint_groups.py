"""Conversation endpoints of a real server by service, state and age: the sums of one collection.

They are finer than what an estate keeps, and take no part in routing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from routing.common.errors import Invalid, must_be
from routing.common.names import SERVICE_NAME_CHARS, check_name
from routing.common.sentence import say
from routing.model.collected import MAX_STATE_CHARS, check_count

AGES: Final = (0, 1, 7, 30, 180)
"""Days at which the groups of age begin; the last has no end."""
DEFAULT_LIFETIME: Final = timedelta(seconds=2_147_483_647)
"""Of a dialog that was begun without LIFETIME."""
OWN_LIFETIME: Final = timedelta(days=20 * 365)
"""A lifetime that ends sooner was given by the application, and does not tell when the conversation began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointGroup:
    """Endpoints of one service with the same far service, role, state and age."""

    endpoints: int
    state: str
    """`state` of sys.conversation_endpoints, such as DI."""
    service: str | None = None
    """None: not collected."""
    far_service: str | None = None
    is_initiator: bool | None = None
    age_days: int | None = None
    """The days of `AGES` at which its group of age begins; None: not known."""

    def __post_init__(self) -> None:
        check_count(self.endpoints, "endpoints")
        check_name(self.state, "state", MAX_STATE_CHARS)
        for field in ("service", "far_service"):
            name = getattr(self, field)
            if name is not None:
                check_name(name, field, SERVICE_NAME_CHARS)
        if self.age_days is not None and self.age_days not in AGES:
            raise Invalid("age_days", must_be(say("one of {ages}", ages=", ".join(map(str, AGES))), self.age_days))


def age_of_lifetime(lifetime: datetime, at: datetime) -> int | None:
    """The group of age at `at` of a conversation with this end of its lifetime; None: it does not tell.

    The default lifetime tells when the conversation began; one of its own that is over, since when it is over.
    """
    begun = lifetime - DEFAULT_LIFETIME if lifetime > at + OWN_LIFETIME else lifetime
    return age_group(at - begun) if begun <= at else None


def age_group(age: timedelta) -> int:
    """The days at which the group begins that this age falls into."""
    days = age / timedelta(days=1)
    return next((first for first, following in pairwise(AGES) if days < following), AGES[-1])
