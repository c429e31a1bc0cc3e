"""A change in the making: edits of the engine, each tried on the estate as the ones before leave it."""

from __future__ import annotations

from dataclasses import dataclass, field

from brokerui.estate.selectors import LiveEstate
from routing.model.estate import Edit, Estate


@dataclass(slots=True)
class UnsavedEdits:
    """The edits that would be written as one version."""

    live: LiveEstate
    after: Estate = field(init=False)
    edits: list[Edit] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.after = self.before

    @property
    def before(self) -> Estate:
        return self.live.estate

    def add(self, edit: Edit) -> None:
        """One more. Raises `Invalid` where the estate cannot take it; the draft is as it was then."""
        self.after = edit.apply(self.after)
        self.edits.append(edit)

    def __bool__(self) -> bool:
        return bool(self.edits)
