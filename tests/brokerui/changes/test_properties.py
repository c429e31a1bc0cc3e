"""Whatever is drawn: a draft is its edits on its base, and undo and redo lead through every list that it had."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from brokerui.changes.services import draft_create, draft_redo, draft_undo, edits_replace
from brokerui.changes.splice import Edits, splice_between
from routing.documents.estate_document import write_estate
from routing.model.edits import SetHopLimit
from routing.model.estate import Edit, Estate
from tests.brokerui.changes.helpers import AUTHOR, document_of, edits_of, seen
from tests.brokerui.estate.helpers import brought_in
from tests.strategies.rich import edited

few = settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
lists = st.lists(st.integers(0, 3).map(SetHopLimit), max_size=8).map(tuple)


@given(lists, lists)
def test_a_splice_leads_there_and_back(before: Edits, after: Edits) -> None:
    splice = splice_between(before, after)
    assert splice.apply(before) == after
    assert splice.reversed().apply(after) == before
    assert bool(splice) == (before != after)


class Drafts(TestCase):
    """Each example in a transaction of its own, which is rolled back."""

    @few
    @given(edited(), st.lists(st.integers(0, 6), max_size=5))
    def test_a_draft_is_its_edits_after_every_step(self, drawn: tuple[Estate, list[Edit]], cuts: list[int]) -> None:
        estate, edits = drawn
        brought_in(estate)
        draft = draft_create(name="drawn", author=AUTHOR, edits=edits)
        steps = [edits]
        for cut in cuts:
            if edits[:cut] != steps[-1]:
                draft = edits_replace(**seen(draft), edits=edits[:cut])
                steps.append(edits[:cut])
                assert document_of(draft) == write_estate(estate.edited(edits[:cut]))
        for expected in reversed(steps[:-1]):
            draft = draft_undo(**seen(draft))
            assert edits_of(draft) == expected
        for expected in steps[1:]:
            draft = draft_redo(**seen(draft))
            assert edits_of(draft) == expected
        assert document_of(draft) == write_estate(estate.edited(steps[-1]))
