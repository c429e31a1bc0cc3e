"""Questions to the seven documented examples, asked as their sentences put them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from routing.documents.estate_document import read_estate
from routing.model.catalog_objects import Service
from routing.model.conversation import Conversation
from routing.model.estate import Database, Estate
from routing.model.route_table import RouteTable
from routing.rules.decision import Outcome, Send
from routing.rules.journey import outcomes
from routing.rules.router import route
from routing.rules.trace import RuleStep, Trace

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
AT = datetime(2030, 1, 1, tzinfo=UTC)

HERE = "headquarters"
"""The current instance of every example."""
AUTO = "AutoCreatedLocal"
A_LOCAL_SERVICE = "Expenses"
"""It is in the database Finance of the current instance."""
NO_SERVICE = "Nowhere"
"""No database of any example has it."""

Way = tuple[str, str, str]
"""Kind, instance, and the database, address or reason."""


# ---------------------------------------------------------------- the estates, and edits of them


@cache
def example(name: str) -> Estate:
    return read_estate((EXAMPLES / f"{name}.json").read_bytes(), where=name)


def names() -> list[str]:
    return sorted(path.stem for path in EXAMPLES.glob("[1-7]-*.json"))


def forwarding(estate: Estate, active: bool) -> Estate:
    """With message forwarding switched on or off at the current instance."""
    return estate.with_instance(replace(estate.instances[HERE], forwarding=active))


def with_copy(estate: Estate, service: str) -> Estate:
    """With a service of this name in Finance, on the current instance."""
    finance = estate.instances[HERE].databases["Finance"]
    return with_database(estate, HERE, replace(finance, services=(*finance.services, Service(service))))


def with_role(estate: Estate, instance: str, database: str, role: str | None) -> Estate:
    """With another mirroring role for one database."""
    changed = replace(estate.instances[instance].databases[database], mirroring_role=role)
    return with_database(estate, instance, changed)


def with_database(estate: Estate, instance: str, database: Database) -> Estate:
    return estate.with_instance(estate.instances[instance].with_database(database))


def routes_of(estate: Estate, database: str) -> list[str]:
    """The names in the routing table of a database of the current instance."""
    return list(table_of(estate, database).routes)


def table_of(estate: Estate, database: str) -> RouteTable:
    return estate.instances[HERE].databases[database].table


def services_of(estate: Estate, instance: str) -> set[str]:
    return {service.name for database in estate.instances[instance].databases.values() for service in database.services}


def every_service(estate: Estate) -> set[str]:
    """The services of all instances, and one that no instance has."""
    return set().union(*(services_of(estate, name) for name in estate.instances), {NO_SERVICE})


# ---------------------------------------------------------------- questions


def begun(to_service: str, identifier: str | None = None, *, database: str = "AdventureWorks") -> Conversation:
    """A conversation begun in a database of the current instance."""
    return Conversation(HERE, database, to_service, identifier)


def from_outside(to_service: str, identifier: str | None = None) -> Conversation:
    """A message that reaches the current instance from outside."""
    return Conversation(HERE, None, to_service, identifier)


def acknowledged(estate: Estate, conversation: Conversation, by: Outcome) -> Conversation:
    """RT-PIN: the same conversation once the database that it was delivered to has acknowledged a message."""
    target = estate.instances[by.instance].databases[by.detail]
    assert target.broker_instance is not None
    return replace(conversation, to_broker_instance=target.broker_instance)


# ---------------------------------------------------------------- answers


def steps(estate: Estate, conversation: Conversation, at: datetime = AT) -> list[RuleStep]:
    """The account of what the current instance decides."""
    trace = Trace()
    route(estate, conversation, at, trace=trace)
    return trace.steps


def rules(estate: Estate, conversation: Conversation) -> list[str]:
    """The rules that decided, in their order."""
    return [step.rule for step in steps(estate, conversation) if step.taken]


def matched(estate: Estate, conversation: Conversation) -> set[str]:
    """The set of matching routes."""
    return _routes(s for s in steps(estate, conversation) if s.rule.startswith("MATCH-") and s.taken)


def chosen(estate: Estate, conversation: Conversation) -> set[str]:
    """The routes chosen last, one for each choice that is left open."""
    tried = [s for s in steps(estate, conversation) if s.rule in CHOOSING and s.routes]
    return _routes({step.branch: step for step in tried}.values())


def put_aside(estate: Estate, conversation: Conversation) -> set[str]:
    """The matching routes that a better one kept from being chosen."""
    choosing = (s for s in steps(estate, conversation) if s.rule in CHOOSING and s.taken)
    return {rejected.route for step in choosing for rejected in step.rejected}


CHOOSING = ("CHOOSE-1", "CHOOSE-2", "CHOOSE-3", "CHOOSE-4")


def _routes(of: Iterable[RuleStep]) -> set[str]:
    return {name for step in of for name in step.routes}


def sent_to(estate: Estate, conversation: Conversation) -> set[str]:
    """The network addresses that the current instance may send it to."""
    decisions = route(estate, conversation, AT)
    return {decision.address.key for decision in decisions if isinstance(decision, Send)}


def ends(estate: Estate, conversation: Conversation) -> set[Way]:
    """Every outcome."""
    return {tuple(outcome) for outcome in outcomes(estate, conversation, AT)}


def delivered_here(estate: Estate, conversation: Conversation) -> bool:
    """Whether it is delivered, to a service of the current instance, whatever is chosen."""
    return {(kind, instance) for kind, instance, _ in ends(estate, conversation)} == {("delivered", HERE)}
