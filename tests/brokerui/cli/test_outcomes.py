"""`brokerui outcomes`: a line of JSON for each conversation, and nothing at all when one of them is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from brokerui.cli.inputs import MAX_LINE
from tests.brokerui.cli.command_line import (
    AT,
    FOUND,
    LOST,
    ORDERS_ID,
    PARTS_ID,
    Call,
    Result,
    call_with,
    document,
    question,
    refused,
    route,
    written,
)

DELIVERED = {"outcome": "delivered", "instance": "host2", "database": "Parts"}
GOOD = json.dumps(question()).encode() + b"\n"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


@pytest.fixture
def ask(call: Call, tmp_path: Path) -> Call:
    """The conversations of a file, asked of an estate."""

    def asking(estate: object, conversations: object, *more: object) -> Result:
        written(tmp_path, "e.json", estate)
        return call("outcomes", tmp_path / "e.json", written(tmp_path, "c.jsonl", conversations), *(more or AT))

    return asking


def answers(result: Result) -> list[object]:
    assert (result.status, result.err) == (0, "")
    return [json.loads(line) for line in result.out.splitlines()]


# ---------------------------------------------------------------- answers


def test_each_conversation_is_answered_on_a_line_in_its_order(ask: Call) -> None:
    result = ask(FOUND, [question(), question("Nobody", id=2), question("Entry", id=None)])
    assert result.out == (
        '{"id": "c1", "outcomes": [{"outcome": "delivered", "instance": "host2", "database": "Parts"}]}\n'
        '{"id": 2, "outcomes": [{"outcome": "delayed", "instance": "host1", "reason": "service_not_found"}]}\n'
        '{"id": null, "outcomes": [{"outcome": "delivered", "instance": "host1", "database": "Orders"}]}\n'
    )


@pytest.mark.parametrize(
    ("conversation", "outcome"),
    [
        (question(to_broker_instance=PARTS_ID), DELIVERED),
        (question(to_broker_instance=f"{{{PARTS_ID.upper()}}}"), DELIVERED),
        (
            question(to_broker_instance=ORDERS_ID),
            {"outcome": "dropped", "instance": "host2", "reason": "service_not_found"},
        ),
        ({"from": {"outside": "host2"}, "to_service": "Stock"}, DELIVERED),
        (
            {"from": {"outside": "host2"}, "to_service": "Entry"},
            {"outcome": "dropped", "instance": "host2", "reason": "forwarding_disabled"},
        ),
        (
            {"from": {"outside": "host1"}, "to_service": "X", "is_reply": True, "to_broker_instance": ORDERS_ID},
            {"outcome": "dropped", "instance": "host1", "reason": "service_not_found"},
        ),
        (
            {"from": {"instance": "host2", "database": "msdb"}, "to_service": "Entry"},
            {"outcome": "delivered", "instance": "host1", "database": "Orders"},
        ),
    ],
)
def test_a_conversation_is_answered_as_it_asks(ask: Call, conversation: object, outcome: object) -> None:
    assert [line["outcomes"] for line in answers(ask(FOUND, [conversation]))] == [[outcome]]


def test_all_outcomes_are_given_sorted(ask: Call) -> None:
    away = route("Away", "tcp://b.example", "Stock"), route("Also", "TCP://A.example:4023/", "Stock")
    (line,) = answers(ask(document(*away), [question()]))
    assert line["outcomes"] == [
        {"outcome": "exits", "instance": "host1", "address": "tcp://a.example:4023"},
        {"outcome": "exits", "instance": "host1", "address": "tcp://b.example:4022"},
    ]


def test_the_moment_decides_which_routes_have_expired(ask: Call) -> None:
    estate = document({**route("ToParts", "tcp://host2.example", "Stock"), "lifetime": "2026-06-01T00:00:00Z"})
    until, from_then = (
        answers(ask(estate, [question()], "--at", at))[0]["outcomes"][0]["outcome"]
        for at in ("2026-05-31T23:59:59.999Z", "2026-06-01T02:00+02:00")
    )
    assert (until, from_then) == ("delivered", "delayed")


def test_conversations_are_read_from_standard_input_blank_lines_and_byte_order_mark_passed_over(
    call: Call, tmp_path: Path
) -> None:
    estate = written(tmp_path, "e.json", FOUND)
    result = call("outcomes", estate, "-", stdin=b"\xef\xbb\xbf" + GOOD + b"\r\n  \n" + GOOD.strip())
    assert [line["id"] for line in answers(result)] == ["c1", "c1"]


def test_no_conversations_are_no_lines(ask: Call) -> None:
    assert ask(LOST, b"") == Result(0, "", "")


# ---------------------------------------------------------------- refused input


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"{", "is not JSON: Expecting property name enclosed in double quotes at column 2"),
        (b"[]", "must be an object, not an array"),
        (b"\xff", "is not UTF-8: invalid start byte"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"9" * 5000, "has a number that is too long"),
        (b'"' + b"x" * MAX_LINE + b'"', f"is longer than {MAX_LINE} bytes"),
        (b'{"to_service": "S"}', "from: is missing"),
        (json.dumps({"from": {"outside": "host1"}}).encode(), "to_service: is missing"),
        (json.dumps(question(to=3)).encode(), "to_service: must be a string, not 3"),
        (json.dumps(question(to="")).encode(), "to_service: must not be empty"),
        (json.dumps(question(to="x" * 257)).encode(), "to_service: is longer than 256 characters"),
        (json.dumps(question(id=[])).encode(), "id: must be a string or a whole number, not an array"),
        (json.dumps(question(id=True)).encode(), "id: must be a string or a whole number, not true"),
        (json.dumps(question(is_reply="no")).encode(), 'is_reply: must be true or false, not "no"'),
        (json.dumps(question(from_service="")).encode(), "from_service: must not be empty"),
        (
            json.dumps(question(to_broker_instance="x")).encode(),
            'to_broker_instance: must be a GUID (8-4-4-4-12 hex digits), not "x"',
        ),
        (
            json.dumps(question(via="x")).encode(),
            'has the unknown key "via"; known are id, from, to_service, to_broker_instance, is_reply, from_service',
        ),
        (b'{"from": {"outside": "host9"}, "to_service": "S"}', 'from: there is no instance "host9" in the estate'),
        (b'{"from": {"instance": "host1"}, "to_service": "S"}', "from.database: is missing"),
        (b'{"from": "host1", "to_service": "S"}', 'from: must be an object, not "host1"'),
        (
            b'{"from": {"outside": "host1", "database": "Orders"}, "to_service": "S"}',
            'from: has the unknown key "database"; known are outside',
        ),
        (
            b'{"from": {"instance": "host1", "database": "orders"}, "to_service": "S"}',
            'from: there is no database "orders" on "host1"',
        ),
    ],
)
def test_a_bad_line_is_refused_with_its_number_and_no_answer_is_written(
    ask: Call, tmp_path: Path, line: bytes, says: str
) -> None:
    """Blank lines count; the good conversation before it stays unanswered."""
    result = ask(FOUND, GOOD + b"\n" + line + b"\n" + GOOD)
    assert refused(result) == f"{tmp_path / 'c.jsonl'}: line 3: {says}"


def test_an_msdb_that_is_not_written_can_be_asked(ask: Call) -> None:
    bare = {"format": "brokerui.estate/1", "instances": [{"name": "host1"}]}
    (line,) = answers(ask(bare, [{"from": {"instance": "host1", "database": "msdb"}, "to_service": "S"}]))
    assert line["outcomes"] == [{"outcome": "delayed", "instance": "host1", "reason": "no_route"}]
