"""Drawn fragments."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from routing.adjacent.fragment import (
    END,
    ERROR,
    INITIATOR,
    UNSEQUENCED,
    AckRange,
    Header,
)
from routing.adjacent.fragment_names import FragmentNames
from routing.adjacent.limits import MAX_FRAGMENTS, MAX_HOPS, MAX_RANGES, MAX_SEQUENCE, MAX_TIME_MS

ids = st.binary(min_size=16, max_size=16).filter(any)
_characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
services = st.text(_characters, min_size=1, max_size=256)
others = st.text(_characters, max_size=128)
identifiers = st.none() | st.uuids().map(str)
names = st.builds(FragmentNames, services, services, others, others, identifiers, identifiers)


@st.composite
def ranges(draw: st.DrawFn) -> tuple[AckRange, ...]:
    sequences = st.integers(0, 9) | st.integers(0, MAX_SEQUENCE)
    points = st.tuples(sequences, st.integers(0, 9) | st.integers(0, MAX_FRAGMENTS - 1))
    ends = sorted(draw(st.sets(points, max_size=2 * MAX_RANGES)))
    if len(ends) % 2:
        ends.append(ends[-1])
    return tuple(AckRange(*ends[at], *ends[at + 1]) for at in range(0, len(ends), 2))


@st.composite
def headers(draw: st.DrawFn) -> Header:
    """Any that a fragment with a body may have."""
    fragments = draw(st.just(1) | st.integers(1, MAX_FRAGMENTS))
    rest: dict[str, Any] = {
        "fragments": fragments,
        "fragment": draw(st.integers(0, fragments - 1)),
        "sequence": draw(st.integers(0, MAX_SEQUENCE)),
        "flags": draw(st.sampled_from([0, END, ERROR])),
    }
    if draw(st.integers(0, 9)) == 0:
        rest = {"flags": UNSEQUENCED | ERROR, "sequence": 0}
    rest["flags"] |= draw(st.sampled_from([0, INITIATOR]))
    return Header(
        draw(ids),
        draw(ids),
        draw(names),
        time_to_live=draw(st.integers(1, MAX_TIME_MS)),
        hops_remaining=draw(st.integers(0, MAX_HOPS)),
        acknowledged=draw(ranges()),
        time_consumed=draw(st.integers(0, MAX_TIME_MS)),
        **rest,
    )
