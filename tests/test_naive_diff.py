"""The literal enumeration of ``diff``, on documents small enough to count by hand."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.extent import IS_ALL
from tests.naive_diff import VERDICTS, naive_diff
from tests.strategies import AT, edits, estates, random_case, random_edit

Json = dict[str, Any]
ID = "6f3f0d5e-0000-4000-8000-000000000001"
ELSEWHERE = "6f3f0d5e-0000-4000-8000-000000000002"


def estate(*routes: Json, name: str = "d", **instance: Any) -> Json:
    """One instance with one database that has the service S, and these routes."""
    named = [{"name": f"R{number}", **route} for number, route in enumerate(routes)]
    database = {"name": name, "broker_instance": ID, "services": ["S"], "routes": named}
    return {"instances": [{"name": "a", "addresses": ["tcp://a"], "databases": [database], **instance}]}


LOCAL = {"address": "LOCAL"}
TRANSPORT = {"address": "TRANSPORT"}


def labels(result: Json) -> set[tuple[str, str | None, bool]]:
    return {(one["to_service"], one["to_broker_instance"], one["is_reply"]) for one in result["changed"]}


def test_classes_are_counted_by_hand() -> None:
    """Two entry points; S with none, its identifier and *, and as a reply; * with none and *."""
    assert naive_diff(estate(LOCAL), estate(LOCAL), AT) == {
        "classes": 2 * (3 + 1 + 2),
        "changed": [],
        "summary": {"worse": 0, "better": 0, "moved": 0, "unchanged": 12},
    }


def test_identifiers_of_routes_are_not_those_of_replies() -> None:
    route = {"remote_service_name": "S", "broker_instance": f"{{{ELSEWHERE}}}", "address": "tcp://b"}
    assert naive_diff(estate(LOCAL), estate(LOCAL, route), AT)["classes"] == 12 + 2


def test_removing_the_route_for_everything() -> None:
    """Any identifier still leads to the local S (MATCH-6); from outside nothing changes,
    since there is no msdb. The rest: S without identifier, and * with and without."""
    result = naive_diff(estate(LOCAL), estate(), AT)
    assert result["summary"] == {"worse": 1, "better": 0, "moved": 2, "unchanged": 9}
    assert result["changed"][0] == {
        "from": {"instance": "a", "database": "d"},
        "to_service": "S",
        "to_broker_instance": None,
        "is_reply": False,
        "before": [{"outcome": "delivered", "instance": "a", "database": "d"}],
        "after": [{"outcome": "delayed", "instance": "a", "reason": "no_route"}],
        "verdict": "worse",
    }


def test_transport_without_a_name_adds_the_address_labels() -> None:
    result = naive_diff(estate(), estate(TRANSPORT), AT)
    assert result["classes"] == 2 * (6 + 2 + 2)
    assert {("tcp://a:4022/*", None, False), ("tcp://*/*", "*", False)} <= labels(result)


def test_the_invented_host_does_not_show() -> None:
    result = naive_diff(estate(), estate(TRANSPORT), AT)
    after = [one["after"] for one in result["changed"] if one["to_service"] == "tcp://*/*"]
    assert after == [[{"outcome": "exits", "instance": "a", "address": "tcp://*:4022"}]] * 2


def test_an_entry_point_of_one_side_is_moved() -> None:
    result = naive_diff(estate(LOCAL), estate(LOCAL, name="e"), AT)
    lost = [one for one in result["changed"] if one["from"].get("database") == "d"]
    assert len(lost) == 6
    assert all(one["before"] and one["after"] == [] and one["verdict"] == "moved" for one in lost)


def test_an_empty_estate_has_no_class() -> None:
    assert naive_diff({"instances": []}, {"instances": []}, AT)["classes"] == 0


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_there_and_back_are_opposite(data: st.DataObject) -> None:
    before = data.draw(estates())
    after = data.draw(edits(before))
    there, back = naive_diff(before, after, AT), naive_diff(after, before, AT)
    opposite = {"worse": "better", "better": "worse"}
    assert there["classes"] == back["classes"] == sum(there["summary"].values())
    assert there["summary"] == {opposite.get(one, one): count for one, count in back["summary"].items()}


def test_every_verdict_is_frequent() -> None:
    rng = random.Random(11)
    found: dict[str, int] = dict.fromkeys(VERDICTS, 0)
    for _ in range(60 if IS_ALL else 20):
        before = random_case(rng, 0).estate
        result = naive_diff(before, random_edit(rng, before), AT)
        assert naive_diff(before, before, AT)["changed"] == []
        found = {verdict: count + result["summary"][verdict] for verdict, count in found.items()}
    assert min(found.values()) > (20 if IS_ALL else 5)
