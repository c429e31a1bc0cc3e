"""What may be set, and what cannot work."""

from __future__ import annotations

from typing import Any

import pytest

from routing.adjacent.limits import MAX_BODY_BYTES
from routing.common.errors import Invalid
from routing.dialog.batch import MAX_OUTGOING_PER_CLAIM
from routing.dialog.fragmentation import MAX_FRAGMENTS_PER_MESSAGE
from routing.dialog.received_ranges import MAX_MESSAGES_AHEAD
from routing.dialog.settings import DialogSettings


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("fragment_bytes", 1, MAX_BODY_BYTES),
        ("window", 1, MAX_OUTGOING_PER_CLAIM),
        ("message_bytes", 1, MAX_BODY_BYTES * MAX_FRAGMENTS_PER_MESSAGE),
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
        assert getattr(DialogSettings(**given), name) == allowed
    for refused in (least - 1, most + 1):
        with pytest.raises(Invalid, match=f"{least} to {most}") as error:
            DialogSettings(**{name: refused})
        assert error.value.path == name


def test_a_full_window_is_never_too_far_ahead_for_its_receiver() -> None:
    assert DialogSettings().window <= MAX_OUTGOING_PER_CLAIM < MAX_MESSAGES_AHEAD


def test_a_message_of_any_length_that_may_be_sent_fits_into_fragments() -> None:
    assert DialogSettings().longest == DialogSettings().message_bytes
    assert DialogSettings(fragment_bytes=1).longest == MAX_FRAGMENTS_PER_MESSAGE
