"""When the engine looks at an endpoint, and whether a store finds it among those that may wait."""

from __future__ import annotations

from typing import Any

import pytest

from routing.dialog.endpoint import SOON_MS, Endpoint

NOW = 1_750_000_000_000
SOON, SOONER = NOW + SOON_MS, NOW + SOON_MS - 1
LATER = NOW + SOON_MS + 1


def endpoint(**named: Any) -> Endpoint:
    return Endpoint("1i", "1", True, "db", "S", "Q", "T", None, "DEFAULT", "1i", LATER + 9, "DI", 5, **named)


@pytest.mark.parametrize(
    ("before", "next_attempt", "due"),
    [
        (None, None, None),
        (None, SOON, SOON),
        (SOON, None, SOON),
        (SOON, SOON, SOON),
        (SOONER, SOON, SOONER),
        (NOW + 1, LATER, NOW + 1),
        (SOON, SOONER, SOONER),  # too late
        (NOW, SOON, SOON),  # looked at now
        (NOW, None, None),
        (NOW - 1, SOON, SOON),
        (LATER, None, None),  # it would stay for long
        (LATER, LATER + 1, LATER + 1),
    ],
)
def test_an_endpoint_stays_due_where_that_is_soon_and_early_enough(
    before: int | None, next_attempt: int | None, due: int | None
) -> None:
    changed = endpoint(next_attempt=next_attempt)
    changed.note_due(endpoint(due=before), NOW)
    assert changed.due == due


def test_a_new_endpoint_is_due_when_it_has_to_act() -> None:
    new = endpoint(next_attempt=SOON, outgoing=1)
    new.note_due(None, NOW)
    assert (new.due, new.may_wait) == (SOON, True)


@pytest.mark.parametrize("waits", [{"outgoing": 1}, {"held": 1}, {}])
@pytest.mark.parametrize("has_waited", [False, True])
@pytest.mark.parametrize("before", [SOON, NOW, None])
def test_what_has_waited_may_wait_until_it_is_looked_at(
    waits: dict[str, int], has_waited: bool, before: int | None
) -> None:
    changed = endpoint(**waits)
    changed.note_due(endpoint(due=before, may_wait=has_waited), NOW)
    assert changed.may_wait == (bool(waits) or (has_waited and before == SOON))
