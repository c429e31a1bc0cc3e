"""Finds out what becomes of the live estate where nobody says it: scripts that change some objects run on it.

A script that makes an instance from nothing makes most of what the live estate has of it; one that changes something
there does not, and what it leaves out must not be lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from brokerui.analysis.imports.sources import Kind, Mode, Source
from brokerui.estate.tables import TABLES
from routing.common.errors import InputError
from routing.common.names import is_system_service
from routing.model.estate import Estate, Instance
from routing.model.route import AUTO_CREATED_LOCAL
from routing.tsql.encodings import script_from

_FROM_NOTHING = re.compile(r"\bCREATE\s+DATABASE\s|^-- brokerui: \{\"instance\"", re.IGNORECASE | re.MULTILINE)


def mode_of_change(live: Estate, anew: Estate) -> Mode:
    """`INTO` if an instance that the scripts make anew would lose at least as many objects as it keeps."""
    spelt = {name.casefold(): instance for name, instance in live.instances.items()}
    pairs = ((spelt.get(name.casefold()), instance) for name, instance in anew.instances.items())
    alters = any(known is not None and _is_altered(known, made) for known, made in pairs)
    return Mode.INTO if alters else Mode.INSTANCES


def mode_of_text(scripts: Sequence[Source]) -> Mode:
    """Return the mode for scripts of instances that the live estate does not have, by their text alone."""
    return Mode.INSTANCES if all(map(_begins_with_nothing, scripts)) else Mode.INTO


def scripts_of(sources: Sequence[Source]) -> list[Source]:
    return [source for source in sources if source.kind is Kind.SCRIPT]


def _begins_with_nothing(script: Source) -> bool:
    try:
        text = script_from(script.load(), where=script.name, encoding=script.encoding)
    except InputError:
        return True
    return _FROM_NOTHING.search(text) is not None


def _is_altered(known: Instance, made: Instance) -> bool:
    there, anew = set(_objects(known)), set(_objects(made))
    databases = {name.casefold() for name in known.databases} - {name.casefold() for name in made.databases}
    lost = len(there - anew) + len(databases)
    return lost > 0 and lost >= len(there & anew)


def _objects(instance: Instance) -> Iterator[tuple[str, str, str]]:
    """Yield the objects that users made there, by kind, database and name, without those of every database."""
    if instance.endpoint is not None:
        yield "endpoint", "", ""
    for database in instance.databases.values():
        for table in TABLES:
            for member in table.members(database):
                if member.name != AUTO_CREATED_LOCAL.name and not is_system_service(member.name):
                    yield table.kind, database.name.casefold(), member.name.casefold()
