"""Send one report of a test that passed from the process that ran it, not one of each phase and its begin.

A fifth of what a small test costs went into five messages that the run has no use for: of 15,000 tests.
"""

from __future__ import annotations

import pytest
from _pytest.runner import runtestprotocol


class OneReport:
    """Is in each process of a run. A test that fails, or is skipped, sends all that pytest says of it."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        for report in of_interest(reports):
            item.ihook.pytest_runtest_logreport(report=report)
        return True


def of_interest(reports: list[pytest.TestReport]) -> list[pytest.TestReport]:
    """Of a test that passed the report of the test itself, which took as long as all its phases; else all."""
    if not all(report.passed for report in reports):
        return reports
    (one,) = (report for report in reports if report.when == "call")
    one.duration = sum(report.duration for report in reports)
    return [one]
