"""Edits in words: what each one adds, alters, drops or switches, given the estate that it meets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brokerui.changes.marks import ADDED, ALTERED
from routing.common.moment import format_moment
from routing.common.sentence import Sentence, say
from routing.model import edits as kinds
from routing.model.estate import Edit, Estate
from routing.model.route import Route

DROPPED, SWITCHED = "dropped", "switched"
NULL = "NULL"
InDatabase = (
    kinds.PutRoute
    | kinds.DropRoute
    | kinds.PutService
    | kinds.DropService
    | kinds.SetQueue
    | kinds.SetBroker
    | kinds.SetMirroringRole
)
"""An edit of something in one database."""
Whole = kinds.PutDatabase | kinds.DropDatabase | kinds.PutInstance | kinds.DropInstance
"""An edit of a database or an instance as a whole."""


def edits_in_words(estate: Estate, edits: Sequence[Edit]) -> Iterator[tuple[str, Sentence]]:
    """Yield for each edit, in order, what it does in one word and in a sentence; `estate` is the one before them."""
    for edit in edits:
        yield _in_words(estate, edit)
        estate = edit.apply(estate)


def _in_words(estate: Estate, edit: Edit) -> tuple[str, Sentence]:
    match edit:
        case kinds.PutRoute():
            return _put_route(estate, edit)
        case kinds.DropRoute():
            return DROPPED, say("Drops route {name} of {place}.", name=edit.name, place=place_of(edit))
        case kinds.PutService():
            return _put_service(estate, edit)
        case kinds.DropService():
            return DROPPED, say("Drops service {name} of {place}.", name=edit.name, place=place_of(edit))
        case kinds.PutDatabase() | kinds.DropDatabase() | kinds.PutInstance() | kinds.DropInstance():
            return _whole(estate, edit)
    return SWITCHED, _switch(edit)


def _put_route(estate: Estate, edit: kinds.PutRoute) -> tuple[str, Sentence]:
    new, place = edit.route, place_of(edit)
    table = estate.instances[edit.instance].tables.get(edit.database)
    old = table.routes.get(new.name) if table is not None else None
    if old is not None:
        return ALTERED, say(
            "Alters route {name} of {place}: {what}.", name=new.name, place=place, what=_altered(old, new)
        )
    words = {"name": new.name, "place": place, "address": new.address.text}
    if new.remote_service_name is None:
        return ADDED, say("Adds route {name} to {place}: any service, to {address}.", **words)
    return ADDED, say(
        "Adds route {name} to {place}: {service}, to {address}.", service=new.remote_service_name, **words
    )


def _altered(old: Route, new: Route) -> tuple[str, ...] | Sentence:
    changed = [
        f"{column} {before} → {after}"
        for (column, before), (_same, after) in zip(_columns(old), _columns(new), strict=True)
        if before != after
    ]
    return tuple(changed) or say("nothing differs")


def _columns(route: Route) -> tuple[tuple[str, str], ...]:
    """Return the columns of `sys.routes` as they are shown."""
    return (
        ("remote_service_name", route.remote_service_name or NULL),
        ("broker_instance", route.broker_instance or NULL),
        ("lifetime", format_moment(route.lifetime) if route.lifetime else NULL),
        ("address", route.address.text),
        ("mirror_address", route.mirror_address.text if route.mirror_address else NULL),
    )


def _put_service(estate: Estate, edit: kinds.PutService) -> tuple[str, Sentence]:
    services = estate.instances[edit.instance].databases[edit.database].services
    words = {"name": edit.service.name, "place": place_of(edit)}
    if any(service.name == edit.service.name for service in services):
        return ALTERED, say("Alters service {name} of {place}.", **words)
    return ADDED, say("Adds service {name} to {place}.", **words)


def _whole(
    estate: Estate, edit: kinds.PutDatabase | kinds.DropDatabase | kinds.PutInstance | kinds.DropInstance
) -> tuple[str, Sentence]:
    match edit:
        case kinds.PutDatabase():
            words = {"name": edit.database.name, "instance": edit.instance}
            if edit.database.name in estate.instances[edit.instance].databases:
                return ALTERED, say("Replaces database {name} of {instance} with all its objects.", **words)
            return ADDED, say("Adds database {name} to {instance}.", **words)
        case kinds.DropDatabase():
            words = {"name": edit.name, "instance": edit.instance}
            return DROPPED, say("Drops database {name} of {instance} with all its objects.", **words)
        case kinds.PutInstance():
            if edit.instance.name in estate.instances:
                return ALTERED, say("Replaces instance {name} with all its databases.", name=edit.instance.name)
            return ADDED, say("Adds instance {name}.", name=edit.instance.name)
    return DROPPED, say("Drops instance {name} with all its databases.", name=edit.name)


def _switch(edit: Edit) -> Sentence:
    match edit:
        case kinds.SetQueue(enabled=True):
            return say("Switches queue {queue} of {place} on.", queue=edit.queue, place=place_of(edit))
        case kinds.SetQueue():
            return say("Switches queue {queue} of {place} off.", queue=edit.queue, place=place_of(edit))
        case kinds.SetForwarding(forwarding=True):
            return say("Switches message forwarding of {instance} on.", instance=edit.instance)
        case kinds.SetForwarding():
            return say("Switches message forwarding of {instance} off.", instance=edit.instance)
        case kinds.SetBroker(enabled=True):
            return say("Enables the broker of {place}.", place=place_of(edit))
        case kinds.SetBroker():
            return say("Disables the broker of {place}.", place=place_of(edit))
        case kinds.SetMirroringRole(mirroring_role=None):
            return say("Takes {place} out of mirroring.", place=place_of(edit))
        case kinds.SetMirroringRole():
            return say("Makes {place} the {role} of its mirroring.", place=place_of(edit), role=edit.mirroring_role)
        case kinds.SetHopLimit():
            return say("Lets a message be forwarded up to {count} times.", count=edit.hop_limit)
    raise TypeError(type(edit))


def place_of(edit: InDatabase) -> str:
    """Return the instance and the database of an edit."""
    return f"{edit.instance}/{edit.database}"
