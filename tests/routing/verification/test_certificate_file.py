"""A certificate is read strictly: each fault is refused with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from routing.common.errors import InputError
from routing.verification.certificate_file import read_certificate

TRAFFIC: dict[str, Any] = {
    "to_service": "S",
    "stands_in": False,
    "to_broker_instance": None,
    "is_reply": False,
    "is_complete": True,
}
GROUP: dict[str, Any] = {"entries": [[0, 1]], "before": 0, "after": 0, "verdict": "unchanged"}
ONE: dict[str, Any] = {
    "format": "brokerui.certificate/1",
    "rules": "r",
    "switches": {},
    "at": "2026-06-01T00:00:00Z",
    "before": "b",
    "after": "a",
    "classes": 2,
    "summary": {"worse": 0, "moved": 0, "better": 0, "unchanged": 2},
    "entries": [{"outside": "h"}, {"instance": "h", "database": "D"}],
    "outcomes": [[{"outcome": "exits", "instance": "h", "address": "tcp://x:4022"}]],
    "untouched": [],
    "traffic": [{**TRAFFIC, "groups": [GROUP]}],
}


def of_group(**changed: object) -> dict[str, Any]:
    return {"traffic": [{**TRAFFIC, "groups": [{**GROUP, **changed}]}]}


def test_a_certificate_is_read() -> None:
    certificate = read_certificate(json.dumps(ONE).encode())
    assert certificate.entries == (("h", None), ("h", "D"))
    assert list(certificate.traffic[0].groups[0].indexes()) == [0, 1]


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"format": "brokerui.certificate/2"}, '$.format: must be "brokerui.certificate/1"'),
        ({"more": 1}, '$: has the unknown key "more"'),
        ({"at": "soon"}, "$.at: must be a date"),
        ({"before": None}, "$.before: must be a string"),
        ({"classes": True}, "$.classes: must be a whole number, not true"),
        ({"classes": -1}, "$.classes: must be a whole number, not -1"),
        ({"summary": {"worse": 0}}, "$.summary.moved: is missing"),
        ({"switches": []}, "$.switches: must be an object"),
        ({"entries": [{"outside": 1}]}, "$.entries[0]: must be a string"),
        ({"entries": [{"instance": "h"}]}, "$.entries[0].database: is missing"),
        ({"outcomes": [{}]}, "$.outcomes[0]: must be an array"),
        ({"outcomes": [[{"outcome": "lost"}]]}, "$.outcomes[0][0].outcome: must be delivered"),
        ({"outcomes": [[{"outcome": ["x"]}]]}, "$.outcomes[0][0].outcome: must be delivered"),
        ({"outcomes": [[{"outcome": "exits", "instance": "h"}]]}, "$.outcomes[0][0].address: is missing"),
        ({"untouched": ["S"]}, "$.untouched[0]: must be an object"),
        ({"traffic": [TRAFFIC]}, "$.traffic[0].groups: is missing"),
        (of_group(verdict="same"), "$.traffic[0].groups[0].verdict: must be worse, moved"),
        (of_group(verdict=[]), "$.traffic[0].groups[0].verdict: must be worse, moved"),
        (of_group(before=1), "$.traffic[0].groups[0].before: must be a whole number below 1"),
        (of_group(entries=[[0, 2]]), "$.traffic[0].groups[0].entries[0]: must be a whole number below 2"),
        (of_group(entries=[[1, 0]]), "$.traffic[0].groups[0].entries[0]: ends before it begins"),
        (of_group(entries=[[0]]), "$.traffic[0].groups[0].entries[0]: must be the first and the last index"),
    ],
)
def test_what_is_no_certificate_is_refused_with_its_path(changed: dict[str, Any], fault: str) -> None:
    with pytest.raises(InputError) as refused:
        read_certificate(json.dumps({**ONE, **changed}).encode(), where="c")
    assert str(refused.value).startswith(f"c: {fault}")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"\xff", "c: is not UTF-8"),
        (b"{\n", "c: line 2: is not JSON"),
        (b"[]", "c: $: must be an object"),
        (b'{"a": 1, "a": 2}', "c: $: has an object with the same key twice"),
        (b'{"a": NaN}', "c: $: has NaN"),
        (b"[" * 100_000, "c: has a number that is too long, or is nested too deeply"),
        (b"1" * 5_000, "c: has a number that is too long, or is nested too deeply"),
    ],
)
def test_hostile_texts(content: bytes, fault: str) -> None:
    with pytest.raises(InputError) as refused:
        read_certificate(content, where="c")
    assert str(refused.value).startswith(fault)
