"""Planted faults still fit the source: `make planted` runs them, which takes too long for every change."""

from __future__ import annotations

from collections import Counter

import pytest

from brokerui.core.home import CHECKOUT
from tests.planted.faults import FAULTS, Fault
from tests.planted.trees import address_of, source_of


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_its_text_stands_once_in_the_source_and_its_tests_exist(fault: Fault) -> None:
    source_of(CHECKOUT, fault.text)
    assert fault.tests
    for name in fault.tests:
        address_of(CHECKOUT, name)


def test_there_are_enough_in_each_area() -> None:
    areas = Counter(fault.area for fault in FAULTS)
    assert sum(areas.values()) >= 30
    assert min(areas[area] for area in ("store", "endpoint", "pages", "REST", "pipeline", "engine")) >= 4
