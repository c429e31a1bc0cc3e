"""Check of contracts: a conversation begins only on a contract that its database has and the target service accepts."""

from __future__ import annotations

from collections.abc import Iterator

from routing.common.finding import ERROR, Finding
from routing.common.sentence import Sentence, say
from routing.lint.context import LintContext
from routing.lint.facts import begins_only, own_services
from routing.lint.linted_objects import HostedDatabase, LintedRoute, few
from routing.lint.remedy import bracketed, use
from routing.model.catalog_objects import Service
from routing.model.conversation import Conversation
from routing.model.estate import Database
from routing.rules.decision import DELIVERED

DEFAULT_CONTRACT = "DEFAULT"
"""SQL Server creates it in every database."""


def no_common_contract(scene: LintContext) -> Iterator[Finding]:
    """A service to which a route leads from a database that can begin no conversation to it (-8408).

    Either the service is known to accept no contract, and so is every service of the route's database: neither side can
    be the target. Where each of the two has a route to the other, it is told of the one that stands later in the
    document. Or the service accepts contracts, and the route's database, whose contracts are known, has none of them. A
    route that leads back to an initiator is sound.
    """
    candidates = {service.name for held in scene.databases for service in held.database.user_services}
    order = {(held.instance.name, held.database.name): place for place, held in enumerate(scene.everywhere)}
    reported: set[tuple[str, str, str]] = set()
    for row in scene.rows_for(candidates):
        for held, service in _ends(scene, row):
            key = held.instance.name, held.database.name, service.name
            comes_first = order[key[:2]] < order[row.instance.name, row.database.name]
            is_told_there = comes_first and begins_only(service) and _leads_to(held.database, row.database)
            begins = HostedDatabase(row.instance, row.database)
            reason = None if key in reported or is_told_there else contract_problem(begins, held.database, service)
            if reason is not None:
                reported.add(key)
                remedy = None if _leads_to(held.database, row.database) else _remedy(held.database, service)
                yield Finding("no-common-contract", ERROR, *key, reason, remedy_sql=remedy)


def _ends(scene: LintContext, row: LintedRoute) -> Iterator[tuple[HostedDatabase, Service]]:
    """The databases to which conversations of the route's database are delivered by it, each with the service."""
    if row.begins_in is None or not row.database.user_services:
        return
    name = str(row.route.remote_service_name)
    question = Conversation(row.instance.name, row.begins_in, name, row.route.broker_instance)
    for end in scene.outcomes(question):
        if end.kind != DELIVERED or (end.instance, end.detail) == (row.instance.name, row.database.name):
            continue
        instance = scene.estate.instances[end.instance]
        database = instance.databases[end.detail]
        yield from ((HostedDatabase(instance, database), one) for one in database.user_services if one.name == name)


def contract_problem(begins: HostedDatabase, target: Database, service: Service) -> Sentence | None:
    """Why a database can begin no conversation to a service of the target; None where it can, or it is not known."""
    instance, database = begins
    names = {"database": database.name, "instance": instance.name}
    if begins_only(service):
        if not all(map(begins_only, database.user_services)):
            return None
        return say(
            "It accepts no contract, and no service of {database} on {instance} does: SQL Server ends every "
            "conversation between them with the error -8408 until one of them accepts the contract.",
            **names,
        )
    if _shares(service, database) or any(_shares(one, target) for one in database.user_services):
        return None
    return say(
        "It accepts {contracts}, and {database} on {instance} has none of these contracts: no conversation can begin "
        "from there (-8408).",
        contracts=few(service.contracts),
        **names,
    )


def _shares(service: Service, begins: Database) -> bool:
    """True if a database may have a contract that the service accepts: it has, or too little is known."""
    if not service.contracts:
        return not begins_only(service)
    known = {contract.name for contract in begins.contracts}
    return not known or not known.isdisjoint(service.contracts) or DEFAULT_CONTRACT in service.contracts


def _leads_to(database: Database, other: Database) -> bool:
    return any(name in database.table.named for name in own_services(other))


def _remedy(database: Database, service: Service) -> str | None:
    """ALTER SERVICE with the only contract of the database; None where the service has one, or several may be meant."""
    if service.contracts or len(database.contracts) != 1:
        return None
    [contract] = database.contracts
    added = f"ALTER SERVICE {bracketed(service.name)} (ADD CONTRACT {bracketed(contract.name)});"
    return use(database.name, (added,))
