"""Ages of conversation endpoints by their lifetime."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from routing.common.errors import Invalid
from routing.model.endpoint_groups import DEFAULT_LIFETIME, EndpointGroup, age_of_lifetime

AT = datetime(2026, 11, 24, 8, 37, tzinfo=UTC)


@pytest.mark.parametrize(
    ("days", "group"), [(0, 0), (0.9, 0), (1, 1), (6.9, 1), (7, 7), (29, 7), (30, 30), (180, 180), (7000, 180)]
)
def test_the_default_lifetime_tells_when_a_conversation_began(days: float, group: int) -> None:
    assert age_of_lifetime(AT - timedelta(days=days) + DEFAULT_LIFETIME, AT) == group


def test_a_lifetime_of_its_own_tells_only_when_it_is_over() -> None:
    assert age_of_lifetime(AT - timedelta(days=8), AT) == 7
    assert age_of_lifetime(AT + timedelta(days=8), AT) is None


def test_a_conversation_of_the_future_has_no_age() -> None:
    assert age_of_lifetime(AT + timedelta(hours=2) + DEFAULT_LIFETIME, AT) is None


def test_only_known_groups_of_age_are_taken() -> None:
    with pytest.raises(Invalid):
        EndpointGroup(endpoints=1, state="DI", age_days=2)
