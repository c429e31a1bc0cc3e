"""Remedies as they are offered: each was tried on a copy of the estate, and what it does stands beside it.

Pure: imports only `routing` and wording. A trial takes milliseconds, on a large estate tens of them, so a caller says
for how long remedies are tried; those that come later are called untried.
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
from routing.remedies.trial import COMPARED, try_remedy


@dataclass
class RemedyTrials:
    """Tries the remedies of one estate at one time, for at most `seconds`."""

    estate: Estate
    at: datetime
    seconds: float
    compared: int = COMPARED
    clock: Callable[[], float] = time.monotonic
    _until: float = field(init=False)

    def __post_init__(self) -> None:
        self._until = self.clock() + self.seconds

    def of(self, finding: Finding) -> RemedyOffer:
        """The remedy of a finding, tried."""
        if finding.remedy_sql is None:
            return NO_REMEDY
        if self.clock() > self._until:
            return RemedyOffer(finding.remedy_sql, (LATE,), is_late=True)
        trial = try_remedy(self.estate, finding, self.at, compared=self.compared)
        if trial is None or not trial.is_offered:
            is_harmful = trial is not None and any(effect.breaks for effect in trial.worse)
            return RemedyOffer(None, (HARMFUL if is_harmful else WITHHELD,))
        return RemedyOffer(finding.remedy_sql, remedy_says(trial, finding))
