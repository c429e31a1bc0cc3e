"""Certificates hold by the second checker, and each altered claim is refused: the first that fails is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routing.certificate import writing
from routing.certificate.writing import write_certificate
from routing.common.errors import Invalid
from routing.documents.digest import estate_sha256
from routing.documents.estate_document import read_estate
from routing.rules import choosing
from routing.verification.certificate_file import read_certificate
from routing.verification.checking import DocumentToCheck, FailedClaim, first_failed_claim
from tests.naive_diff import naive_diff
from tests.routing.differential import random_change
from tests.routing.small import ELSEWHERE, ID, database, host, to
from tests.strategies import AT, edits, estates

Json = dict[str, Any]


def to_check(document: Json) -> DocumentToCheck:
    return DocumentToCheck(document, estate_sha256(read_estate(json.dumps(document))))


def certified(before: Json, after: Json, *, most_listed: int = 100_000) -> str:
    estates = (read_estate(json.dumps(document)) for document in (before, after))
    return write_certificate(*estates, AT, most_listed=most_listed)


def failed(certificate: str | Json, before: Json, after: Json) -> FailedClaim | None:
    text = certificate if isinstance(certificate, str) else json.dumps(certificate)
    return first_failed_claim(read_certificate(text.encode()), to_check(before), to_check(after))


@st.composite
def changes(draw: st.DrawFn) -> tuple[Json, Json]:
    before = draw(estates())
    return before, draw(edits(before) if draw(st.booleans()) else estates())


@settings(max_examples=settings().max_examples // 3)
@given(changes(), st.sampled_from((0, 100_000)))
def test_every_certificate_holds_and_counts_as_the_enumeration_does(change: tuple[Json, Json], listed: int) -> None:
    """In both forms: with all classes, and with the names that the change does not touch by name alone."""
    certificate = json.loads(text := certified(*change, most_listed=listed))
    assert failed(text, *change) is None
    expected = naive_diff(*change, AT)
    assert (certificate["classes"], certificate["summary"]) == (expected["classes"], expected["summary"])


@pytest.mark.parametrize("seed", range(12))
def test_certificates_of_several_edits_hold(seed: int) -> None:
    change = random_change(5_000_000 + seed, 1 + seed % 3)
    assert failed(certified(*change, most_listed=0 if seed % 2 else 100_000), *change) is None


# ---------------------------------------------------------------- altered certificates


def document(*routes: Json) -> Json:
    before = host("a", database("D", "Own", routes=[to("b", "S", broker_instance=ID), *routes]))
    after = host("b", database("P", "S", broker_instance=ID), outside=[to("LOCAL")])
    return {"format": "brokerui.estate/1", "instances": [before, after]}


BEFORE, AFTER = document(to("b", "T")), document(to("c", "T"))
CERTIFICATE: Json = json.loads(certified(BEFORE, AFTER))


def claim(certificate: Json, service: str, **rest: object) -> Json:
    """The claims about a service without an identifier."""
    wanted = {"to_service": service, "to_broker_instance": None, "is_reply": False, **rest}
    found: Json = next(one for one in certificate["traffic"] if wanted.items() <= one.items())
    return found


def worse(certificate: Json) -> Json:
    """The group of conversations to T from D, which ends outside of the estate afterwards."""
    groups = claim(certificate, "T")["groups"]
    found: Json = next(group for group in groups if group["verdict"] != "unchanged")
    return found


def alter_outcome(certificate: Json) -> None:
    group = worse(certificate)
    group["after"] = group["before"]


def alter_set(certificate: Json) -> None:
    certificate["outcomes"][worse(certificate)["before"]].append(
        {"outcome": "delivered", "instance": "b", "database": "P"}
    )


def alter_verdict(certificate: Json) -> None:
    worse(certificate)["verdict"] = "unchanged"


def leave_out_name(certificate: Json) -> None:
    certificate["traffic"] = [one for one in certificate["traffic"] if one["to_service"] != "S"]


def leave_out_identifier(certificate: Json) -> None:
    certificate["traffic"].remove(claim(certificate, "S", to_broker_instance=ID))


def leave_out_replies(certificate: Json) -> None:
    certificate["traffic"].remove(claim(certificate, "S", to_broker_instance=ID, is_reply=True))


def leave_out_strangers(certificate: Json) -> None:
    certificate["traffic"] = [one for one in certificate["traffic"] if not one["stands_in"]]


def leave_out_entry(certificate: Json) -> None:
    claim(certificate, "T")["groups"].remove(worse(certificate))


def claim_twice(certificate: Json) -> None:
    certificate["traffic"].append(claim(certificate, "T"))


def claim_entry_twice(certificate: Json) -> None:
    claim(certificate, "T")["groups"].append(worse(certificate))


def invent_name(certificate: Json) -> None:
    certificate["traffic"].append({**claim(certificate, "T"), "to_service": "Never"})


def call_untouched(certificate: Json) -> None:
    certificate["traffic"] = [one for one in certificate["traffic"] if one["to_service"] != "T"]
    certificate["untouched"] = [{"to_service": "T", "stands_in": False}]


def drop_entry(certificate: Json) -> None:
    certificate["entries"].pop()
    certificate["traffic"] = []


def change(path: str, value: object) -> Callable[[Json], None]:
    def alter(certificate: Json) -> None:
        *parents, key = path.split(".")
        for parent in parents:
            certificate = certificate[int(parent) if parent.isdecimal() else parent]
        certificate[key] = value

    return alter


@pytest.mark.parametrize(
    ("alter", "path", "says"),
    [
        (change("before", "0" * 64), "before", "is the hash of another document"),
        (change("after", "0" * 64), "after", "is the hash of another document"),
        (change("rules", "brokerui.rules/0"), "rules", "are not those of this checker"),
        (change("switches.pending_route_requests", "all"), "switches.pending_route_requests", "is not as"),
        (drop_entry, "entries", "lack b/msdb"),
        (leave_out_name, "traffic", "S: is claimed 0 times"),
        (leave_out_identifier, "traffic", f"S, identifier {ID}: is claimed 0 times"),
        (leave_out_replies, "traffic", f"S, identifier {ID}, replies: is claimed 0 times"),
        (leave_out_strangers, "traffic", "*: is claimed 0 times"),
        (claim_twice, "traffic", "T, identifier none: is claimed 2 times"),
        (invent_name, "traffic", "Never: no document has this service"),
        (call_untouched, "untouched[0]", "T: the documents differ for it"),
        (leave_out_entry, "traffic[8]", "leaves out the entry point a/D"),
        (claim_entry_twice, "traffic[8].groups[5]", "claims the entry point 1 once more"),
        (alter_outcome, "traffic[8].groups[1].after", "from a/D: the outcomes are exits a tcp://c:4022"),
        (alter_set, "traffic[0].groups[2].before", "from outside b: the outcomes are dropped b service_not_found"),
        (alter_verdict, "traffic[8].groups[1].verdict", "from a/D: it is better"),
        (change("classes", 1), "classes", "there are "),
        (change("summary.better", 0), "summary.better", "there are 2"),
        (change("summary.unchanged", 0), "summary.unchanged", "there are "),
    ],
)
def test_an_altered_claim_is_the_first_that_fails(alter: Callable[[Json], None], path: str, says: str) -> None:
    certificate = deepcopy(CERTIFICATE)
    alter(certificate)
    found = failed(certificate, BEFORE, AFTER)
    assert found is not None
    assert found.path == path
    assert str(found.says).startswith(says)


COMPACT: Json = json.loads(certified(BEFORE, AFTER, most_listed=0))


def test_a_compact_certificate_lists_what_the_change_can_touch_alone() -> None:
    """The routes of D are read only for conversations that begin there; those of msdb for all."""
    assert [name["to_service"] for name in COMPACT["untouched"]] == ["*", "Own", "S"]
    assert [(one["is_complete"], [group["entries"] for group in one["groups"]]) for one in COMPACT["traffic"]] == [
        (False, [[[1, 1]]]),
        (False, [[[1, 1]]]),
    ]
    assert failed(COMPACT, BEFORE, AFTER) is None
    other = deepcopy(BEFORE)
    other["instances"][1]["databases"][-1]["routes"][0]["remote_service_name"] = "S"
    silent = deepcopy(BEFORE)
    silent["instances"][1]["forwarding"] = False
    for after in (other, silent):
        certificate = json.loads(certified(BEFORE, after, most_listed=0))
        assert (certificate["untouched"], {one["is_complete"] for one in certificate["traffic"]}) == ([], {True})


@pytest.mark.parametrize(
    ("alter", "path", "says"),
    [
        (leave_out_entry, "traffic[0]", "leaves out the entry point a/D"),
        (change("traffic.0.is_complete", True), "traffic[0]", "leaves out the entry point outside a"),
        (call_untouched, "untouched[0]", "T: the documents differ for it"),
        (change("untouched", []), "traffic", "*: is claimed 0 times"),
        (change("summary.better", 1), "summary.better", "there are 2"),
    ],
)
def test_an_altered_claim_of_a_compact_certificate_fails(alter: Callable[[Json], None], path: str, says: str) -> None:
    certificate = deepcopy(COMPACT)
    alter(certificate)
    found = failed(certificate, BEFORE, AFTER)
    assert found is not None
    assert (found.path, says in str(found.says)) == (path, True)


def test_the_unaltered_certificate_holds_and_is_canonical() -> None:
    assert failed(CERTIFICATE, BEFORE, AFTER) is None
    assert certified(BEFORE, AFTER) == certified(BEFORE, AFTER)
    assert sum(CERTIFICATE["summary"].values()) == CERTIFICATE["classes"]


def test_a_fault_in_the_rules_is_seen_by_the_second_checker(monkeypatch: pytest.MonkeyPatch) -> None:
    """LOC-1 forgotten where an identifier is in force: the writer believes it, the checker does not."""
    wrong = document(to("LOCAL", "Own", broker_instance=ELSEWHERE))
    assert failed(certified(wrong, wrong), wrong, wrong) is None
    monkeypatch.setattr(choosing, "locate", lambda hop, identifier: hop.instance.targets.get(hop.service, ()))
    found = failed(certified(wrong, wrong), wrong, wrong)
    assert found is not None
    assert str(found.says) == "from a/D: the outcomes are delayed a service_not_found"


def test_a_fault_in_the_list_of_classes_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without identifiers of routes, whose conversations nobody would have looked at."""

    class Fewer(writing.Vocabulary):
        def __init__(self, *both: Any) -> None:
            super().__init__(*both)
            self.identifiers = {name: set() for name in self.identifiers}

    monkeypatch.setattr(writing, "Vocabulary", Fewer)
    found = failed(certified(BEFORE, AFTER), BEFORE, AFTER)
    assert found is not None
    assert str(found.says) == f"S, identifier {ID}: is claimed 0 times"


def test_a_change_that_touches_too_much_has_no_certificate() -> None:
    before, after = (read_estate(json.dumps({**BEFORE, "hop_limit": limit})) for limit in (1, 2))
    with pytest.raises(Invalid, match=r"touches \d+ classes of conversations; a certificate lists 5 at the most"):
        write_certificate(before, after, AT, most_listed=0, most_evaluated=5)
