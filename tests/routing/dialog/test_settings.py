"""What may be set, and what cannot work."""

from __future__ import annotations

from typing import Any

import pytest

from routing.adjacent.limits import MAX_BODY
from routing.common.errors import Invalid
from routing.dialog.batch import OUTGOING_AT_ONCE
from routing.dialog.fragments import MOST_FRAGMENTS
from routing.dialog.receipts import AHEAD
from routing.dialog.settings import Settings


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("fragment_bytes", 1, MAX_BODY),
        ("window", 1, OUTGOING_AT_ONCE),
        ("message_bytes", 1, MAX_BODY * MOST_FRAGMENTS),
        ("batch_bytes", 1, 1 << 40),
        ("held_bytes", 0, 1 << 40),
        ("postponed_bytes", 0, 1 << 40),
        ("transmission_bytes", 0, 1 << 40),
        ("room", 0, 1 << 40),
    ],
)
def test_a_setting_has_bounds(name: str, least: int, most: int) -> None:
    for allowed in (least, most):
        given: dict[str, Any] = {name: allowed}
        assert getattr(Settings(**given), name) == allowed
    for refused in (least - 1, most + 1):
        with pytest.raises(Invalid, match=f"{least} to {most}") as error:
            Settings(**{name: refused})
        assert error.value.path == name


def test_a_full_window_is_never_too_far_ahead_for_its_receiver() -> None:
    assert Settings().window <= OUTGOING_AT_ONCE < AHEAD


def test_a_message_of_any_length_that_may_be_sent_fits_into_fragments() -> None:
    assert Settings().longest == Settings().message_bytes
    assert Settings(fragment_bytes=1).longest == MOST_FRAGMENTS
