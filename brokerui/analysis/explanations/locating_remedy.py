"""The next step where no database of an instance could take a message, by the known facts of its databases."""

from __future__ import annotations

from collections.abc import Iterator

from routing.common.sentence import Sentence, say
from routing.model.estate import MIRROR, Database, Estate, Instance
from routing.rules.journey_account import HopAccount, Journey
from routing.rules.trace import RuleStep


def locating_remedy(journey: Journey, hop: HopAccount, estate: Estate) -> Sentence:
    """The next thing to do where a hop ended at LOC-1, LOC-2 or RT-REPLY."""
    instance = estate.instances[hop.instance]
    service = journey.conversation.to_service
    meant = database_meant(journey, hop, estate)
    if meant is not None:
        return _mend(meant, instance, service)
    steps = tuple(_failed(hop))
    if not (steps and steps[-1].rule == "LOC-2"):
        identifier, route = _identifier(journey, hop, steps, instance)
        if identifier is not None:
            return _correct(journey, hop, route)
    return _put_it_there(hop, service, estate)


def database_meant(journey: Journey, hop: HopAccount, estate: Estate) -> Database | None:
    """The database that would take the conversation if it could; None if none is meant."""
    instance = estate.instances[hop.instance]
    steps = tuple(_failed(hop))
    if steps and steps[-1].rule == "LOC-2":
        service = journey.conversation.to_service
        return next((d for d in instance.databases.values() if d.has_service(service)), None)
    identifier, _route = _identifier(journey, hop, steps, instance)
    return instance.identified.get(identifier or "")


def _failed(hop: HopAccount) -> Iterator[RuleStep]:
    """The steps that found nobody: a reply that is taken and not delivered ends at RT-REPLY."""
    for step in hop.steps:
        if (step.rule, step.taken) in {("LOC-1", False), ("LOC-2", False), ("RT-REPLY", True)}:
            yield step


def _identifier(
    journey: Journey, hop: HopAccount, steps: tuple[RuleStep, ...], instance: Instance
) -> tuple[str | None, str | None]:
    """The identifier in force: the conversation's, else that of the chosen route, with its name."""
    if journey.conversation.to_broker_instance is not None:
        return journey.conversation.to_broker_instance, None
    branch = steps[-1].branch if steps else None
    chosen = [step for step in hop.steps if step.rule == "CHOOSE-2" and step.branch == branch]
    routes = instance.tables[hop.database].routes
    named = [routes[name] for step in chosen for name in step.routes if name in routes]
    return (named[0].broker_instance, named[0].name) if named else (None, None)


def _put_it_there(hop: HopAccount, service: str, estate: Estate) -> Sentence:
    homes = [
        f"{database.name} on {instance.name}"
        for instance in estate.instances.values()
        for database in instance.databases.values()
        if instance.name != hop.instance and database.can_be_target and database.has_service(service)
    ]
    if len(homes) == 1:
        return say(
            "Create a route in {database} on {instance} to {home}, which has {service}.",
            home=homes[0],
            service=service,
            instance=hop.instance,
            database=hop.table,
        )
    return say(
        "Create {service} on {instance}, or create a route in {database} on {instance} to where it is.",
        service=service,
        instance=hop.instance,
        database=hop.table,
    )


def _correct(journey: Journey, hop: HopAccount, route: str | None) -> Sentence:
    """Nobody here has the identifier."""
    facts = {"service": journey.conversation.to_service, "instance": hop.instance, "database": hop.table}
    if route is not None:
        return say(
            "Correct the identifier of {route} in {database} on {instance}, or leave it out.", route=route, **facts
        )
    if journey.conversation.is_reply:
        # The identifier of a reply is the initiator's, which nobody chooses.
        return say(
            "Create a route for {service} in {database} on {instance} to the instance that has this identifier.",
            **facts,
        )
    return say("Correct the identifier that the conversation gives, or leave it out.")


def twin_of(database: Database, instance: Instance) -> Database | None:
    """The other database with its identifier and an enabled broker, which keeps its own from being enabled."""
    if database.broker_enabled or database.broker_instance is None:
        return None
    holder = instance.identified[database.broker_instance]
    return holder if holder.broker_enabled else None


def _mend(database: Database, instance: Instance, service: str) -> Sentence:
    """The remedy for a database that cannot be the target."""
    facts = {"service": service, "database": database.name, "instance": instance.name}
    if database.mirroring_role == MIRROR:
        return say("{database} on {instance} is a mirror: send {service} to its principal.", **facts)
    if (other := twin_of(database, instance)) is not None:
        return say(
            "{database} on {instance} has the identifier of {other}, whose broker is enabled, so its own cannot be"
            " (9772): NEW_BROKER gives it another one, which ends all conversations in it.",
            other=other.name,
            **facts,
        )
    if database.has_service(service):
        return say("Enable the broker of {database} on {instance}.", **facts)
    if database.broker_enabled:
        return say("Create {service} in {database} on {instance}.", **facts)
    return say("Create {service} in {database} on {instance}, and enable its broker.", **facts)
