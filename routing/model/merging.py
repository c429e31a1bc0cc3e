"""Puts two changes of one estate together, where they do not collide (a three-way merge by object)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from routing.common.errors import Invalid
from routing.model.estate import Estate
from routing.model.object_changes import ObjectChanges, ObjectKey, objects_changed, with_objects, written


class MergeConflict(NamedTuple):
    """An object that both sides changed, each in another way; None: it does not exist there."""

    key: ObjectKey
    base: Any
    ours: Any
    theirs: Any


@dataclass(frozen=True)
class Merge:
    """The result of a merge: the estate, or why there is none."""

    estate: Estate | None
    conflicts: tuple[MergeConflict, ...] = ()
    """Objects that both sides changed, and objects that one side changed while the other dropped their owner."""
    fault: Invalid | None = None
    """Why the objects of both cannot stand together, although no object collides."""


def merge(base: Estate, ours: Estate, theirs: Estate) -> Merge:
    """Return `ours` with what `theirs` changed of `base`."""
    own, foreign = objects_changed(base, ours), objects_changed(base, theirs)
    conflicts = tuple(_conflicts(own, foreign))
    if conflicts:
        return Merge(None, conflicts)
    wanted = {key: change for key, change in foreign.items() if key not in own}
    if not own:
        return Merge(theirs)
    try:
        return Merge(with_objects(ours, wanted) if wanted else ours)
    except Invalid as fault:
        return Merge(None, fault=fault)


def _conflicts(own: ObjectChanges, foreign: ObjectChanges) -> Iterator[MergeConflict]:
    for key, change in foreign.items():
        if key in own and written(own[key].after) != written(change.after):
            yield MergeConflict(key, change.before, own[key].after, change.after)
        elif any(owner in own for owner in key.owners):
            yield MergeConflict(key, change.before, None, change.after)
    for key, change in own.items():
        if key not in foreign and any(owner in foreign for owner in key.owners):
            yield MergeConflict(key, change.before, change.after, None)
