"""`brokerui diff`: the exit status for a gate, the text for a person, the JSON for a script."""

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
    Result,
    call_with,
    document,
    is_golden,
    misused,
    msdb,
    route,
    written,
)
from tests.naive_diff import naive_diff
from tests.strategies import AT as MOMENT

FROM_ORDERS = {"instance": "host1", "database": "Orders"}
MOVED = document(route("Auto"), route("ToParts", "tcp://elsewhere.example", "Nobody"))
ELSEWHERE = document(route("Auto"), route("ToParts", "tcp://other.example", "Nobody"))


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


@pytest.fixture
def diff(call: Call, tmp_path: Path) -> Call:
    """The command on two estates."""

    def differing(before: object, after: object, *more: object) -> Result:
        files = written(tmp_path, "before.json", before), written(tmp_path, "after.json", after)
        return call("diff", *files, *AT, *more)

    return differing


@pytest.fixture
def diff_json(diff: Call) -> Call:
    """Its answer as JSON."""

    def telling(before: object, after: object, *more: object) -> Json:
        result = diff(before, after, "--format", "json", *more)
        assert result.err == ""
        answer: Json = json.loads(result.out)
        return answer

    return telling


# ---------------------------------------------------------------- the status


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        (FOUND, FOUND, 0),
        (FOUND, {**FOUND, "hop_limit": 10}, 0),
        (MOVED, ELSEWHERE, 1),
        (FOUND, LOST, 3),
        (LOST, FOUND, 1),
    ],
)
def test_the_status_says_whether_anything_changes_and_whether_anything_is_worse(
    diff: Call, before: Json, after: Json, status: int
) -> None:
    assert diff(before, after).status == diff(before, after, "--format", "json").status == status


def test_what_is_only_better_is_no_reason_to_stop(diff: Call) -> None:
    """The last group is better and none is worse: 1."""
    lonely = {**document(), "instances": [document()["instances"][0]]}
    with_route = {**document(), "instances": [document(route("Auto"))["instances"][0]]}
    result = diff(lonely, with_route)
    assert "0 worse" in result.out
    assert result.status == 1


def test_traffic_that_no_route_names_is_no_small_matter(diff: Call, tmp_path: Path) -> None:
    """Someone sends to the identifier that occurs nowhere: where that gets worse, the change is."""
    row = {"from_instance": "host1", "from_database": "Orders", "to_service": "Stock", "messages": 7}
    path = tmp_path / "traffic.jsonl"
    path.write_text(json.dumps({**row, "to_broker_instance": "00000000-0000-4000-8000-00000000000f"}))
    assert diff(LOST, FOUND).status == 1
    assert diff(LOST, FOUND, "--traffic", path).status == 3
    assert "1 worse" in diff(LOST, FOUND, "--traffic", path).out.splitlines()[0]


# ---------------------------------------------------------------- text


def test_text_gives_the_counts_and_the_groups_worst_first(diff: Call) -> None:
    assert is_golden("diff.txt", diff(LOST, FOUND).out)


def test_text_says_that_nothing_changes(diff: Call) -> None:
    assert diff(FOUND, FOUND).out == "Nothing changes: each of 60 classes of traffic keeps its outcome.\n"


def test_text_shows_twenty_entry_points_and_fifty_groups(diff: Call) -> None:
    def many(*routes: Json) -> Json:
        databases = [{"name": f"D{number:02}", "routes": [*routes]} for number in range(25)]
        return {"format": "brokerui.estate/1", "instances": [{"name": "h", "databases": databases}]}

    routes = [route(f"R{number:02}", "tcp://x", f"S{number:02}") for number in range(26)]
    lines = diff(many(route("Auto")), many(*routes, route("Auto"))).out.splitlines()
    assert lines[0] == "650 of 1,404 classes of traffic change: 0 worse, 0 moved, 650 better."
    assert sum(line.startswith("better") for line in lines) == 26 + 5
    first = next(line for line in lines if line.startswith("  from"))
    assert first == f"  from    {', '.join(f'h/D{number:02}' for number in range(20))} and 5 more"
    apart = next(line for line in lines if line.startswith("Not counted above"))
    assert apart.startswith("Not counted above: 650 classes that nobody is likely to send")
    assert lines[-1] == "… and 21 more groups; --format json has them all."


def test_an_entry_point_of_one_side_only_is_shown_as_such(diff: Call) -> None:
    result = diff(document(), {**document(), "instances": document()["instances"][:1]})
    assert "moved (vanished): to Stock\n" in result.out
    assert "  after   no such entry point\n  from    host2/Parts" in result.out
    assert "outside host2\n" in result.out


# ---------------------------------------------------------------- JSON


