"""Suppressions: for one finding of one object, by somebody, for a reason, for a time."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from routing.common.errors import InputError
from routing.common.finding import WARNING, Finding
from routing.common.sentence import say
from routing.lint.suppression import FORMAT, FindingSuppression, read_suppressions, suppress
from tests.routing.lint.estates import AT

CODES = ("wrong-port", "own-address")
ONE: dict[str, Any] = {
    "code": "wrong-port",
    "instance": "a",
    "database": "D",
    "object": "R",
    "owner": "ana",
    "reason": "a tunnel",
    "expires": "2030-06-01T00:00:00Z",
}
SUPPRESSION = FindingSuppression("wrong-port", "a", "D", "R", "ana", "a tunnel", datetime(2030, 6, 1, tzinfo=UTC))


def text(*suppressions: Any, **more: Any) -> str:
    return json.dumps({"format": FORMAT, "suppressions": list(suppressions)} | more)


def found(code: str = "wrong-port", database: str | None = "D", name: str = "R") -> Finding:
    return Finding(code, WARNING, "a", database, name, say("because"))


def test_it_reads_what_it_is_given() -> None:
    assert read_suppressions(text(ONE), CODES) == (SUPPRESSION,)
    assert read_suppressions(text(), CODES) == ()
    assert read_suppressions(json.dumps({"format": FORMAT}), CODES) == ()


def test_the_database_may_be_left_out() -> None:
    without = {key: value for key, value in ONE.items() if key != "database"}
    assert read_suppressions(text(without), CODES)[0].database is None


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("{}", "$.format: is missing"),
        (text(format="brokerui.suppressions/2"), "$.format: must be"),
        (text(more=1), '$: has the unknown key "more"'),
        (text(ONE, {**ONE, "owner": "bo"}), "$.suppressions[1]: is for the same finding as suppressions[0]"),
        (text({**ONE, "code": "no-such"}), "$.suppressions[0].code: must be the code of a finding"),
        (text({**ONE, "owner": " "}), "$.suppressions[0].owner: must not be empty"),
        (text({**ONE, "reason": 1}), "$.suppressions[0].reason: must be a string"),
        (text({**ONE, "expires": "some day"}), "$.suppressions[0].expires: must be a date"),
        (text({**ONE, "until": None}), '$.suppressions[0]: has the unknown key "until"'),
        (text({"code": "wrong-port"}), "$.suppressions[0].instance: is missing"),
        (text("x"), "$.suppressions[0]: must be an object"),
        (text() + "x", "$: there is more text"),
        ("[", "$: must be an object"),
    ],
)
def test_it_refuses_what_is_not_as_it_must_be(source: str, where: str) -> None:
    with pytest.raises(InputError) as refused:
        read_suppressions(source, CODES, where="s.json")
    assert str(refused.value).startswith(f"s.json: {where}")


def test_it_suppresses_that_finding_of_that_object_alone() -> None:
    others = [found("own-address"), found(database=None), found(name="S")]
    result = suppress([found(), *others], [SUPPRESSION], AT)
    assert (list(result.findings), result.count, result.expired, result.unused) == (others, 1, (), ())


def test_several_findings_of_one_object_are_suppressed_together() -> None:
    assert suppress([found(), found()], [SUPPRESSION], AT).count == 2


def test_it_expires_at_its_moment() -> None:
    before = suppress([found()], [SUPPRESSION], SUPPRESSION.expires - timedelta(seconds=1))
    assert (before.findings, before.expired) == ((), ())
    after = suppress([found()], [SUPPRESSION], SUPPRESSION.expires)
    assert (after.findings, after.expired, after.unused) == ((found(),), (SUPPRESSION,), ())


def test_one_without_a_finding_is_told() -> None:
    assert suppress([], [SUPPRESSION], AT).unused == (SUPPRESSION,)
