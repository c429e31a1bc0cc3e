"""The order of what needs a person: dropped before delayed, then age times volume; rows of one cause are one."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from brokerui.analysis.overview.causes import CauseKind, HeldCause, totals_of, worst_first

NAMES = st.sampled_from(("A", "B"))
CAUSES = st.builds(
    HeldCause,
    outcome=st.sampled_from(("dropped", "delayed")),
    kind=st.sampled_from(CauseKind),
    instance=NAMES,
    database=NAMES,
    subject=NAMES,
    number=st.sampled_from((0, 9793)),
    conversations=st.none() | st.integers(0, 50),
    messages=st.integers(0, 1_000),
    oldest_s=st.none() | st.integers(0, 100_000),
)
ONE = HeldCause(
    outcome="delayed",
    kind=CauseKind.WAITING,
    instance="A",
    database="one",
    subject="To",
    number=9793,
    conversations=2,
    messages=3,
    oldest_s=60,
)


def test_nothing_needs_nobody() -> None:
    assert worst_first([]) == []
    totals = totals_of([])
    assert (totals.causes, totals.messages, totals.oldest) == (0, 0, None)


@given(st.lists(CAUSES), st.randoms(use_true_random=False))
def test_the_order_is_by_outcome_then_weight_whatever_the_order_of_the_rows(
    rows: list[HeldCause], draw: object
) -> None:
    causes = worst_first(rows)
    ranks = [(cause.outcome == "delayed", -cause.weight) for cause in causes]
    assert ranks == sorted(ranks)
    assert len({cause.key for cause in causes}) == len(causes)
    assert sum(cause.messages for cause in causes) == sum(row.messages for row in rows)
    shuffled = list(rows)
    draw.shuffle(shuffled)  # type: ignore[attr-defined] - hypothesis types its random source as an object
    assert [replace(cause, example="") for cause in worst_first(shuffled)] == causes


def test_rows_of_one_cause_are_one_with_the_sums_and_the_longest_wait() -> None:
    (cause,) = worst_first([ONE, replace(ONE, messages=4, oldest_s=None, conversations=None)])
    assert (cause.messages, cause.conversations, cause.oldest_s) == (7, 2, 60)


def test_an_unknown_age_does_not_outweigh_a_known_one() -> None:
    unknown = replace(ONE, subject="Other", messages=1_000, oldest_s=None)
    assert worst_first([unknown, ONE]) == [ONE, unknown]
    assert totals_of([unknown, ONE]).oldest == ONE


def test_ten_thousand_causes_are_all_in_the_order() -> None:
    rows = [replace(ONE, subject=f"To{number}", messages=number % 97, oldest_s=number) for number in range(10_000)]
    causes = worst_first(rows)
    assert len(causes) == totals_of(causes).causes == 10_000
    assert causes[0] == max(rows, key=lambda row: row.weight)
