"""Reading kept files of routing tests, and their results on an estate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from brokerui.analysis.routing_tests.errors import KeptFileNotFoundError
from brokerui.analysis.routing_tests.files import RoutingTestFile, judged, read_tests
from brokerui.analysis.routing_tests.got import got_text
from brokerui.analysis.routing_tests.models import KeptTestFile
from brokerui.analysis.routing_tests.services import MOST_FILES
from routing.common.sentence import Sentence
from routing.model.estate import Estate
from routing.testing.judging import Judgement


@dataclass(frozen=True, slots=True)
class KeptTestResult:
    """A test of a kept file with its result."""

    file: str
    line: int
    judgement: Judgement

    @property
    def passed(self) -> bool:
        return self.judgement.passed

    @property
    def got(self) -> Sentence | str:
        """All outcomes, as a test writes them."""
        return got_text(self.judgement)


def kept_files() -> list[KeptTestFile]:
    """Return the kept files by name, without their texts."""
    return list(KeptTestFile.objects.defer("text"))


def kept_texts() -> list[KeptTestFile]:
    """Return the kept files by name, with their texts."""
    return list(KeptTestFile.objects.all())


def kept_file(name: str) -> KeptTestFile:
    """Return a kept file. Raises `KeptFileNotFoundError`."""
    file = KeptTestFile.objects.filter(name=name).first()
    if file is None:
        raise KeptFileNotFoundError(name)
    return file


def kept_results(estate: Estate, at: datetime) -> list[KeptTestResult]:
    """Judge the tests of all kept files on an estate, in the order of files and tests."""
    return [result for file in kept_texts() for result in results_of(file, estate, at)]


def results_of(file: KeptTestFile, estate: Estate, at: datetime) -> list[KeptTestResult]:
    """Judge the tests of one file."""
    read = _read(file.name, file.text)
    judgements = zip(read.lines, judged(read, estate, at), strict=True)
    return [KeptTestResult(file.name, line, judgement) for line, judgement in judgements]


def failed_of(results: Sequence[KeptTestResult], estate: Estate, at: datetime) -> int:
    """Judge the tests of these results on another estate; return how many fail there."""
    tests = RoutingTestFile("", tuple(one.judgement.test for one in results), tuple(one.line for one in results))
    return sum(not judgement.passed for judgement in judged(tests, estate, at))


@lru_cache(maxsize=MOST_FILES)
def _read(name: str, text: str) -> RoutingTestFile:
    """Read a kept file, which was checked when it was written."""
    return read_tests(text.encode("utf-8"), name)
