"""Files of routing tests: read as a whole, and judged on an estate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from brokerui.analysis.explanations.origin import ambiguous, cuts, meant
from brokerui.analysis.routing_tests.yaml_values import read_yaml
from routing.common.errors import InputError, Invalid
from routing.common.sentence import say
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.testing.judging import Judgement, judge, unplaced
from routing.testing.routing_test import RoutingTest, routing_tests_from


@dataclass(frozen=True, slots=True)
class RoutingTestFile:
    """The tests of one file, with their lines."""

    name: str
    tests: tuple[RoutingTest, ...]
    lines: tuple[int, ...]
    """The line of each test."""


def read_tests(content: bytes, where: str) -> RoutingTestFile:
    """Read a file of tests; raise `InputError` with the line and the JSON path of the first error."""
    document = read_yaml(content, where)
    try:
        tests = routing_tests_from(document.value)
    except Invalid as fault:
        path = f"$.{fault.path}".rstrip(".")
        raise InputError(where, f"line {document.line_of(fault.path)}: {path}", fault.problem) from None
    return RoutingTestFile(where, tests, tuple(document.line_of(f"tests[{index}]") for index in range(len(tests))))


def check_entries(file: RoutingTestFile, estate: Estate) -> None:
    """Raise `InputError` at the first test whose entry point the estate lacks."""
    for index, (test, line) in enumerate(zip(file.tests, file.lines, strict=True)):
        try:
            conversation_of(test, estate)
        except Invalid as fault:
            raise InputError(file.name, f"line {line}: $.tests[{index}].{fault.path}", fault.problem) from None


def judged(file: RoutingTestFile, estate: Estate, at: datetime) -> Iterator[Judgement]:
    """Judge each test of a file; a test whose entry point the estate lacks does not hold."""
    for test in file.tests:
        try:
            conversation = conversation_of(test, estate)
        except Invalid as fault:
            yield unplaced(test, say("{key}: {problem}", key=fault.path, problem=fault.problem))
        else:
            yield judge(test, conversation, estate, at)


def conversation_of(test: RoutingTest, estate: Estate) -> Conversation:
    """The conversation of a test; raises `Invalid` where the estate lacks its entry point."""
    instance, database = _entry(test, estate)
    return Conversation(instance, database, test.to_service, test.to_broker_instance, test.is_reply)


def _entry(test: RoutingTest, estate: Estate) -> tuple[str, str | None]:
    if test.origin is None:
        assert test.outside is not None
        if test.outside not in estate.instances:
            raise Invalid("outside", say('there is no instance "{name}" in the estate', name=test.outside))
        return test.outside, None
    found = meant(test.origin, estate)
    if len(found) > 1:
        raise Invalid("from", ambiguous(found))
    if found:
        return found[0]
    if not cuts(test.origin):
        raise Invalid("from", say('"{origin}" must be INSTANCE/DATABASE', origin=test.origin))
    raise Invalid("from", say('there is no database "{name}" in the estate', name=test.origin))
