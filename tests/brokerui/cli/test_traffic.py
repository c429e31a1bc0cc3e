"""`brokerui diff --traffic`: the messages of each class, summed from JSON lines or CSV."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.brokerui.cli.command_line import (
    AT,
    FOUND,
    LOST,
    PARTS_ID,
    Call,
    Json,
    call_with,
    is_golden,
    refused,
    written,
)

STRANGER = "99999999-0000-4000-8000-00000000000a"
COLUMNS = "conversation_id,at,from_instance,from_database,from_service,to_service,to_broker_instance,is_reply,messages"


def flow(messages: object = 1, to: object = "Stock", **rest: object) -> Json:
    return {"from_instance": "host1", "from_database": "Orders", "to_service": to, "messages": messages, **rest}


@pytest.fixture
def weigh(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    """The difference between finding the parts and losing them, weighed by a traffic file."""
    files = written(tmp_path, "before.json", FOUND), written(tmp_path, "after.json", LOST)

    def weighing(traffic: object, *more: object) -> object:
        path = written(tmp_path, "traffic", traffic)
        return call_with(capsys, monkeypatch)("diff", *files, "--traffic", path, *AT, *more)

    return weighing


def messages(weigh: Call, traffic: object) -> dict[str | None, int]:
    """Messages of the classes that are no replies, by identifier; rows and groups must agree."""
    answer = json.loads(weigh(traffic, "--format", "json").out)
    rows, groups = (
        {one["to_broker_instance"]: one["messages"] for one in answer[part] if not one["is_reply"]}
        for part in ("changed", "groups")
    )
    assert rows == groups
    return rows


ROWS = [flow(3), flow(4), flow(5, to_broker_instance=PARTS_ID.upper()), flow(6, to_broker_instance=STRANGER)]
SUMS = {None: 7, PARTS_ID: 5, "*": 6}


# ---------------------------------------------------------------- sums


def test_messages_of_one_class_are_summed(weigh: Call) -> None:
    assert messages(weigh, ROWS) == SUMS


def test_csv_says_the_same(weigh: Call) -> None:
    lines = [
        COLUMNS,
        "c1,2026-06-01T00:00:00Z,host1,Orders,Entry,Stock,,false,3",
        "c2,2026-06-01T00:00:00Z,host1,Orders,,Stock,NULL,0,4",
        f'c3,2026-06-01T00:00:00Z,"host1","Orders",,"Stock",{{{PARTS_ID}}},False,5',
        f"c4,2026-06-01T00:00:00Z,host1,Orders,,Stock,{STRANGER},,6",
    ]
    assert messages(weigh, "\r\n".join(lines)) == SUMS
    assert messages(weigh, "\ufeff" + "\n\n".join(lines) + "\n") == SUMS
    assert messages(weigh, "\n".join(lines).replace(",", ";")) == SUMS


@pytest.mark.parametrize(
    "other",
    [
        flow(9, to="Entry"),
        flow(9, to="Nobody/Has/It"),
        flow(9, from_database=None),
        flow(9, from_instance="host2", from_database="Parts"),
        flow(9, is_reply=True, to_broker_instance=PARTS_ID),
    ],
)
def test_traffic_of_other_classes_weighs_nothing_there(weigh: Call, other: Json) -> None:
    assert messages(weigh, [*ROWS, other]) == SUMS


def test_replies_weigh_in_their_own_class(weigh: Call) -> None:
    answer = json.loads(weigh([flow(9, is_reply=True, to_broker_instance=PARTS_ID)], "--format", "json").out)
    assert [row["messages"] for row in answer["changed"]] == [0, 0, 9, 0]


def test_a_row_without_messages_is_one_message(weigh: Call) -> None:
    row = flow()
    del row["messages"]
    assert messages(weigh, [row, row])[None] == 2


@pytest.mark.parametrize("traffic", [b"", b"\n \n", COLUMNS])
def test_no_traffic_weighs_nothing(weigh: Call, traffic: object) -> None:
    assert set(messages(weigh, traffic).values()) == {0}


def test_more_keys_are_passed_over(weigh: Call) -> None:
    row = flow(2, conversation_id="c", at="2026-06-01T00:00:00Z", bytes=100, from_service="Entry", anything=[])
    assert messages(weigh, [row])[None] == 2


def test_text_tells_the_messages_of_each_group(weigh: Call) -> None:
    assert is_golden("diff-traffic.txt", weigh([flow(1234567), *ROWS]).out)


# ---------------------------------------------------------------- refused rows


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({}, "from_instance: must be a string, not null"),
        (flow(from_instance=3), "from_instance: must be a string, not 3"),
        (flow(from_database=3), "from_database: must be a string, not 3"),
        (flow(from_instance="host9"), "from_instance: there is no such entry point in either estate: host9/Orders"),
        (
            flow(from_instance="host9", from_database=None),
            "from_instance: there is no such entry point in either estate: host9",
        ),
        (flow(to=None), "to_service: must be a string, not null"),
        (flow(to=""), "to_service: must not be empty"),
        (flow(to_broker_instance="x"), 'to_broker_instance: must be a GUID (8-4-4-4-12 hex digits), not "x"'),
        (flow(is_reply="no"), 'is_reply: must be true or false, not "no"'),
        (flow(-1), "messages: must be a whole number, not negative, not -1"),
        (flow(1.5), "messages: must be a whole number, not negative, not 1.5"),
        (flow(None), "messages: must be a whole number, not negative, not null"),
        (flow(True), "messages: must be a whole number, not negative, not true"),
    ],
)
def test_a_row_that_is_no_traffic_of_these_estates_is_refused(
    weigh: Call, tmp_path: Path, row: Json, says: str
) -> None:
    assert refused(weigh([flow(), row])) == f"{tmp_path / 'traffic'}: line 2: {says}"


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ('{"to_service": "S"', "line 1: is not JSON"),
        (json.dumps(flow()) + "\n[]", "line 2: must be an object, not an array"),
        (json.dumps(flow()) + "\n" + "[" * 100_000, "line 2: is not JSON"),
        (b'{"\xff": 1}', "line 1: is not UTF-8: invalid start byte"),
        ("a,b\n1,2", "line 1: must name the columns of the traffic format, to_service among them"),
        (f"{COLUMNS}\nc1,2026", "line 2: has 2 values, the first line names 9"),
        (f'{COLUMNS}\n\n"c1', "line 3: is not CSV: unexpected end of data"),
        (f"{COLUMNS}\n{'x' * 200_000}", "line 2: is not CSV: field larger than field limit (131072)"),
        (f"{COLUMNS}\n,,host1,Orders,,Stock,,maybe,1", 'line 2: is_reply: must be true or false, not "maybe"'),
        (f"{COLUMNS}\n,,host1,Orders,,Stock,,,-1", 'line 2: messages: must be a whole number, not negative, not "-1"'),
        (b"PAR1\x00\x15", "is Parquet; `brokerui pipeline` reads it, here JSON lines or CSV is needed"),
    ],
)
def test_a_file_that_is_no_traffic_is_refused(weigh: Call, tmp_path: Path, lines: object, says: str) -> None:
    assert refused(weigh(lines)) == f"{tmp_path / 'traffic'}: {says}"


def test_a_number_of_thousands_of_digits_is_refused(weigh: Call) -> None:
    assert "line 2: messages: must be a whole number" in refused(
        weigh(f"{COLUMNS}\n,,host1,Orders,,Stock,,,{'9' * 5000}")
    )


def test_a_traffic_file_that_is_missing_is_refused(weigh: Call, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    says = refused(weigh("", "--traffic", missing))
    assert says == f"{missing}: cannot be read: No such file or directory"
