"""Remedies as they are offered: each was tried on a copy of the estate, and what it does stands beside it.

Pure: imports only `routing` and wording. A trial takes milliseconds, in a large estate a tenth of a second: a caller
says for how long remedies are tried. In the second half of that time a large estate is asked only for conversations
that a remedy is about; remedies that come later are called untried.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from brokerui.analysis.lint.remedy_offer import HARMFUL, LATE, NO_REMEDY, WITHHELD, RemedyOffer
from brokerui.analysis.remedies.wording import remedy_says
from routing.common.finding import Finding
from routing.model.estate import Estate
from routing.remedies.effects import MAX_NAMES
from routing.remedies.trial import COMPARED, TrialVerdict, try_remedy


@dataclass
class RemedyTrials:
    """Tries the remedies of one estate at one time, for at most `seconds`."""

    estate: Estate
    at: datetime
    seconds: float
    compared: int = COMPARED
    clock: Callable[[], float] = time.monotonic
    _half: float = field(init=False)
    _until: float = field(init=False)

    def __post_init__(self) -> None:
        self._half = self.clock() + self.seconds / 2
        self._until = self.clock() + self.seconds

    def of(self, finding: Finding) -> RemedyOffer:
        """The remedy of a finding, tried."""
        if finding.remedy_sql is None:
            return NO_REMEDY
        now = self.clock()
        if now > self._until:
            return RemedyOffer(finding.remedy_sql, (LATE,), is_late=True, is_edits=True)
        names = MAX_NAMES if now < self._half else 0
        trial = try_remedy(self.estate, finding, self.at, compared=self.compared, most_names=names)
        if trial is None or not trial.is_offered:
            is_harmful = trial is not None and any(effect.breaks for effect in trial.worse)
            return RemedyOffer(None, (HARMFUL if is_harmful else WITHHELD,))
        is_edits = trial.verdict is TrialVerdict.MENDS
        return RemedyOffer(finding.remedy_sql, remedy_says(trial, finding), is_edits=is_edits)
