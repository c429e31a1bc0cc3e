"""The strategies draw valid documents only, and every corner often."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.extent import IS_ALL
from tests.naive import choosing, matching, outcomes, way
from tests.naive.values import Address, address_in_name, is_keyword, parse_address, parse_guid
from tests.strategies import (
    AT,
    Case,
    cases,
    conversations,
    edits,
    estates,
    random_case,
    random_edit,
)
from tests.strategies.pools import DYNAMIC, LIFETIMES_LEFT, LIFETIMES_OVER, NAMES_WITH_ALMOST
from tests.strategies.valid import problems

Json = dict[str, Any]
ESTATES = 2000 if IS_ALL else 600
OFTEN = ESTATES // 100  # number of estates that counts as more than a handful

REASONS = ("no_route", "service_not_found", "route_requested", "no_principal", "transport_name_not_an_address")
KINDS = [
    ("delivered", None),
    ("exits", None),
    *(("delayed", reason) for reason in REASONS),
    *(("dropped", reason) for reason in (*REASONS, "forwarding_disabled", "hop_limit")),
]


@cache
def bulk() -> tuple[Case, ...]:
    rng = random.Random(20260601)
    return tuple(random_case(rng) for _ in range(ESTATES))


# ---------------------------------------------------------------- outcomes and rules


@cache
def answers() -> tuple[list[Json], ...]:
    """The ends of each conversation of the bulk."""
    return tuple(outcomes(case.estate, one, AT) for case in bulk() for one in case.conversations)


@cache
def counted_outcomes() -> Counter[tuple[str, str | None]]:
    return Counter((end["outcome"], end.get("reason")) for ends in answers() for end in ends)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_outcome_and_reason_is_frequent(kind: tuple[str, str | None]) -> None:
    assert counted_outcomes()[kind] > 5 * OFTEN


def test_there_is_no_other_outcome() -> None:
    assert set(counted_outcomes()) == set(KINDS)


def test_several_outcomes_are_frequent() -> None:
    assert sum(len(ends) > 1 for ends in answers()) > 5 * OFTEN
    assert sum(len(ends) > 2 for ends in answers()) > OFTEN


RULES: list[tuple[Any, str]] = [
    *((matching, f"match_{number}") for number in range(1, 7)),
    *((choosing, name) for name in ("choose_1", "choose_4", "locate", "principals", "hop")),
    (way, "reply_targets"),
]


@cache
def counted_rules() -> Counter[str]:
    """How often each rule has an answer, for the first conversations of the bulk."""
    counted = Counter[str]()

    def watched(rule: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def answer(*args: Any) -> Any:
            found = original(*args)
            counted[rule] += bool(found)
            return found

        return answer

    with pytest.MonkeyPatch.context() as patch:
        for module, rule in RULES:
            patch.setattr(module, rule, watched(rule, getattr(module, rule)))
        for case in bulk()[:500]:
            for conversation in case.conversations:
                outcomes(case.estate, conversation, AT)
    return counted


@pytest.mark.parametrize("rule", [rule for _, rule in RULES])
def test_every_rule_answers(rule: str) -> None:
    assert counted_rules()[rule] > 20


# ---------------------------------------------------------------- corners


def databases(estate: Json) -> Iterator[tuple[Json, Json]]:
    yield from ((one, database) for one in estate["instances"] for database in one["databases"])


def routes(estate: Json) -> Iterator[tuple[Json, Json]]:
    """Each route with its instance."""
    for instance, database in databases(estate):
        yield from ((instance, route) for route in database.get("routes", []))


def owned(instance: Json) -> set[Address | None]:
    return {parse_address(text) for text in instance.get("addresses", [])}


def owner(estate: Json, text: str) -> Json | None:
    return next((one for one in estate["instances"] if parse_address(text) in owned(one)), None)


def addresses(estate: Json) -> Iterator[str]:
    for instance in estate["instances"]:
        yield from instance.get("addresses", [])
    yield from (one["address"] for _, one in routes(estate) if parse_address(one["address"]))


def guids(estate: Json) -> Iterator[str]:
    things = [*(one for _, one in databases(estate)), *(one for _, one in routes(estate))]
    yield from (one["broker_instance"] for one in things if one.get("broker_instance"))


def any_address(test: Callable[[str], bool]) -> Callable[[Case], bool]:
    return lambda case: any(test(text) for text in addresses(case.estate))


def any_guid(test: Callable[[str], bool]) -> Callable[[Case], bool]:
    return lambda case: any(test(text) for text in guids(case.estate))


def any_route(test: Callable[[Json], bool]) -> Callable[[Case], bool]:
    return lambda case: any(test(route) for _, route in routes(case.estate))


def any_database(test: Callable[[Json], bool]) -> Callable[[Case], bool]:
    return lambda case: any(test(database) for _, database in databases(case.estate))


def any_conversation(test: Callable[[Json], bool]) -> Callable[[Case], bool]:
    return lambda case: any(test(one) for one in case.conversations)


def expires(lifetime: str) -> Callable[[Case], bool]:
    return any_route(lambda route: route.get("lifetime") == lifetime)


def names(database: Json) -> list[str]:
    services = database.get("services", [])
    return [one["name"] if isinstance(one, dict) else one for one in services]


def mirrored_outside(count: int) -> Callable[[Case], bool]:
    """Count the addresses of a mirrored route that are outside the estate."""

    def test(case: Case) -> bool:
        mirrored = [route for _, route in routes(case.estate) if route.get("mirror_address")]
        both = [(route["address"], route["mirror_address"]) for route in mirrored]
        return count in [sum(owner(case.estate, text) is None for text in pair) for pair in both]

    return test


def own_address(key: str) -> Callable[[Case], bool]:
    """LOOP-2: a route whose address is of its own instance."""
    return lambda case: any(
        route.get(key) is not None and parse_address(route[key]) in owned(instance)
        for instance, route in routes(case.estate)
        if not is_keyword(route["address"], "LOCAL")
    )


def is_pair(case: Case) -> bool:
    """One identifier on two instances, PRINCIPAL and MIRROR, with one service."""
    sides: dict[Any, set[tuple[str, str | None]]] = {}
    for instance, database in databases(case.estate):
        for name in names(database):
            key = (parse_guid(database.get("broker_instance")), name)
            role = database.get("mirroring_role")
            sides.setdefault(key, set()).add((instance["name"], role))
    pairs = [side for key, side in sides.items() if key[0] is not None]
    return any(len({name for name, _ in p}) > 1 and {"PRINCIPAL", "MIRROR"} <= {r for _, r in p} for p in pairs)


def cycles(length: int) -> Callable[[Case], bool]:
    """LOOP-1: number of instances in a circle of msdb routes."""
    return lambda case: any(is_around(hops(case.estate), start, length) for start in hops(case.estate))


def hops(estate: Json) -> dict[str, set[str]]:
    """From each instance, those to which network routes of its msdb lead."""
    following: dict[str, set[str]] = {one["name"]: set() for one in estate["instances"]}
    for instance, database in databases(estate):
        texts = [route["address"] for route in database["routes"] if database["name"] == "msdb"]
        owners = [owner(estate, text) for text in texts if parse_address(text)]
        following[instance["name"]] |= {one["name"] for one in owners if one is not None}
    return following


def is_around(following: dict[str, set[str]], start: str, length: int) -> bool:
    """Back at the start for the first time after exactly this many hops."""
    ends = {start}
    for _ in range(length - 1):
        ends = {after for end in ends for after in following[end]} - {start}
    return any(start in following[end] for end in ends)


def copies(case: Case) -> bool:
    """LOC-2: one service in several databases of an instance."""
    count = Counter((i["name"], name) for i, database in databases(case.estate) for name in names(database))
    return max(count.values(), default=0) > 1


def meets_transport(test: Callable[[str], bool]) -> Callable[[Case], bool]:
    """CHOOSE-4: a TRANSPORT route without a name, and a conversation to such a name."""
    transport = any_route(lambda r: is_keyword(r["address"], "TRANSPORT") and not r.get("remote_service_name"))
    has_conversation = any_conversation(lambda one: test(one["to_service"]))
    return lambda case: transport(case) and has_conversation(case)


def is_reply_with_owner(case: Case) -> bool:
    """RT-REPLY: a reply from outside, to an instance that has its identifier."""
    held = {(i["name"], parse_guid(database.get("broker_instance"))) for i, database in databases(case.estate)}
    replies = [one for one in case.conversations if one.get("is_reply") and "outside" in one["from"]]
    pairs = [(one["from"]["outside"], parse_guid(one.get("to_broker_instance"))) for one in replies]
    return any(pair[1] is not None and pair in held for pair in pairs)


def same_identifier_here(case: Case) -> bool:
    """One identifier on two databases of an instance, one of them disabled."""
    held = Counter((i["name"], parse_guid(database.get("broker_instance"))) for i, database in databases(case.estate))
    return any(count > 1 for (_, guid), count in held.items() if guid is not None)


def hop_limit(value: int | None) -> Callable[[Case], bool]:
    return lambda case: case.estate.get("hop_limit") == value


CORNERS: dict[str, Callable[[Case], bool]] = {
    **{f"expired {text}": expires(text) for text in LIFETIMES_OVER},
    **{f"not expired {text}": expires(text) for text in LIFETIMES_LEFT},
    **{f"hop limit {value}": hop_limit(value) for value in (None, 0, 1, 2, 10)},
    **{f"loop of {length}": cycles(length) for length in (1, 2, 3)},
    **{f"mirrored, {count} outside": mirrored_outside(count) for count in (0, 1, 2)},
    "mirrored pair": is_pair,
    "own address": own_address("address"),
    "own mirror address": own_address("mirror_address"),
    "role PRINCIPAL": any_database(lambda one: one.get("mirroring_role") == "PRINCIPAL"),
    "role MIRROR": any_database(lambda one: one.get("mirroring_role") == "MIRROR"),
    "disabled": any_database(lambda one: not one.get("broker_enabled", True)),
    "identifier twice in an instance": same_identifier_here,
    "reply": any_conversation(lambda one: one.get("is_reply", False)),
    "reply, identifier here": is_reply_with_owner,
    "upper case address": any_address(lambda text: text != text.lower()),
    "spaces in address": any_address(lambda text: " " in text),
    "trailing slash": any_address(lambda text: text.rstrip().endswith("/")),
    "no port": any_address(lambda text: text.strip(" /").lower().endswith("example")),
    "IPv6": any_address(lambda text: "[" in text),
    "LOCAL with spaces": any_route(lambda route: route["address"] == " LOCAL "),
    "local": any_route(lambda route: route["address"] == "local"),
    "upper case GUID": any_guid(lambda text: text != text.lower()),
    "GUID in braces": any_guid(lambda text: text.startswith("{")),
    "asked in braces": any_conversation(lambda one: (one.get("to_broker_instance") or "").startswith("{")),
    "dynamic": any_route(lambda r: r.get("remote_service_name") == DYNAMIC and not r.get("broker_instance")),
    "dynamic, identifier": any_route(
        lambda r: r.get("remote_service_name") == DYNAMIC and bool(r.get("broker_instance"))
    ),
    "asked for dynamic": any_conversation(lambda one: one["to_service"] == DYNAMIC),
    "nameless, identifier": any_route(lambda r: not r.get("remote_service_name") and bool(r.get("broker_instance"))),
    "TRANSPORT, address": meets_transport(lambda name: address_in_name(name) is not None),
    "TRANSPORT, almost": meets_transport(lambda name: name in NAMES_WITH_ALMOST),
    "TRANSPORT, plain": meets_transport(lambda name: "tcp" not in name.lower()),
    "several addresses": lambda case: any(len(one.get("addresses", [])) > 1 for one in case.estate["instances"]),
    "no address": lambda case: any(not one.get("addresses") for one in case.estate["instances"]),
    "no database": lambda case: any(not one["databases"] for one in case.estate["instances"]),
    "no msdb": lambda case: any("msdb" not in [d["name"] for d in i["databases"]] for i in case.estate["instances"]),
    "service as name": any_database(lambda one: any(isinstance(s, str) for s in one.get("services", []))),
    "service as object": any_database(lambda one: any(isinstance(s, dict) for s in one.get("services", []))),
    "service copies": copies,
    "defaults left out": any_route(lambda route: "lifetime" not in route),
    "defaults written": any_route(lambda route: route.get("lifetime", "") is None),
    "name in other case": any_database(lambda one: "orderparts" in names(one)),
}


@pytest.mark.parametrize("corner", CORNERS)
def test_every_corner_is_frequent(corner: str) -> None:
    assert sum(map(CORNERS[corner], bulk())) > OFTEN


# ---------------------------------------------------------------- valid documents


def test_bulk_documents_are_valid() -> None:
    assert [found for case in bulk() for found in problems(case.estate)] == []


def test_bulk_edits_are_valid_and_mostly_change_something() -> None:
    rng = random.Random(7)
    edited = [random_edit(rng, case.estate) for case in bulk()]
    assert [found for one in edited for found in problems(one)] == []
    assert sum(one != case.estate for one, case in zip(edited, bulk(), strict=True)) > ESTATES * 0.7


def test_edits_leave_the_document_alone() -> None:
    rng, again = random.Random(7), random.Random(20260601)
    for case in bulk()[:200]:
        random_edit(rng, case.estate)
        assert case == random_case(again)


@settings(deadline=None)
@given(estates())
def test_drawn_documents_are_valid(estate: Json) -> None:
    assert problems(estate) == []


@settings(deadline=None)
@given(cases())
def test_drawn_cases_have_answers(case: Case) -> None:
    assert all(outcomes(case.estate, one, AT) for one in case.conversations)


@settings(deadline=None)
@given(st.data())
def test_drawn_edits_and_conversations_fit_their_document(data: st.DataObject) -> None:
    estate = data.draw(estates())
    assert problems(data.draw(edits(estate))) == []
    assert outcomes(estate, data.draw(conversations(estate)), AT)


# ---------------------------------------------------------------- the checker itself


def one_instance(**database: Any) -> Json:
    instance = {"name": "a", "addresses": ["tcp://a"], "databases": [{"name": "d", "routes": [], **database}]}
    return {"instances": [instance]}


def two_databases(**both: Any) -> Json:
    return {"instances": [{"name": "a", "databases": [{"name": "d", **both}, {"name": "e", **both}]}]}


ID = "6f3f0d5e-0000-4000-8000-000000000001"
INVALID: dict[str, Json] = {
    "instance twice": {"instances": [{"name": "a", "databases": []}] * 2},
    "database twice": {"instances": [{"name": "a", "databases": [{"name": "d"}] * 2}]},
    "address twice": {
        "instances": [
            {"name": "a", "addresses": ["tcp://h"], "databases": []},
            {"name": "b", "addresses": ["TCP://H: 4022/"], "databases": []},
        ]
    },
    "service twice": one_instance(services=["S", {"name": "S", "queue": None}]),
    "route twice": one_instance(routes=[{"name": "R", "address": "LOCAL"}] * 2),
    "identifier twice": two_databases(broker_instance=ID),
    "mirror beside LOCAL": one_instance(routes=[{"name": "R", "address": "local", "mirror_address": "tcp://h"}]),
    "no address": one_instance(routes=[{"name": "R", "address": "tcp://"}]),
    "port": one_instance(routes=[{"name": "R", "address": "tcp://h:65536"}]),
    "slashes": one_instance(routes=[{"name": "R", "address": "tcp://h//"}]),
    "GUID": one_instance(broker_instance=ID[1:]),
    "one brace": one_instance(broker_instance="{" + ID),
}


@pytest.mark.parametrize("what", INVALID)
def test_the_checker_finds(what: str) -> None:
    assert len(problems(INVALID[what])) == 1


def test_the_checker_allows_an_identifier_on_disabled_databases() -> None:
    assert problems(two_databases(broker_instance=ID, broker_enabled=False)) == []
