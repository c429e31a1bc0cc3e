"""Document, rows, document: the same, byte by byte; edits and imports lead to the same rows; any version comes back."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.extra.django import TestCase

from routing.model.estate import Edit, Estate
from tests.brokerui.estate.helpers import brought_in, changed, stands
from tests.strategies.rich import edited, rich_estates

pytestmark = pytest.mark.both_databases

few = settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.thorough("estate/test_services.py writes and reads rows of each kind on PostgreSQL", on="postgresql")
class Properties(TestCase):
    """Each example in a transaction of its own, which is rolled back."""

    @few
    @given(rich_estates())
    def test_a_document_comes_back_from_the_rows(self, estate: Estate) -> None:
        brought_in(estate)
        stands(estate)

    @few
    @given(rich_estates(), rich_estates())
    def test_an_import_makes_one_estate_of_another(self, one: Estate, other: Estate) -> None:
        brought_in(one)
        brought_in(other)
        stands(other)

    @few
    @given(edited())
    def test_edits_make_the_rows_that_an_import_of_the_edited_estate_makes(
        self, drawn: tuple[Estate, list[Edit]]
    ) -> None:
        estate, edits = drawn
        base = brought_in(estate).version
        after = estate.edited(edits)
        changed(*edits, base=base)
        stands(after)
        brought_in(estate)
        brought_in(after)
        stands(after)
