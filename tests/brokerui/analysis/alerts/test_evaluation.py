"""Rules without a database: when alerts open and close, and which are announced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerui.analysis.alerts.announcing import Announced, Quiet, is_silenced, is_to_be_announced
from brokerui.analysis.alerts.evaluation import MOST, Observed, RuleChanges, evaluate
from brokerui.analysis.alerts.rules import Rule, RuleKind
from routing.common.errors import Invalid
from routing.common.sentence import say

START = datetime(2026, 11, 26, 8, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
FIGURES = st.integers(0, 12).map(float)
RULES = st.builds(
    lambda clear, band, hold, falls: Rule(
        kind=RuleKind.EXPIRY if falls else RuleKind.DEPTH,
        threshold=clear if falls else clear + band,
        clear=clear + band if falls else clear,
        hold_s=60 * hold,
    ),
    st.integers(1, 6),
    st.integers(0, 4),
    st.integers(0, 3),
    st.booleans(),
)
LOOKS = st.lists(st.one_of(st.none(), st.dictionaries(st.sampled_from("ab"), FIGURES)), max_size=25)
"""One look a minute: the objects with their figures; None: nobody could look."""


def observed(key: str, figure: float, instance: str = "host1", number: int = 0) -> Observed:
    return Observed(key=key, figure=figure, heading=say("x"), page="/", instance=instance, number=number)


def run(rule: Rule, looks: Sequence[dict[str, float] | None]) -> list[RuleChanges]:
    """The changes of each look, the first a minute after the start."""
    found, last = [], RuleChanges()
    for number, figures in enumerate(looks, 1):
        seen = None if figures is None else [observed(key, figure) for key, figure in figures.items()]
        last = evaluate(rule, last.watched, seen, START + number * MINUTE)
        found.append(last)
    return found


def opened_and_closed(changes: Sequence[RuleChanges]) -> list[tuple[bool, bool]]:
    return [("a" in one.opened, "a" in one.closed) for one in changes]


@given(RULES, LOOKS)
def test_an_object_has_one_alert_at_most_and_opens_and_closes_in_turn(
    rule: Rule, looks: list[dict[str, float] | None]
) -> None:
    is_open = {"a": False, "b": False}
    for changes in run(rule, looks):
        for key in changes.opened:
            assert not is_open[key]
            is_open[key] = True
        for key in changes.closed:
            assert is_open[key]
            is_open[key] = False
        assert {key for key, one in changes.watched.items() if one.opened_at} == {k for k, v in is_open.items() if v}


@given(RULES, LOOKS)
def test_an_alert_opens_only_after_its_figure_held_and_closes_only_where_it_is_clear(
    rule: Rule, looks: list[dict[str, float] | None]
) -> None:
    held_since: int | None = None
    for number, (figures, changes) in enumerate(zip(looks, run(rule, looks), strict=True)):
        figure = None if figures is None else figures.get("a")
        if figures is not None and (figure is None or not rule.reached(figure)):
            held_since = None
        elif figures is not None and held_since is None:
            held_since = number
        if "a" in changes.opened:
            assert held_since is not None
            assert 60 * (number - held_since) >= rule.hold_s
        if "a" in changes.closed:
            assert figures is not None
            assert figure is None or rule.cleared(figure)


@given(RULES, st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_inside_the_band_nothing_opens_or_closes(rule: Rule, places: list[float]) -> None:
    """Between the figure that clears and the threshold: an open alert stays, and none opens."""
    band = [rule.clear + place * (rule.threshold - rule.clear) for place in places]
    inside = [{"a": figure} for figure in band if not rule.reached(figure)]
    assert opened_and_closed(run(rule, inside)) == [(False, False)] * len(inside)
    until_open: list[dict[str, float] | None] = [{"a": rule.threshold}] * (rule.hold_s // 60 + 1)
    after = run(rule, [*until_open, *inside])[len(until_open) :]
    assert opened_and_closed(after) == [(False, False)] * len(inside)
    assert all(one.watched["a"].opened_at for one in after)


def test_nobody_can_look_keeps_what_is_known_and_a_rule_that_is_off_ends_it() -> None:
    rule = Rule(kind=RuleKind.DEPTH, threshold=5, clear=5)
    opened = run(rule, [{"a": 7.0}])[0]
    assert opened.opened == ("a",)
    assert evaluate(rule, opened.watched, None, START + 5 * MINUTE).watched == opened.watched
    off = evaluate(replace(rule, is_on=False), opened.watched, [observed("a", 9)], START + 5 * MINUTE)
    assert (off.watched, off.closed) == ({}, ("a",))


def test_the_worst_figure_is_kept_and_the_worst_objects_come_first() -> None:
    rule = Rule(kind=RuleKind.DEPTH, threshold=5, clear=2)
    assert run(rule, [{"a": 7.0}, {"a": 9.0}, {"a": 3.0}])[-1].watched["a"].peak == 9
    falling = Rule(kind=RuleKind.EXPIRY, threshold=5, clear=8)
    assert run(falling, [{"a": 4.0}, {"a": 1.0}, {"a": 7.0}])[-1].watched["a"].peak == 1
    many = evaluate(rule, {}, [observed(f"{n:04}", 5 + n) for n in range(MOST + 9)], START)
    assert len(many.opened) == MOST
    assert "0000" not in many.watched


def test_a_rule_is_about_its_instances_and_numbers_alone() -> None:
    rule = Rule(kind=RuleKind.DELAYED, threshold=1, clear=1, instances=("host1",), numbers=(9727,))
    seen = [observed("a", 1, number=9727), observed("b", 1, "host2", 9727), observed("c", 1, number=9750)]
    assert evaluate(rule, {}, seen, START).opened == ("a",)


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"threshold": 0, "clear": 0}, "threshold"),
        ({"threshold": -1}, "threshold"),
        ({"threshold": 1_000_000_001}, "threshold"),
        ({"clear": 6}, "clear"),
        ({"hold_s": 9_999_999}, "hold_s"),
        ({"severity": "fatal"}, "severity"),
        ({"numbers": (1,)}, "numbers"),
        ({"kind": RuleKind.JOB, "instances": ("host1",)}, "instances"),
        ({"kind": RuleKind.EXPIRY, "clear": 4}, "clear"),
    ],
)
def test_a_rule_that_could_not_work_is_refused_at_its_field(wrong: dict[str, object], where: str) -> None:
    given_values = {"kind": RuleKind.DEPTH, "threshold": 5, "clear": 5} | wrong
    with pytest.raises(Invalid) as refused:
        Rule(**given_values)  # type: ignore[arg-type]  # values of several types
    assert refused.value.path == where


# ---------------------------------------------------------------- announcing

QUIETS = st.lists(
    st.builds(
        lambda begin, minutes, rule, instance, key: Quiet(
            begins=START + begin * MINUTE,
            ends=START + (begin + minutes) * MINUTE,
            rule=rule,
            instance=instance,
            key=key,
        ),
        st.integers(0, 15),
        st.integers(0, 9),
        st.sampled_from([None, 1, 2]),
        st.sampled_from(["", "host1", "host2"]),
        st.sampled_from(["", "a", "b"]),
    ),
    max_size=3,
)


@given(QUIETS, st.integers(0, 15), st.integers(1, 15))
def test_silences_delay_or_suppress_what_is_announced_and_nothing_is_announced_twice(
    quiets: list[Quiet], opens: int, lasts: int
) -> None:
    alert = Announced(rule=1, key="a", instance="host1", is_over=False)
    minutes = []
    for number in range(40):
        now = START + number * MINUTE
        alert = replace(alert, is_over=number >= opens + lasts)
        if number < opens or not is_to_be_announced(alert, quiets, now):
            continue
        assert not is_silenced(alert, quiets, now)
        minutes.append((number, alert.is_over))
        alert = replace(alert, closing=now) if alert.is_over else replace(alert, opening=now)
    free = [n for n in range(40) if not is_silenced(alert, quiets, START + n * MINUTE)]
    opening = next((n for n in free if opens <= n < opens + lasts), None)
    closing = None if opening is None else next((n for n in free if n >= opens + lasts), None)
    expected = [(n, is_over) for n, is_over in ((opening, False), (closing, True)) if n is not None]
    assert minutes == expected


def test_a_silence_covers_its_rule_its_instance_and_its_object() -> None:
    alert = Announced(rule=1, key="a", instance="host1", is_over=False)
    at = START + MINUTE
    long = {"begins": START, "ends": START + 9 * MINUTE}
    covering = [Quiet(**long), Quiet(**long, rule=1), Quiet(**long, instance="host1", key="a")]
    assert all(is_silenced(alert, [one], at) for one in covering)
    others = [Quiet(**long, rule=2), Quiet(**long, instance="host2"), Quiet(**long, key="b")]
    assert not is_silenced(alert, [*others, Quiet(begins=at + MINUTE, ends=at + 2 * MINUTE)], at)
