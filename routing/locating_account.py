"""The account of locating: which database takes the message, or why none of the instance can."""

from __future__ import annotations

from routing.estate import Database
from routing.hop import Hop
from routing.locating import Databases
from routing.sentence import Sentence, say
from routing.trace import Trace


def account_for_locating(hop: Hop, trace: Trace, identifier: str | None, found: Databases) -> None:
    """Adds what LOC-1 or LOC-2 found."""
    if identifier is not None:
        trace.add("LOC-1", bool(found), _named(hop, identifier, found))
    else:
        trace.add("LOC-2", bool(found), _held(hop, found))


def _named(hop: Hop, identifier: str, found: Databases) -> Sentence:
    if found:
        return say("The identifier names {database}, which has the service.", database=found[0].name)
    named = hop.instance.identified.get(identifier)
    if named is None:
        return say("No database of {instance} has this identifier.", instance=hop.instance.name)
    return say(
        "The identifier names {database}, which cannot take it: {why}.", database=named.name, why=_why(hop, named)
    )


def _held(hop: Hop, found: Databases) -> Sentence:
    names = tuple(database.name for database in found)
    if len(names) > 1:
        return say("{count} databases have the service: any of {databases}.", count=len(names), databases=names)
    if names and names[0] in (hop.database, hop.kept.database):
        return say("{database} contains the conversation and has the service.", database=names[0])
    if names:
        return say("One database has the service: {database}.", database=names[0])
    unfit = next((d for d in hop.instance.databases.values() if d.has_service(hop.service)), None)
    if unfit is None:
        return say(
            "No database of {instance} has the service {service}.", instance=hop.instance.name, service=hop.service
        )
    return say("{database} has the service but cannot be the target: {why}.", database=unfit.name, why=_why(hop, unfit))


def _why(hop: Hop, database: Database) -> Sentence:
    if not database.has_service(hop.service):
        return say("it has no service {service}", service=hop.service)
    if not database.broker_enabled:
        return say("its broker is disabled")
    return say("its mirroring role is MIRROR")
