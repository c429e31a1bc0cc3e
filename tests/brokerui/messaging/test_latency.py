"""How long messages wait for their acknowledgement: counted by steps, and never further from the truth than a step."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brokerui.messaging.latency import BOUNDS_MS, counted, quantile_ms, step_of

TIMES = st.lists(st.integers(-5, 10**8), min_size=1)


def test_bounds_rise_and_a_time_on_a_bound_belongs_to_its_step() -> None:
    assert list(BOUNDS_MS) == sorted(set(BOUNDS_MS))
    assert [step_of(bound) for bound in BOUNDS_MS] == list(range(len(BOUNDS_MS)))
    assert step_of(BOUNDS_MS[-1] + 1) == len(BOUNDS_MS)


def test_no_message_has_no_latency() -> None:
    assert quantile_ms({}, 0.5) is None


@given(TIMES, st.sampled_from((0.5, 0.95, 1.0)))
def test_a_quantile_is_in_the_step_of_the_true_one(times: list[int], part: float) -> None:
    place = next(at for at in range(len(times)) if at + 1 >= part * len(times))
    step = step_of(sorted(times)[place])
    found = quantile_ms(counted(times), part)
    assert found is not None
    assert (BOUNDS_MS[step - 1] if step else 0) <= found <= BOUNDS_MS[min(step, len(BOUNDS_MS) - 1)]
