"""The words for an explanation: first the answer, then the way, then the reason."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from brokerui.analysis.explanations.wording import Wording, word
from brokerui.core.home import CHECKOUT
from brokerui.core.templatetags.wording import sentence_html
from routing.common.identifier import parse_identifier
from routing.common.sentence import Sentence, say
from routing.documents.estate_document import read_estate
from routing.model.conversation import Conversation
from routing.rules.explanation import Explanation, explain
from tests.strategies import AT, Case, cases

EXAMPLES = CHECKOUT / "examples"
LOCAL = {"name": "AutoCreatedLocal", "address": "LOCAL"}


def estate_of(*instances: dict[str, Any], hop_limit: int = 10) -> Any:
    return read_estate(
        json.dumps({"format": "brokerui.estate/1", "hop_limit": hop_limit, "instances": list(instances)})
    )


def instance(name: str, *databases: dict[str, Any], forwarding: bool = False) -> dict[str, Any]:
    address = f"tcp://{name}:4022"
    return {"name": name, "addresses": [address], "forwarding": forwarding, "databases": list(databases)}


def database(name: str, *routes: dict[str, Any], services: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    return {"name": name, "services": list(services), "routes": list(routes), **more}


def to(address: str, service: str | None = None, **more: Any) -> dict[str, Any]:
    return {"name": f"To {address}", "remote_service_name": service, "address": address, **more}


def words(estate: Any, where: str, database: str | None, service: str, **more: Any) -> Wording:
    return word(explained(estate, where, database, service, **more), estate)


def explained(estate: Any, where: str, database: str | None, service: str, **more: Any) -> Explanation:
    return explain(estate, Conversation(where, database, service, **more), AT)


def example(name: str) -> Any:
    return read_estate((EXAMPLES / f"{name}.json").read_bytes())


def texts(sentences: tuple[Sentence, ...]) -> list[str]:
    return [str(sentence) for sentence in sentences]


def test_it_imports_nothing_but_routing() -> None:
    code = (
        "import sys, brokerui.analysis.explanations.wording; "
        "print([m for m in sys.modules if m.split('.')[0] == 'django'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_delivered_without_a_way_back_is_told_as_a_warning() -> None:
    head = words(example("2-network-route"), "headquarters", "AdventureWorks", "OrderParts").headline
    assert [str(chip.label) for chip in head.chips] == ["Always delivered"]
    assert (head.tone, str(head.title)) == ("warn", "Parts on host2")
    assert texts(head.details) == [
        "…but no return route: acknowledgements stay in Parts.",
        "The sender repeats the first message, at least every 64 s.",
    ]


def test_delivered_with_a_way_back_is_good() -> None:
    head = words(example("4-everything-external"), "headquarters", "AdventureWorks", "OrderParts").headline
    assert (head.tone, texts(head.details)) == ("good", ["Acknowledgements and replies find their way back."])


def test_several_targets_name_the_choice_that_leaves_them_open() -> None:
    head = words(example("5-load-balancing"), "headquarters", "AdventureWorks", "BalancedService").headline
    assert str(head.title) == "Balanced on server1, or Balanced on server2"
    assert str(head.details[0]) == (
        "headquarters has routes with 2 different identifiers and takes any of them: BalancedRouteOne, "
        "BalancedRouteTwo."
    )


def test_several_databases_of_one_instance_are_a_choice() -> None:
    estate = estate_of(
        instance("a", database("X", services=("S",)), database("Y", services=("S",)), database("msdb", LOCAL))
    )
    head = words(estate, "a", None, "S").headline
    assert str(head.details[0]) == "2 databases of a have the service and any is taken: X, Y."
    assert str(head.details[-1]) == "It came from outside: nothing is known of the way back."


def test_two_addresses_are_a_choice_and_the_worst_kind_stands_first() -> None:
    routes = to("tcp://b", "S"), to("tcp://c", "S")
    estate = estate_of(
        instance("a", database("X", *routes)),
        instance("b", database("Y", services=("S",)), database("msdb", LOCAL)),
        instance("c"),
    )
    wording = words(estate, "a", "X", "S")
    assert [str(chip.label) for chip in wording.headline.chips] == ["May be dropped", "May be delivered"]
    assert wording.headline.tone == "bad"
    assert str(wording.headline.title) == "Y on b, or dropped at c"
    assert str(wording.headline.details[0]) == "a takes any of 2 network addresses: tcp://b:4022, tcp://c:4022."


def test_exits_say_what_to_import() -> None:
    estate = estate_of(instance("a", database("X", to("tcp://x:4022"))))
    head = words(estate, "a", "X", "S").headline
    assert (head.tone, str(head.title)) == ("away", "tcp://x:4022, outside this estate")
    assert texts(head.details) == [
        "It leaves a for tcp://x:4022: no instance of this estate listens there.",
        "Import that instance to see further.",
    ]


def test_localhost_is_the_machine_of_the_sender_and_says_what_then() -> None:
    there = instance("b", database("Y", services=("S",)), database("msdb", LOCAL))
    there["endpoint"] = {"port": 4023}
    head = words(estate_of(instance("a", database("X", to("tcp://localhost:4023"))), there), "a", "X", "S").headline
    assert str(head.title) == "to tcp://localhost:4023 on the machine of a"
    assert texts(head.details) == [
        (
            "tcp://localhost:4023 is the machine of a. b listens on port 4023: if it is on that machine, give it"
            " tcp://localhost:4023 as a further address."
        ),
        "With that, it is delivered to Y on b.",
    ]


@pytest.mark.parametrize(
    ("services", "then"),
    [(("S",), "With that, it is delivered to Y on a."), ((), "With that, it is dropped at a.")],
)
def test_localhost_at_the_own_port_comes_back_to_the_sender(services: tuple[str, ...], then: str) -> None:
    here = instance(
        "a", database("X", to("tcp://127.0.0.1:4022")), database("Y", services=services), database("msdb", LOCAL)
    )
    here["endpoint"] = {"port": 4022}
    details = texts(words(estate_of(here), "a", "X", "S").headline.details)
    assert details[0].startswith("tcp://127.0.0.1:4022 is a itself, whose endpoint listens on port 4022: the messages")
    assert details[1] == then


def test_exits_beside_a_known_address_say_that_it_may_be_wrong() -> None:
    there = instance("b", database("Y"))
    head = words(estate_of(instance("a", database("X", to("tcp://b:1433"))), there), "a", "X", "S").headline
    assert texts(head.details)[1] == (
        "On that host, this estate has tcp://b:4022: correct the address of the route, or import what listens there."
    )


MIRRORED = to("tcp://b", "S", mirror_address="tcp://c")
REASONS = {
    "no_route": ([], "No route of X on a matches S.", "Create a route for S in X on a."),
    "service_not_found": (
        [LOCAL],
        "No database of a has the service S.",
        "Create S on a, or create a route in X on a to where it is.",
    ),
    "route_requested": (
        [to("LOCAL", "SQL/ServiceBroker/BrokerConfiguration")],
        "No route names S, and there is a route to the dynamic routing service: it is asked for one.",
        "See whether SQL/ServiceBroker/BrokerConfiguration answers, or create a route for S in X on a.",
    ),
    "no_principal": (
        [MIRRORED],
        "No address of To tcp://b leads to a database in the role PRINCIPAL that can be meant by S.",
        "See which partner is the principal",
    ),
    "transport_name_not_an_address": (
        [to("TRANSPORT")],
        "To TRANSPORT says TRANSPORT, and the service name S does not begin with an address.",
        "Create a route for S in X on a that gives a network address.",
    ),
}


@pytest.mark.parametrize("reason", REASONS)
def test_delayed_says_why_what_it_means_and_what_to_do(reason: str) -> None:
    routes, why, remedy = REASONS[reason]
    estate = estate_of(instance("a", database("X", *routes)), instance("b"), instance("c"))
    explanation = explained(estate, "a", "X", "S")
    assert explanation.forward.outcomes[0].detail == reason
    head = word(explanation, estate).headline
    assert (head.tone, str(head.title)) == ("warn", "Waits in X on a")
    details = texts(head.details)
    assert details[0] == why
    assert details[1].startswith(
        "The conversation is DELAYED: its messages wait in X and are retried automatically, at least every 64 s"
    )
    assert details[2].startswith(remedy)


@pytest.mark.parametrize("reason", REASONS)
def test_the_same_from_outside_is_dropped_and_the_sender_not_told(reason: str) -> None:
    routes, _, _ = REASONS[reason]
    estate = estate_of(instance("a", database("msdb", *routes), forwarding=True), instance("b"), instance("c"))
    explanation = explained(estate, "a", None, "S")
    assert explanation.forward.outcomes[0].detail == reason
    head = word(explanation, estate).headline
    assert (head.tone, str(head.title)) == ("bad", "Gets as far as a")
    assert str(head.details[1]) == "The sender is not notified; it resends the message, at least every 64 s."


IDENTIFIER = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"
OTHER = "81b1d3d0-288e-4d2c-b1d3-456cbb944b4f"
LEAVE_OUT = "Correct the identifier that the conversation gives, or leave it out."


THEN = "With that: delivered in Y on a."
"""The step was tried on a copy of the estate."""


def located(route: dict[str, Any], target: dict[str, Any], **more: Any) -> str:
    """The remedy where X on a asks for S and Y on a cannot take it."""
    estate = estate_of(instance("a", database("X", route), database("Y", **target), database("msdb", route)))
    (end,) = words(estate, "a", more.pop("begun", "X"), "S", **more).outcomes
    assert end.end.outcome.detail == "service_not_found"
    return str(end.details[-1])


@pytest.mark.parametrize(
    ("target", "remedy"),
    [
        ({"services": ("S",), "broker_enabled": False}, "Enable the broker of Y on a. With that: delivered in Y on a."),
        ({"services": ("S",), "mirroring_role": "MIRROR"}, "Y on a is a mirror: send S to its principal."),
    ],
)
def test_what_keeps_a_database_from_taking_it_is_what_is_to_be_mended(target: dict[str, Any], remedy: str) -> None:
    named = target | {"broker_instance": IDENTIFIER}
    assert located(LOCAL, target) == remedy
    assert located(LOCAL, named, to_broker_instance=IDENTIFIER) == remedy
    assert located(LOCAL | {"broker_instance": IDENTIFIER, "remote_service_name": "S"}, named) == remedy
    assert located(LOCAL, named, to_broker_instance=IDENTIFIER, begun=None, is_reply=True) == remedy


def test_a_service_is_wanted_in_the_database_that_is_named() -> None:
    named = {"broker_instance": IDENTIFIER}
    assert located(LOCAL, named, to_broker_instance=IDENTIFIER) == f"Create S in Y on a. {THEN}"
    assert (
        located(LOCAL, named, to_broker_instance=IDENTIFIER, begun=None, is_reply=True) == f"Create S in Y on a. {THEN}"
    )
    off = named | {"broker_enabled": False}
    assert located(LOCAL, off, to_broker_instance=IDENTIFIER) == f"Create S in Y on a, and enable its broker. {THEN}"


def test_an_identifier_that_nobody_has_is_to_be_corrected() -> None:
    target = {"services": ("S",), "broker_instance": IDENTIFIER}
    assert located(LOCAL, target, to_broker_instance=OTHER) == LEAVE_OUT
    assert located(LOCAL, target, to_broker_instance=OTHER, begun=None) == LEAVE_OUT
    route = LOCAL | {"broker_instance": OTHER, "remote_service_name": "S"}
    for begun, table in (("X", "X"), (None, "msdb")):
        assert located(route, target, begun=begun) == (
            f"Correct the identifier of AutoCreatedLocal in {table} on a, or leave it out."
        )


def test_a_reply_that_came_to_the_wrong_instance_is_to_be_led_to_the_right_one() -> None:
    target = {"services": ("S",), "broker_instance": IDENTIFIER}
    assert located(LOCAL, target, to_broker_instance=OTHER, begun=None, is_reply=True) == (
        "Create a route for S in msdb on a to the instance that has this identifier."
    )


def test_forwarding_that_is_off_is_named_with_the_route() -> None:
    head = words(estate_of(instance("a", database("msdb", to("tcp://b")))), "a", None, "S").headline
    assert str(head.details[0]) == "To tcp://b leads on to another instance, and message forwarding is off on a."
    assert str(head.details[2]).startswith("Switch message forwarding on at the endpoint of a")


def test_a_circle_is_told_as_one() -> None:
    estate = estate_of(
        instance("a", database("msdb", to("tcp://b")), forwarding=True),
        instance("b", database("msdb", to("tcp://a")), forwarding=True),
        hop_limit=5,
    )
    head = words(estate, "a", None, "S").headline
    assert texts(head.details)[0] == "It is forwarded in a loop, b → a → b, until the limit of 5 hops."
    assert texts(head.details)[2] == "Break the loop: change To tcp://a in msdb on b."


def test_a_way_back_that_leads_elsewhere_names_where_and_why() -> None:
    estate = estate_of(
        instance(
            "a", database("X", to("tcp://b"), services=("I",), broker_instance="0" * 8 + "-0000-0000-0000-" + "0" * 12)
        ),
        instance("b", database("Y", to("tcp://c"), services=("S",)), database("msdb", LOCAL)),
        instance("c"),
    )
    wording = words(estate, "a", "X", "S")
    assert str(wording.headline.details[0]) == "…but acknowledgements do not come back from Y: dropped at c."
    assert wording.returns[0].state == "does_not_arrive"
    assert str(wording.returns[0].details[0]) == "No route of msdb on c matches I."


def test_an_unknown_identifier_is_said_where_the_way_back_hangs_on_it() -> None:
    identifier = "aaaaaaaa-0000-4000-8000-000000000001"
    back = {"name": "Back", "remote_service_name": "I", "broker_instance": identifier, "address": "LOCAL"}
    out = to("tcp://gone:4022")
    estate = estate_of(instance("a", database("X", LOCAL, services=("I",)), database("Y", back, out, services=("S",))))
    wording = words(estate, "a", "X", "S")
    needed = f"They arrive if the identifier of X is {identifier}, which is not known: import sys.databases of a."
    assert needed in texts(wording.headline.details)
    assert str(wording.returns[0].details[-1]) == needed


def test_an_unknown_identifier_is_not_said_where_every_one_arrives() -> None:
    estate = estate_of(
        instance("a", database("X", LOCAL, services=("I",)), database("Y", LOCAL, services=("S",))),
    )
    assert texts(words(estate, "a", "X", "S").headline.details) == ["Acknowledgements and replies find their way back."]


def test_a_database_without_services_could_not_have_begun_it() -> None:
    estate = estate_of(instance("a", database("X", LOCAL), database("Y", services=("S",))))
    wording = words(estate, "a", "X", "S")
    assert str(wording.no_returns).startswith("X has no service that may begin this conversation")


def test_an_own_service_that_the_database_has_not_is_told() -> None:
    estate = estate_of(
        instance("a", database("X", LOCAL, services=("I",)), database("Y", services=("S",))),
    )
    none = "X on a has no service i: no conversation of it can begin there."
    for service in ("S", "Elsewhere"):
        assert none in texts(words(estate, "a", "X", service, from_service="i").headline.details)
        assert none not in texts(words(estate, "a", "X", service, from_service="I").headline.details)
        assert none not in texts(words(estate, "a", None, service, from_service="i").headline.details)


def test_a_copy_that_shares_an_identifier_cannot_be_enabled() -> None:
    guid = "aaaaaaaa-0000-4000-8000-000000000001"
    copy = database("Copy", services=("S",), broker_instance=guid, broker_enabled=False)
    first = database("X", LOCAL, services=("I",), broker_instance=guid)
    sentences = " ".join(texts(words(estate_of(instance("a", first, copy)), "a", "X", "S").headline.details))
    assert (
        "Copy on a has the identifier of X, whose broker is enabled, so its own cannot be (9772): NEW_BROKER"
        in sentences
    )
    assert "Enable the broker" not in sentences


def test_hops_say_whose_table_decided_and_what() -> None:
    wording = words(example("4-everything-external"), "headquarters", "AdventureWorks", "OrderParts")
    assert [str(hop.title) for hop in wording.hops] == [
        "headquarters: AdventureWorks.sys.routes, begun here",
        "forwarding: msdb.sys.routes, from outside",
        "host2: msdb.sys.routes, from outside",
    ]
    assert str(wording.hops[2].decides[0]) == "Delivered to Parts by AutoCreatedLocal."


@given(case=cases())
def test_every_explanation_can_be_worded(case: Case) -> None:
    """Whatever the estate: no sentence fails, none has a place without a value, each end and hop has one."""
    estate = read_estate(json.dumps(case.estate))
    for given_one in case.conversations:
        explanation = explain(estate, conversation_from(given_one), AT)
        wording = word(explanation, estate)
        rendered = [str(sentence) for sentence in sentences_of(wording)]
        assert not [text for text in rendered if not text.strip() or "None" in text]
        assert len(wording.outcomes) == len(explanation.forward.ends)
        assert len(wording.hops) == len(explanation.forward.hops)
        assert len(wording.returns) == len(explanation.returns)
        assert len(explanation.forward.ends) == 1 or wording.headline.details


def conversation_from(given_one: dict[str, Any]) -> Conversation:
    where = given_one["from"]
    identifier = given_one.get("to_broker_instance")
    return Conversation(
        where.get("instance") or where["outside"],
        where.get("database"),
        given_one["to_service"],
        parse_identifier(identifier) if identifier else None,
        given_one.get("is_reply", False),
    )


def sentences_of(wording: Wording) -> Iterator[Sentence]:
    yield wording.headline.title
    yield from (chip.label for chip in wording.headline.chips)
    yield from wording.headline.details
    for outcome in wording.outcomes:
        yield from (outcome.title, *outcome.details)
    for back in wording.returns:
        yield from (back.title, *back.details)
    for hop in wording.hops:
        yield from (hop.title, *hop.decides)


def test_a_command_between_backticks_is_code() -> None:
    sentence = say("Run `brokerui keys export {where}` for {name}.", where="A/one", name="`<b>`")
    assert sentence_html(sentence) == ("Run <code>brokerui keys export <b>A/one</b></code> for <b>`&lt;b&gt;`</b>.")
