"""The leak test: thresholds by state and age, and 48 million conversations as sums."""

from __future__ import annotations

import pytest

from routing.lint.endpoint_leaks import by_service_and_state, leaks_among
from routing.model.endpoint_groups import EndpointGroup


def group(state: str, endpoints: int, age: int | None, service: str = "//shop/Audit", **more: object) -> EndpointGroup:
    return EndpointGroup(state=state, endpoints=endpoints, age_days=age, service=service, **more)  # type: ignore[arg-type]  # fields


@pytest.mark.parametrize(
    ("state", "age", "endpoints", "is_leak"),
    [
        ("DI", 1, 100, True),
        ("DI", 1, 99, False),
        ("DI", 0, 1_000_000, False),
        ("ER", 7, 100, True),
        ("CD", 1, 999, False),
        ("CD", 1, 1000, True),
        ("CD", 0, 50_000, False),
        ("CO", 1, 50_000, False),
        ("CO", 7, 1000, True),
        ("DO", 1, 1000, True),
        ("SO", 30, 1000, True),
        ("DI", None, 999, False),
        ("DI", None, 1000, True),
        ("CO", None, 1000, True),
    ],
)
def test_thresholds(state: str, age: int | None, endpoints: int, *, is_leak: bool) -> None:
    assert bool(leaks_among([group(state, endpoints, age)])) is is_leak


def test_groups_of_a_service_are_added_up_whatever_their_far_service() -> None:
    rows = [group("DI", 60, 7, far_service="a"), group("DI", 40, 1, far_service="b"), group("CO", 5, 0)]
    leak, busy = by_service_and_state(rows)
    assert (leak.key, leak.endpoints, leak.is_leak, leak.far_service) == (("//shop/Audit", None, "DI"), 100, True, "a")
    assert leak.older_than(7) == 60
    assert (busy.state, busy.is_leak) == ("CO", False)


def test_48_million_conversations_are_a_sum() -> None:
    [leak] = leaks_among([group("DI", 48_624_361, 180), group("DI", 5, 0)])
    assert (leak.endpoints, leak.left_over) == (48_624_366, 48_624_361)
