"""When to try again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.common.choices import Choices
from routing.common.retry import retry_delay_ms

SECONDS = [4, 8, 16, 32, 64, 64, 64]


@pytest.mark.parametrize(("failures", "seconds"), list(enumerate(SECONDS, 1)))
def test_the_schedule_of_the_product_is_the_least(failures: int, seconds: int) -> None:
    assert retry_delay_ms(failures, Choices(lambda _: 0)) == seconds * 1000


@given(st.integers(1, 10**9), st.integers(0, 2**32 - 1))
def test_jitter_makes_it_longer_by_less_than_an_eighth(failures: int, bits: int) -> None:
    least = retry_delay_ms(failures, Choices(lambda _: 0))
    assert least <= retry_delay_ms(failures, Choices(lambda _: bits)) < least * 9 / 8
