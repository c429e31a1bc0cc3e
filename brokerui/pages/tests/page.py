"""The content of the pages of routing tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from django.utils import timezone

from brokerui.analysis.routing_tests.models import KeptTestFile
from brokerui.analysis.routing_tests.selectors import KeptTestResult, kept_texts, results_of
from brokerui.analysis.routing_tests.services import MOST_BYTES, MOST_FILES
from brokerui.estate.selectors import estate_current
from routing.common.sentence import Sentence

MIN_ROWS: Final = 10
MAX_ROWS: Final = 32
SHOWN: Final = 500
"""Results that a page lists; failed ones come first."""
TEMPLATE: Final = """\
tests:
  - name: parts arrive
    from: INSTANCE/DATABASE
    to: SERVICE
    must: delivered
"""
"""The text of a new file."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """A kept file in the list, with the number of its tests that fail on the live estate."""

    file: KeptTestFile
    failed: int


@dataclass
class KeptFilesPage:
    """All kept files."""

    problem: tuple[str, str, Sentence] | None = None
    """File, place and reason of an upload that was refused."""
    max_bytes: int = MOST_BYTES
    max_files: int = MOST_FILES

    @cached_property
    def rows(self) -> list[FileRow]:
        estate, at = estate_current().estate, timezone.now()
        return [FileRow(file, _failed(results_of(file, estate, at))) for file in kept_texts()]


@dataclass
class KeptFilePage:
    """One file: its text in an editor, and its results on the live estate."""

    file: KeptTestFile | None
    """None: a new file."""
    name: str = ""
    typed: str | None = None
    """The text that a user sent and that was refused; None: the text of the file is shown."""
    seen: str = ""
    """Digest of the text that the user had read."""
    problems: Sequence[tuple[int | None, Sentence]] = field(default=())
    """Line and reason; None: it is about the whole."""

    @property
    def text(self) -> str:
        if self.typed is not None:
            return self.typed
        return self.file.text if self.file else TEMPLATE

    @property
    def numbers(self) -> list[tuple[int, bool]]:
        """The number of each line, and whether it has a problem."""
        wrong = {line for line, _ in self.problems}
        return [(number, number in wrong) for number in range(1, self.text.count("\n") + 2)]

    @property
    def rows(self) -> int:
        """The height of the editor, in lines."""
        return min(MAX_ROWS, max(MIN_ROWS, self.text.count("\n") + 2))

    @cached_property
    def results(self) -> list[KeptTestResult]:
        """The results on the live estate, failed ones first."""
        if self.file is None:
            return []
        return failed_first(results_of(self.file, estate_current().estate, timezone.now()))

    @property
    def shown(self) -> list[KeptTestResult]:
        return self.results[:SHOWN]

    @property
    def failed(self) -> int:
        return _failed(self.results)

    @property
    def passed(self) -> int:
        return len(self.results) - self.failed


def _failed(results: Sequence[KeptTestResult]) -> int:
    return sum(not result.passed for result in results)


def failed_first(results: Sequence[KeptTestResult]) -> list[KeptTestResult]:
    """Sort results: failed ones first, otherwise as they stand in their files."""
    return sorted(results, key=lambda result: result.passed)
