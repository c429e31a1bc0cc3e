"""A value made of settings is made once, and anew after a change of them."""

from __future__ import annotations

from typing import Any

from django.conf import settings as current

from brokerui.core.read_once import read_once


def test_settings_are_read_once_and_again_after_a_change(settings: Any) -> None:
    settings.PULSE_SECONDS = 1
    reads = list[int]()

    @read_once
    def pulse() -> int:
        reads.append(current.PULSE_SECONDS)
        return current.PULSE_SECONDS

    assert (pulse(), pulse()) == (1, 1)
    settings.PULSE_SECONDS = 2
    assert (pulse(), pulse()) == (2, 2)
    assert reads == [1, 2]
