"""Planted faults still fit the source: `make planted` runs them, which takes too long for every change."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from brokerui.core.home import CHECKOUT
from tests.planted.__main__ import main
from tests.planted.faults import FAULTS, Fault
from tests.planted.trees import address_of, is_thorough, source_of


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_its_text_stands_once_in_the_source_and_its_tests_exist(fault: Fault) -> None:
    source_of(CHECKOUT, fault.text)
    assert fault.tests
    for name in fault.tests:
        address_of(CHECKOUT, name)
        assert not is_thorough(CHECKOUT, name), f"make test does not run {name}"


def test_there_are_enough_in_each_area() -> None:
    areas = Counter(fault.area for fault in FAULTS)
    assert sum(areas.values()) >= 30
    assert min(areas[area] for area in ("store", "endpoint", "pages", "REST", "pipeline", "engine")) >= 4


def test_an_area_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stroe"]) == 2
    assert capsys.readouterr().err.startswith("no area stroe: there are REST, effect")


MODULE = """
import pytest
{above}
class Some:
    @pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.thorough("a parameter"))])
    {mark}
    def test_it(self, n): ...
"""


@pytest.mark.parametrize(
    ("above", "mark", "thorough"),
    [
        ("", "", False),
        ("", '@pytest.mark.thorough("slow", on="sqlite")', False),
        ("", '@pytest.mark.thorough("slow")', True),
        ('@pytest.mark.thorough("slow")', "", True),
        ('pytestmark = pytest.mark.thorough("slow")', "", True),
        ('pytestmark = [pytest.mark.slow, pytest.mark.thorough("slow")]', "", True),
        ("pytestmark = [pytest.mark.slow]", "", False),
    ],
)
def test_a_test_that_make_test_does_not_run_is_known(tmp_path: Path, above: str, mark: str, thorough: bool) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_some.py").write_text(MODULE.format(above=above, mark=mark))
    assert is_thorough(tmp_path, "test_it") is thorough
