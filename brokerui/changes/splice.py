"""The difference between two lists of edits, small enough to be kept for each step of a draft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from routing.model.estate import Edit

Edits = tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Splice:
    """From `start` on, `removed` gives way to `inserted`; what stands before and after stays."""

    start: int
    removed: Edits
    inserted: Edits

    def __bool__(self) -> bool:
        return bool(self.removed or self.inserted)

    def apply(self, edits: Edits) -> Edits:
        """Return the list after the step."""
        return edits[: self.start] + self.inserted + edits[self.start + len(self.removed) :]

    def reversed(self) -> Splice:
        """Return the step that takes this one back."""
        return Splice(self.start, self.inserted, self.removed)


def splice_between(before: Edits, after: Edits) -> Splice:
    """Return the step from one list to another; an empty one where they are equal."""
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    return Splice(start, before[start : len(before) - end], after[start : len(after) - end])


def _common(one: Sequence[Edit], other: Sequence[Edit]) -> int:
    """Return how many edits the two lists begin with alike."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))
