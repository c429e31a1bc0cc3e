"""LOC-1, LOC-2: which databases of the instance a message can be delivered to."""

from __future__ import annotations

from routing.model.estate import Database
from routing.rules.hop import Hop

Databases = tuple[Database, ...]


def locate(hop: Hop, identifier: str | None) -> Databases:
    """The databases that can take the message: several if the rules leave it open, none if none can.

    `identifier` is the one in force: the conversation's, else the chosen route's.
    """
    return _named_by(hop, identifier) if identifier is not None else _holding_service(hop)


def takes(hop: Hop, database: Database) -> bool:
    """Whether the database has the service and can be a target: broker enabled, not in the role MIRROR (LOC)."""
    return any(target is database for target in hop.instance.targets.get(hop.service, ()))


def _named_by(hop: Hop, identifier: str) -> Databases:
    """LOC-1: with an identifier, the database that has it."""
    database = hop.instance.identified.get(identifier)
    return (database,) if database is not None and takes(hop, database) else ()


def _holding_service(hop: Hop) -> Databases:
    """LOC-2: the database that contains the conversation; otherwise any other with the service, in no order."""
    targets = hop.instance.targets.get(hop.service, ())
    if len(targets) <= 1:
        return targets
    # RT-STICKY: an earlier choice is kept; a receiving instance prefers the database that holds the conversation.
    return _among(targets, hop.kept.database) or _among(targets, hop.database) or targets


def _among(targets: Databases, name: str | None) -> Databases:
    """The database of this name among the targets; none for None."""
    return tuple([target for target in targets if target.name == name]) if name is not None else ()
