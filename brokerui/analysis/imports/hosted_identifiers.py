"""Keep the identifiers of databases that are hosted here: their conversations and routes go by them.

Scripts do not say identifiers, and NEW_BROKER in a script makes one that nobody knows. A database that runs here
without its identifier would take no message any more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from brokerui.analysis.imports.sources import Mode
from routing.common.finding import WARNING, Finding
from routing.common.sentence import say
from routing.model.estate import Database, Estate
from routing.tsql.refusal import NOT_EXECUTED


def with_hosted_identifiers(
    estate: Estate, live: Estate, hosted: Collection[str], mode: Mode
) -> tuple[Estate, tuple[Finding, ...]]:
    """Return the estate in which the databases of these instances have the identifiers of the live estate where the
    import says none; and a finding for each database whose identifier scripts that ran on it have taken away."""
    findings = []
    for name, database, identifier in _without_identifier(estate, live, hosted):
        kept = replace(database, broker_instance=identifier)
        estate = estate.with_instance(estate.instances[name].with_database(kept))
        if mode is Mode.INTO:
            findings.append(_not_renewed(name, database.name))
    return estate, tuple(findings)


def _without_identifier(estate: Estate, live: Estate, hosted: Collection[str]) -> Iterator[tuple[str, Database, str]]:
    for name in sorted(hosted):
        known, made = live.instances.get(name), estate.instances.get(name)
        for database in made.databases.values() if known and made else ():
            before = known.databases.get(database.name) if known else None
            if before is not None and before.broker_instance is not None and database.broker_instance is None:
                yield name, database, before.broker_instance


def _not_renewed(instance: str, database: str) -> Finding:
    reason = say(
        "NEW_BROKER was left out: {database} is hosted here, and an import ends no conversations. To make its broker"
        " anew, run `brokerui broker new {place}`.",
        database=database,
        place=f"{instance}/{database}",
    )
    return Finding(NOT_EXECUTED, WARNING, instance, database, None, reason)
