"""The T-SQL of a draft: one instance at a time, as a script that can be edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Final

from brokerui.analysis.explanations.origin import instance_meant
from brokerui.changes.draft_sql import drafted_instances, script_of
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_base, draft_estate
from routing.common.finding import Finding
from routing.common.sentence import Sentence
from routing.model.estate import Estate

MIN_ROWS: Final = 12
MAX_ROWS: Final = 32
OFFERED: Final = 500
"""Names of instances that the field offers."""


@dataclass
class SqlPage:
    """The script of one instance, as the draft has it or as a user typed it."""

    draft: SavedDraft
    instance_sent: str = ""
    typed: str | None = None
    """The script that a user typed; None: the script of the draft is shown."""
    problems: Sequence[tuple[int | None, Sentence]] = field(default=())
    """Line and reason; None: it is about the whole script."""
    unsupported: Sequence[Finding] = field(default=())

    @cached_property
    def changed(self) -> list[str]:
        """The instances that the draft changes."""
        return list(drafted_instances(self.draft))

    @cached_property
    def instance(self) -> str:
        """The instance whose script is shown: the one that the user named, else the first that the draft changes."""
        if not self.instance_sent:
            return next(iter([*self.changed, *self.offered]), "")
        known = (instance_meant(self.instance_sent, estate) for estate in (self._after, self._before))
        return next(filter(None, known), self.instance_sent)

    @cached_property
    def offered(self) -> list[str]:
        """The first instances of the draft and its base."""
        return list(islice(dict.fromkeys([*self._before.instances, *self._after.instances]), OFFERED))

    @property
    def is_new(self) -> bool:
        """Whether neither the draft nor its base has the instance: its script adds it."""
        return self.instance not in self._before.instances and self.instance not in self._after.instances

    @cached_property
    def text(self) -> str:
        return self.typed if self.typed is not None else script_of(self.draft, self.instance)

    @property
    def numbers(self) -> list[tuple[int, bool]]:
        """The number of each line, and whether it has a problem."""
        wrong = {line for line, _ in self.problems}
        return [(number, number in wrong) for number in range(1, self.text.count("\n") + 2)]

    @property
    def rows(self) -> int:
        """The height of the editor, in lines."""
        return min(MAX_ROWS, max(MIN_ROWS, self.text.count("\n") + 2))

    @property
    def queries(self) -> Mapping[str, bool]:
        """The instances of the switch, and whether each is the one that is shown."""
        names = self.changed if self.instance in self.changed else [*self.changed, self.instance]
        return {name: name == self.instance for name in names if name}

    @cached_property
    def _before(self) -> Estate:
        return draft_base(self.draft).estate

    @cached_property
    def _after(self) -> Estate:
        return draft_estate(self.draft).estate