def test_json_has_the_keys_of_the_interface_in_their_order(diff_json: Call) -> None:
    answer = diff_json(FOUND, LOST)
    assert list(answer) == ["classes", "changed", "truncated", "groups", "summary", "intended", "verdict"]
    row, group = answer["changed"][0], answer["groups"][0]
    common = ["to_service", "to_broker_instance", "is_reply", "before", "after", "verdict", "kind", "messages"]
    assert list(row) == ["from", *common, "intended"]
    assert list(group) == [*common, "from_count", "intended_count", "from"]
    assert row == {
        "from": FROM_ORDERS,
        "to_service": "Stock",
        "to_broker_instance": None,
        "is_reply": False,
        "before": [{"outcome": "delivered", "instance": "host2", "database": "Parts"}],
        "after": [{"outcome": "delayed", "instance": "host1", "reason": "service_not_found"}],
        "verdict": "worse",
        "kind": "newly_delayed",
        "messages": None,
        "intended": True,
    }
    shared = {key: row[key] for key in common}
    assert group == {**shared, "from_count": 1, "intended_count": 1, "from": [FROM_ORDERS]}
    assert answer["summary"] == {"worse": 3, "better": 1, "moved": 0, "unchanged": 56}
    assert (answer["verdict"], answer["intended"]) == ("worse", {"worse": 3, "moved": 0, "better": 0})


@pytest.mark.parametrize(("before", "after"), [(LOST, FOUND), (FOUND, LOST), (FOUND, FOUND), (MOVED, ELSEWHERE)])
def test_json_is_what_enumerating_everything_gives(diff_json: Call, before: Json, after: Json) -> None:
    answer, expected = diff_json(before, after), naive_diff(before, after, MOMENT)
    assert (answer["classes"], answer["summary"]) == (expected["classes"], expected["summary"])
    rows = [{key: row[key] for key in row if key not in ("kind", "messages", "intended")} for row in answer["changed"]]
    assert sorted(map(json.dumps, rows)) == sorted(map(json.dumps, expected["changed"]))
    assert [row["verdict"] for row in rows] == [row["verdict"] for row in expected["changed"]]


def test_an_entry_point_of_one_side_only_has_no_outcomes_on_the_other(diff_json: Call) -> None:
    answer = diff_json(document(), {**document(), "instances": document()["instances"][:1]})
    gone = [row for row in answer["changed"] if "host2" in row["from"].values()]
    assert gone
    assert {(row["verdict"], row["kind"], str(row["after"])) for row in gone} == {("moved", "vanished", "[]")}


@pytest.mark.parametrize(
    ("limit", "rows", "truncated"), [(0, 0, True), (3, 3, True), (4, 4, False), (10**18 - 1, 4, False)]
)
def test_rows_are_limited_while_groups_and_summary_stay_complete(
    diff_json: Call, limit: int, rows: int, truncated: bool
) -> None:
    answer = diff_json(FOUND, LOST, "--limit", limit)
    assert (len(answer["changed"]), answer["truncated"]) == (rows, truncated)
    assert len(answer["groups"]) == 4
    assert answer["summary"]["worse"] == 3


def test_a_group_names_twenty_of_its_entry_points(diff_json: Call) -> None:
    def many(*routes: Json) -> Json:
        databases = [{"name": f"D{number:02}", "routes": [*routes]} for number in range(25)]
        return {"format": "brokerui.estate/1", "instances": [{"name": "h", "databases": [*databases, msdb()]}]}

    answer = diff_json(many(), many(route("Auto")))
    group = answer["groups"][0]
    assert (group["from_count"], len(group["from"])) == (25, 20)
    assert group["from"][0] == {"instance": "h", "database": "D00"}


@pytest.mark.parametrize("limit", ["-1", "1.5", "many", "", "9" * 30, "\uff11"])
def test_a_limit_that_is_no_number_is_bad_usage(diff: Call, limit: str) -> None:
    says = misused(diff(LOST, FOUND, f"--limit={limit}"))
    assert says == f"brokerui diff: error: argument --limit: must be a whole number, not {limit!r}"


# ---------------------------------------------------------------- where it comes from


def test_either_side_may_be_standard_input(call: Call, tmp_path: Path) -> None:
    path = written(tmp_path, "e.json", LOST)
    one = call("diff", "-", path, "--format", "json", *AT, stdin=json.dumps(FOUND))
    other = call("diff", path, "-", "--format", "json", *AT, stdin=json.dumps(FOUND))
    assert (one.status, other.status) == (3, 1)
    assert json.loads(one.out)["summary"]["worse"] == 3
    assert json.loads(other.out)["summary"]["worse"] == 1


def test_a_route_that_expires_changes_nothing_before_and_something_after(call: Call, tmp_path: Path) -> None:
    expiring = {**route("ToParts", "tcp://host2.example", "Stock", lifetime="2027-01-01T00:00:00Z")}
    files = written(tmp_path, "b.json", FOUND), written(tmp_path, "a.json", document(route("Auto"), expiring))
    assert call("diff", *files, "--at", "2026-12-31T23:59:59Z").status == 0
    assert call("diff", *files, "--at", "2027-01-01").status == 3


def test_an_identifier_is_shown_as_it_is(diff_json: Call) -> None:
    shown = {row["to_broker_instance"] for row in diff_json(FOUND, LOST)["changed"]}
    assert shown == {None, PARTS_ID, "*"}


def test_names_cannot_write_to_the_terminal(diff: Call) -> None:
    evil = "S\x1b[2J\nNothing changes"
    result = diff(FOUND, document(route(f"R{evil}", "tcp://host2.example", "Stock"), route("To", "tcp://x", evil)))
    assert result.out.replace("\n", "").isprintable()
    assert [line for line in result.out.splitlines() if line.startswith("Nothing changes")] == []
    assert "S?[2J Nothing changes" in result.out
