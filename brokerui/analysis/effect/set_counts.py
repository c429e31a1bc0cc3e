"""The counts of sets of groups: groups that many classes share are counted once for all of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from brokerui.analysis.effect.answers import may_lose_answers
from routing.classes.traffic_class import UNKNOWN_SERVICE, TrafficClass
from routing.diff.group_set import GroupSet
from routing.diff.intent import Intent
from routing.diff.result import WORST_FIRST, DiffGroup, Pair


@dataclass(frozen=True, slots=True)
class SetCount:
    """The numbers that the groups of a set add for each class."""

    entries: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WORST_FIRST, 0))
    """By verdict: the entry points of its groups, without those of `answering`."""
    intended: dict[Pair, tuple[DiffGroup, int]] = field(default_factory=dict)
    """The groups with intended classes, and how many these are for each identifier that is known."""
    answering: dict[Pair, DiffGroup] = field(default_factory=dict)
    """The groups whose conversations may lose answers: they count one by one."""

    def copy(self) -> SetCount:
        return SetCount({**self.entries}, {**self.intended}, {**self.answering})

    def leave_out(self, group: DiffGroup) -> None:
        pair = group.before, group.after
        if self.answering.pop(pair, None) is None:
            self.entries[group.verdict] -= len(group.members)
            self.intended.pop(pair, None)

    def add(self, group: DiffGroup, intended: int) -> None:
        self.entries[group.verdict] += len(group.members)
        if intended:
            self.intended[group.before, group.after] = group, intended


class SetCounts:
    """The counts of the sets of a comparison, name by name."""

    def __init__(self, intent: Intent) -> None:
        self._intent = intent
        self._of_any_name: dict[GroupSet, SetCount] = {}
        self._of_name: dict[GroupSet, SetCount] = {}
        self._name = ""
        self._traffic = TrafficClass("", None, False)

    def intended(self, group: DiffGroup, service: str) -> int:
        """Return how many classes of a group are intended, with an identifier that is known or none."""
        if self._traffic.to_service != service:
            self._traffic = TrafficClass(service, None, False)
        return self._intent.members(group.same_for(self._traffic))

    def of(self, groups: GroupSet, service: str) -> SetCount:
        """Return the count of the groups of some classes of a service."""
        if groups.of_any_name:
            return self._kept(groups, self._of_any_name, UNKNOWN_SERVICE)
        return self._counted(groups, service)

    def _base(self, groups: GroupSet, service: str) -> SetCount:
        if groups.of_any_name:
            return self._kept(groups, self._of_any_name, UNKNOWN_SERVICE)
        if service != self._name:
            self._name, self._of_name = service, {}
        return self._kept(groups, self._of_name, service)

    def _kept(self, groups: GroupSet, kept: dict[GroupSet, SetCount], service: str) -> SetCount:
        found = kept.get(groups)
        if found is None:
            found = kept[groups] = self._counted(groups, service)
        return found

    def _counted(self, groups: GroupSet, service: str) -> SetCount:
        found = SetCount() if groups.base is None else self._base(groups.base, service).copy()
        for group in groups.without():
            found.leave_out(group)
        for pair, group in groups.own.items():
            if may_lose_answers(group):
                found.answering[pair] = group
            else:
                found.add(group, self.intended(group, service))
        return found
