"""One estate with what comparisons look up in it, indexed once: comparing an edited copy costs what the edits do."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import cached_property

from routing.classes.name_index import NameIndex
from routing.classes.traffic_class import Vocabulary
from routing.model.estate import Estate, Instance


class IndexedEstate:
    """An estate, its words, and the special nodes of each service name."""

    def __init__(self, estate: Estate) -> None:
        self.estate = estate

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self.estate, Estate())

    @cached_property
    def _specials(self) -> NameIndex:
        return NameIndex(self.estate, Estate(), self._vocabulary.identifiers.keys())

    def vocabulary_with(self, after: Estate) -> Vocabulary:
        """The words of this estate and of another one."""
        changed = self._changed(after)
        if not _are_few(changed, after):
            return Vocabulary(self.estate, after)
        return self._vocabulary.with_instances(after, changed)

    def specials_with(self, after: Estate, names: Set[str]) -> NameIndex:
        """The special nodes of these names in this estate or in another one."""
        changed = self._changed(after)
        if not _are_few(changed, after):
            return NameIndex(self.estate, after, names)
        return self._specials.with_instances(changed, names)

    def _changed(self, after: Estate) -> list[Instance]:
        """The instances of another estate that this one does not share as objects."""
        return [one for name, one in after.instances.items() if self.estate.instances.get(name) is not one]


def _are_few(changed: Sequence[Instance], after: Estate) -> bool:
    """Whether to extend an index by them costs less than to look through both estates.

    Estates that were read from two documents share no instance.
    """
    return len(changed) <= max(1, len(after.instances) // 2)
