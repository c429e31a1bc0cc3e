"""LOC-1, LOC-2: which databases of the instance a message can be delivered to."""

from __future__ import annotations

from routing.estate import Database
from routing.hop import Hop
from routing.sentence import say

Databases = tuple[Database, ...]


def locate(hop: Hop, identifier: str | None) -> Databases:
    """Every database that may take the message; several where the rules leave it open; none where none can.

    `identifier` is the one in force: the conversation's, else the chosen route's.
    """
    if identifier is not None:
        return _named_by(hop, identifier)
    return _holding_service(hop)


def takes(hop: Hop, database: Database) -> bool:
    """Whether it has the service and can be a target: broker enabled, not in the role MIRROR (LOC, fixed)."""
    return any(target is database for target in hop.instance.targets.get(hop.service, ()))


def _named_by(hop: Hop, identifier: str) -> Databases:
    """LOC-1: there is an identifier: the database that it names."""
    database = hop.instance.identified.get(identifier)
    found = (database,) if database is not None and takes(hop, database) else ()
    if hop.trace is not None:
        if found:
            says = say("The identifier names {database}, which has the service.", database=found[0].name)
        elif database is not None:
            says = say(
                "The identifier names {database}, which cannot take it: {why}.",
                database=database.name,
                why=_why_not_taken(hop, database),
            )
        else:
            says = say("No database of {instance} has this identifier.", instance=hop.instance.name)
        hop.trace.add("LOC-1", bool(found), says)
    return found


def _holding_service(hop: Hop) -> Databases:
    """LOC-2: first the database that contains the conversation, then the others, in no particular order."""
    targets = hop.instance.targets.get(hop.service, ())
    first: Databases = ()
    if len(targets) > 1 or hop.trace is not None:
        first = _in(targets, hop.database) or _in(targets, hop.kept.database)  # RT-STICKY: where it is held already
    if hop.trace is not None:
        _account_for_search(hop, targets, first)
    return first or targets


def _in(targets: Databases, name: str | None) -> Databases:
    """The database of this name among the targets; from outside there is none to prefer."""
    return tuple([target for target in targets if target.name == name]) if name is not None else ()


def _account_for_search(hop: Hop, targets: Databases, first: Databases) -> None:
    assert hop.trace is not None
    names = tuple(d.name for d in targets)
    if first:
        says = say("{database} contains the conversation and has the service.", database=first[0].name)
    elif len(targets) > 1:
        says = say("{count} databases have the service: any of {databases}.", count=len(names), databases=names)
    elif targets:
        says = say("One database has the service: {database}.", database=names[0])
    elif unfit := tuple(d for d in hop.instance.databases.values() if d.has_service(hop.service)):
        says = say(
            "{database} has the service but cannot be the target: {why}.",
            database=unfit[0].name,
            why=_why_not_taken(hop, unfit[0]),
        )
    else:
        says = say(
            "No database of {instance} has the service {service}.",
            instance=hop.instance.name,
            service=hop.service,
        )
    hop.trace.add("LOC-2", bool(targets), says)


def _why_not_taken(hop: Hop, database: Database) -> object:
    if not database.has_service(hop.service):
        return say("it has no service {service}", service=hop.service)
    if not database.broker_enabled:
        return say("its broker is disabled")
    return say("its mirroring role is MIRROR")
