"""Classic causes staged on hosted instances: the diagnosis names each, and its remedy, given from the page, drains it.

The clocks of hosted instances cannot differ: all of them have the clock of their deployment.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from brokerui.accounts.levels import Role
from brokerui.analysis.drains.models import Drain
from brokerui.analysis.drains.services import drains_check
from brokerui.analysis.monitoring import rates, waiting
from brokerui.analysis.overview import alerts, overview
from brokerui.estate.models import AuditEntry
from brokerui.estate.selectors import estate_current
from brokerui.eventlog.recording import recorder
from brokerui.messaging.clock import now
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.services import (
    Message,
    conversation_begin,
    conversation_send,
    message_rolled_back,
    queue_set_status,
)
from tests.brokerui.messaging.conftest import client, lists, one_valkey, valkey
from tests.brokerui.messaging.hosted import ADDRESSES, LOCAL, TWO, WORKERS
from tests.brokerui.site import confirmed_post, signed_in
from tests.brokerui.staged.world import Change, Document, StagedNetwork, database, hosted_with

__all__ = ["client", "lists", "one_valkey", "valkey"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("lists", "nothing_remembered"),
]
FORWARDER = "tcp://f.example:4022"


@pytest.fixture
def nothing_remembered() -> Iterator[None]:
    for memory in (alerts, overview, rates, recorder, waiting):
        memory.forget()
    yield
    for memory in (alerts, overview, rates, recorder, waiting):
        memory.forget()


# -- Faults ------------------------------------------------------------------------------------------------


def sound(_document: Document) -> None:
    """Nothing is wrong with the estate."""


def no_way_back(document: Document) -> None:
    database(document, "B")["routes"] = [LOCAL]


def wrong_port(document: Document) -> None:
    database(document, "A")["routes"][1]["address"] = "tcp://b.example:1433"


def stopped_endpoint(document: Document) -> None:
    document["instances"][1]["endpoint"] = {"port": 4022, "state": "STOPPED"}


def broker_off(document: Document) -> None:
    database(document, "A")["broker_enabled"] = False


def expired_route(document: Document) -> None:
    database(document, "A")["routes"][1]["lifetime"] = "2020-01-01T00:00:00Z"


def name_by_case(document: Document) -> None:
    database(document, "A")["routes"][1]["remote_service_name"] = "TO"


def service_by_case(document: Document) -> None:
    there = database(document, "B")
    there["services"][0] |= {"name": "TO", "queue": "dbo.ToQ"}
    there["queues"] = [{"name": "dbo.ToQ", "enabled": True}]


def forwarder_without_route(document: Document) -> None:
    database(document, "A")["routes"][1]["address"] = FORWARDER
    forwarder = {"name": "F", "addresses": [FORWARDER], "forwarding": True}
    document["instances"].append({**forwarder, "databases": [{"name": "msdb", "routes": [LOCAL]}]})


def principal_away(document: Document) -> None:
    """B and G mirror each other; B, the principal, has stopped its endpoint."""
    partner = "tcp://g.example:4022"
    database(document, "A")["routes"][1] |= {"broker_instance": TWO, "mirror_address": partner}
    principal = database(document, "B")
    principal["mirroring_role"] = "PRINCIPAL"
    mirror = {**principal, "mirroring_role": "MIRROR"}
    document["instances"][1]["endpoint"] = {"port": 4022, "state": "STOPPED"}
    databases = [mirror, {"name": "msdb", "routes": [LOCAL]}]
    document["instances"].append({"name": "G", "addresses": [partner], "databases": databases})


def other_contract(document: Document) -> None:
    there = database(document, "B")
    there["services"][0]["contracts"] = ["//parts/Order"]
    there["contracts"] = [{"name": "//parts/Order", "messages": [{"message_type": "DEFAULT", "sent_by": "ANY"}]}]


@dataclass(frozen=True)
class Stage:
    """A fault of the estate, with the words of its diagnosis and a piece of its remedy."""

    fault: Change
    title: str
    decides: str
    says: str
    sql: str

    @property
    def name(self) -> str:
        return self.fault.__name__


STAGES = (
    Stage(
        no_way_back,
        "To has no way back to A/one",
        "way_back",
        "its acknowledgements do not find their way back.",
        "CREATE ROUTE [Return to From]",
    ),
    Stage(
        wrong_port,
        "A/one cannot reach the server of To",
        "way_there",
        "The route leads to tcp://b.example:1433, and B listens at tcp://b.example:4022.",
        "ALTER ROUTE [to] WITH ADDRESS = N'tcp://b.example:4022'",
    ),
    Stage(
        stopped_endpoint,
        "A/one cannot reach the server of To",
        "endpoints",
        "Nothing goes over the network: the endpoint of B is STOPPED.",
        "STATE = STARTED",
    ),
    Stage(
        broker_off,
        "The broker of A/one is disabled",
        "status",
        "The broker of the sender's database is disabled.",
        "ALTER DATABASE [one] SET ENABLE_BROKER",
    ),
    Stage(
        expired_route,
        "To is not where the route of A/one leads",
        "way_there",
        "That still holds: routing keeps it in one on A",
        "CREATE ROUTE [to] WITH SERVICE_NAME = N'To'",
    ),
    Stage(
        name_by_case,
        "To is not where the route of A/one leads",
        "way_there",
        "That still holds: routing keeps it in one on A",
        "ALTER ROUTE [to] WITH SERVICE_NAME = N'To'",
    ),
    Stage(
        service_by_case,
        "B discards messages for To",
        "way_there",
        "B has TO, not To: names are compared byte by byte.",
        "CREATE SERVICE [To] ON QUEUE [dbo].[ToQ] ([DEFAULT]);",
    ),
    Stage(
        forwarder_without_route,
        "F discards messages for To",
        "way_there",
        "routing drops it at F (service not found).",
        "CREATE ROUTE [To To] WITH SERVICE_NAME = N'To', ADDRESS = N'tcp://b.example:4022'",
    ),
)


# -- Tools -------------------------------------------------------------------------------------------------


def staged(fault: Change) -> StagedNetwork:
    more = {"F": FORWARDER} if fault is forwarder_without_route else {}
    return hosted_with(fault, {**ADDRESSES, **more})


def sent(number: int = 2) -> None:
    """Conversations of A with To, a message in each."""
    for _ in range(number):
        named = {"instance": "A", "database": "one", "from_service": "From", "to_service": "To"}
        handle = conversation_begin(**named, encryption=False).conversation_handle
        conversation_send(instance="A", handles=[handle], messages=[Message(b"order")])


def causes(client: Client) -> list[dict[str, Any]]:
    overview.forget()
    found: list[dict[str, Any]] = client.get("/api/v1/overview/").json()["causes"]
    return found


def page(client: Client) -> str:
    overview.forget()
    return html.unescape(client.get("/overview/").content.decode())


def button(client: Client, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', client.get("/overview/").content.decode())
    assert found, name
    return html.unescape(found[1])


def draft_and_apply(client: Client) -> None:
    """Press the button of the cause, then that of the draft."""
    made = client.post("/changes/remedy/", {"remedy": button(client, "remedy")})
    number = made.headers["Location"].split("/")[2]
    applied = confirmed_post(client, f"/changes/{number}/apply/", {"revision": 1})
    assert applied.status_code == 302, applied.content.decode()


def waits() -> int:
    return ConversationEndpoint.objects.filter(outgoing__gt=0).count()


# -- Tests -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_the_cause_is_named_and_its_draft_drains_it(stage: Stage) -> None:
    network, operator = staged(stage.fault), signed_in(Role.ADMINISTRATOR)
    sent()
    network.settle()
    network.settle()
    (cause,) = causes(operator)
    assert cause["cause"] == stage.title
    assert stage.says in cause["sentence"]
    assert [look["look"] for look in cause["looks"] if look["decides"]] == [stage.decides]
    assert stage.sql in cause["remedy_sql"]
    assert cause["messages"] == 2
    assert stage.title in page(operator)
    draft_and_apply(operator)
    network.settle()
    network.settle()
    assert waits() == 0
    assert causes(operator) == [] or causes(operator)[0]["outcome"] == "dropped", "discards are told for 10 minutes"
    drains_check(now())
    assert [(drain.act, drain.left, drain.is_well) for drain in Drain.objects.all()] == [("version", 0, True)]


@pytest.mark.parametrize("is_poisoned", [True, False], ids=["poisoned", "off"])
def test_a_queue_that_is_off_is_switched_on_from_the_page(is_poisoned: bool) -> None:
    network, operator = staged(sound), signed_in(Role.OPERATOR)
    sent(1)
    network.settle()
    queue = {"instance": "B", "database": "two", "queue": "ToQ"}
    if is_poisoned:
        assert [message_rolled_back(**queue) for _ in range(5)] == [False] * 4 + [True]
    else:
        queue_set_status(**queue, is_on=False)
    sent(1)
    network.settle()
    (cause,) = causes(operator)
    assert (cause["cause"], cause["kind"], cause["messages"]) == ("Queue ToQ in B/two is off", "queue off", 1)
    assert cause["remedy_sql"].endswith("ALTER QUEUE [ToQ] WITH STATUS = ON;")
    fields = {name: button(operator, name) for name in queue}
    assert fields == queue
    assert operator.post("/delayed/switch-on/", fields).status_code == 302
    network.settle()
    drains_check(now())
    assert causes(operator) == []
    assert [(drain.act, drain.left, drain.is_well) for drain in Drain.objects.all()] == [("switch_on", 0, True)]


def test_a_refused_certificate_is_named_and_drains_once_the_peer_lets_it_in() -> None:
    network, operator = staged(sound), signed_in(Role.OPERATOR)
    network.refusals[ADDRESSES["B"]] = (9751, "certificate has expired")
    sent()
    network.settle()
    network.settle()
    (cause,) = causes(operator)
    assert cause["sentence"].startswith("certificate has expired. Routes play no part in it")
    assert [look["look"] for look in cause["looks"] if look["decides"]] == ["endpoints"]
    assert cause["remedy_sql"].startswith("date -u; openssl x509"), "no T-SQL: an estate has no certificates"
    network.refusals.clear()
    assert operator.post("/delayed/retry/", {"instance": "A", "database": "one", "service": "To"}).status_code == 302
    network.settle()
    network.settle()
    assert waits() == 0
    assert causes(operator) == []


def test_a_mirror_that_was_not_failed_over_is_named_and_the_failover_drains_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    addresses = {**ADDRESSES, "G": "tcp://g.example:4022"}
    network, operator = hosted_with(principal_away, addresses), signed_in(Role.ADMINISTRATOR)
    sent()
    for _ in range(3):
        network.settle()
    (cause,) = causes(operator)
    assert cause["cause"] == "A/one knows no principal for To"
    assert cause["sentence"] == "Nothing goes over the network: the endpoint of B is STOPPED."
    assert [look["look"] for look in cause["looks"] if look["decides"]] == ["endpoints"]
    assert cause["remedy_sql"] == "brokerui failover G/two"
    assert cause["remedy"] == (
        "With this, G becomes the principal of two, and routing delivers there. The conversations of the database move"
        " with it."
    )
    fields = {name: button(operator, name) for name in ("instance", "database")}
    shown = operator.post("/delayed/failover/", fields)
    assert "Fail two over to G?" in shown.content.decode()
    there = "/api/v1/databases/B/two/failover/"
    planned = operator.post(there, {"dry_run": True}, content_type="application/json").json()
    assert (planned["result"], planned["principal"], planned["mirror"]) == ("would_be_done", "G", "B")
    assert estate_current().estate.instances["B"].databases["two"].mirroring_role == "PRINCIPAL"
    assert operator.post("/delayed/failover/", {**fields, "confirmed": "1"}).status_code == 302
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.author) == ("estate.edit", "administrator")
    for minutes in (2, 4, 6):  # workers ask both partners again after a while
        for module in (*WORKERS, "exchange.unreachable", "verbs.transactions", "verbs.taking"):
            monkeypatch.setattr(f"brokerui.messaging.{module}.now", lambda ago=minutes: now() + ago * 60_000)
        network.settle()
    assert waits() == 0
    assert causes(operator) == []


def test_a_contract_that_the_target_does_not_accept_ends_the_conversation() -> None:
    network, operator = staged(other_contract), signed_in(Role.OPERATOR)
    sent()
    network.settle()
    (cause,) = causes(operator)
    assert cause["cause"] == "B/two discards messages that arrive"
    assert cause["sentence"] == (
        "The contract is not known here, or the service does not accept it. The conversation has failed with an error,"
        " so nothing is sent again."
    )
    assert waits() == 0
    assert {row.state for row in ConversationEndpoint.objects.all()} == {"ER"}


def test_several_retries_and_switches_over_rest_have_a_result_each() -> None:
    """A dry run first; then the act, whose drains REST lists."""
    network, operator = staged(sound), signed_in(Role.OPERATOR)
    sent(1)
    network.settle()
    queue_set_status(instance="B", database="two", queue="ToQ", is_on=False)
    sent(1)
    network.settle()
    queues = [{"instance": "B", "database": "two", "queue": name} for name in ("ToQ", "Gone")]
    body = {"queues": queues, "enabled": True}

    def post(path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
        response = operator.post(f"/api/v1/{path}", body, content_type="application/json")
        assert response.status_code == 200, response.content.decode()
        found: list[dict[str, Any]] = response.json()["results"]
        return found

    planned = post("queue_states/status/", {**body, "dry_run": True})
    assert [(one["result"], one["number"]) for one in planned] == [("would_be_done", None), ("would_be_refused", 208)]
    assert planned[0]["conversations"] == 1
    assert waits() + ConversationEndpoint.objects.filter(held__gt=0).count() > 0, "the dry run changed nothing"
    done = post("queue_states/status/", body)
    assert [one["result"] for one in done] == ["done", "refused"]
    places = [{"instance": name, "database": "one", "service": "To"} for name in ("A", "Z")]
    retried = post("dialogs/retry/", {"places": places})
    assert [one["result"] for one in retried] == ["done", "refused"]
    network.settle()
    network.settle()
    drains_check(now())
    assert waits() == 0
    found = operator.get("/api/v1/drains/").json()["results"]
    assert {(one["act"], one["state"], one["left"], one["is_well"]) for one in found} >= {
        ("switch_on", "drained", 0, True)
    }
