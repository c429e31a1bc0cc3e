"""Estates, conversations and edits for property tests, dense in the corners of the rules.

The same drawing serves twice. Under Hypothesis: ``estates()``, ``conversations(estate)``,
``edits(estate)``, and ``cases()``, which shrink. In bulk, driven by ``random.Random``:
``random_case(rng)`` and ``random_edit(rng, estate)``. Documents are plain dicts as
``json.loads`` gives them, and valid. Ask at the time ``AT``: the lifetimes lie around it.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from hypothesis import strategies as st

from tests.strategies.choices import Chooser, HypothesisChooser, RandomChooser, some
from tests.strategies.conversation import draw_conversation, what_to_ask
from tests.strategies.edit import draw_edited
from tests.strategies.estate import draw_estate
from tests.strategies.pools import AT

__all__ = ["AT", "Case", "cases", "conversations", "edits", "estates", "random_case", "random_edit"]

Json = dict[str, Any]


class Case(NamedTuple):
    """An estate and a question about it, at ``AT``."""

    estate: Json
    conversations: list[Json]


def draw_case(c: Chooser, most: int, percent: int) -> Case:
    estate = draw_estate(c)
    names = what_to_ask(estate)
    return Case(estate, some(c, most, percent, lambda n: draw_conversation(c, names, f"c{n}")))


@st.composite
def estates(draw: st.DrawFn) -> Json:
    """Valid estate documents."""
    return draw_estate(HypothesisChooser(draw))


@st.composite
def conversations(draw: st.DrawFn, estate: Json) -> Json:
    """A conversation about this estate (of one instance or more)."""
    return draw_conversation(HypothesisChooser(draw), what_to_ask(estate), "c0")


@st.composite
def edits(draw: st.DrawFn, estate: Json) -> Json:
    """A valid, edited copy of this estate (of one instance or more)."""
    return draw_edited(HypothesisChooser(draw), estate)


@st.composite
def cases(draw: st.DrawFn, most: int = 8) -> Case:
    """An estate with some conversations about it."""
    return draw_case(HypothesisChooser(draw), most, 80)


def random_case(rng: random.Random, count: int = 12) -> Case:
    """The same, cheap: an estate with exactly this many conversations about it."""
    return draw_case(RandomChooser(rng), count, 100)


def random_edit(rng: random.Random, estate: Json) -> Json:
    """A valid, edited copy, cheap."""
    return draw_edited(RandomChooser(rng), estate)
