"""Explains locating: which database takes the message, or why none of the instance can."""

from __future__ import annotations

from routing.common.sentence import Sentence, say
from routing.model.estate import Database
from routing.rules.hop import Hop
from routing.rules.locating import Databases
from routing.rules.trace import Trace


def account_for_locating(hop: Hop, trace: Trace, identifier: str | None, found: Databases) -> None:
    """Add the step of LOC-1 or LOC-2 to the trace."""
    if identifier is not None:
        trace.add("LOC-1", bool(found), _named(hop, identifier, found))
    else:
        trace.add("LOC-2", bool(found), _held(hop, found))


def _named(hop: Hop, identifier: str, found: Databases) -> Sentence:
    if found:
        return say("The identifier names {database}, which has the service.", database=found[0].name)
    named = hop.instance.identified.get(identifier)
    if named is None:
        return _unnamed(hop)
    return say(
        "The identifier names {database}, which cannot take it: {why}.",
        database=named.name,
        why=why_not_taken(hop, named),
    )


def _unnamed(hop: Hop) -> Sentence:
    """Why no database has the identifier. Scripts do not contain identifiers, so it may just be unknown."""
    having = hop.instance.targets.get(hop.service, ())
    unknown = next((database for database in having if database.broker_instance is None), None)
    if unknown is None:
        return say("No database of {instance} has this identifier.", instance=hop.instance.name)
    return say(
        "No database of {instance} is known to have this identifier; that of {database}, which has the service, "
        "is not known.",
        instance=hop.instance.name,
        database=unknown.name,
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
    return say(
        "{database} has the service but cannot be the target: {why}.",
        database=unfit.name,
        why=why_not_taken(hop, unfit),
    )


def why_not_taken(hop: Hop, database: Database) -> Sentence:
    """Why a database cannot be the target (LOC, fixed)."""
    if not database.has_service(hop.service):
        return say("it has no service {service}", service=hop.service)
    if not database.broker_enabled:
        return say("its broker is disabled")
    return say("its mirroring role is MIRROR")


def reply_account(hop: Hop, database: Database | None, *, found: bool) -> Sentence:
    """Account for RT-REPLY: the database that the reply's identifier names here, and whether it takes the message."""
    if hop.identifier is None:
        return say("It is a reply without an identifier: it is matched as any message.")
    if database is None:
        if any(target.broker_instance is None for target in hop.instance.targets.get(hop.service, ())):
            return _unnamed(hop)
        return say("It is a reply, but {instance} does not contain its identifier.", instance=hop.instance.name)
    if found:
        return say("It is a reply, and its identifier is that of {database}.", database=database.name)
    return say(
        "It is a reply to {database}, which cannot take it: {why}.",
        database=database.name,
        why=why_not_taken(hop, database),
    )
