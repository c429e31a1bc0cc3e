"""Rounds of the pipeline as pages show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as lazy

from brokerui.analysis.traffic.labels import TITLES
from brokerui.analysis.traffic.models import Round, RoundState
from brokerui.analysis.traffic.models.rounds import OPEN
from brokerui.analysis.traffic.waiting_rounds import RoundWait, is_lost, round_wait

SHOWN = 10
"""Rounds of the table."""
LAST_LINES = 8
"""Lines of the log of a round under way."""

STATES: Mapping[str, tuple[Promise, str]] = {
    RoundState.WAITING: (lazy("Waits for a worker"), "uploaded"),
    RoundState.RUNNING: (lazy("Running"), "applying"),
    RoundState.DONE: (lazy("Done"), "applied"),
    RoundState.FAILED: (lazy("Failed"), "failed"),
    RoundState.CANCELLED: (lazy("Cancelled"), "discarded"),
    RoundState.INTERRUPTED: (lazy("Interrupted"), "previewed"),
}
"""The label and the mark of each state."""


@dataclass(frozen=True)
class RoundOnPage:
    """A round, with the words for it."""

    round: Round
    state: str

    @property
    def label(self) -> Promise:
        return STATES[self.state][0]

    @property
    def mark(self) -> str:
        return STATES[self.state][1]

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def can_be_cancelled(self) -> bool:
        """Whether there is anything to cancel: a round whose worker is lost waits for another one, too."""
        return self.round.state in OPEN and self.round.job is not None and not self.round.job.cancelled_by

    @cached_property
    def wait(self) -> RoundWait | None:
        """Why it waits, with the remedy; None where it does not, or a worker is about to start it."""
        return round_wait(self.round)

    @property
    def is_ending(self) -> bool:
        """Whether somebody cancelled it and its worker has not seen that yet."""
        return self.state == RoundState.RUNNING and self.round.job is not None and bool(self.round.job.cancelled_by)

    @property
    def began(self) -> datetime:
        return self.round.began_at or self.round.asked_at

    @property
    def seconds(self) -> float | None:
        """How long it took; None: it has not begun, or goes on."""
        begun, ended = self.round.began_at, self.round.ended_at
        return (ended - begun).total_seconds() if begun and ended else None

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The jobs of the round so far; the last one is running unless the round is over."""
        return [
            {**step, "title": TITLES[step["name"]], "counts": _counts(step), "look": self._look(step)}
            for step in self.round.steps
        ]

    @property
    def has_error_of_a_step(self) -> bool:
        """Whether one of the jobs says why the round failed."""
        return any(step.get("error") == self.round.error for step in self.round.steps)

    def _look(self, step: Mapping[str, Any]) -> str:
        if step.get("is_done"):
            return "done"
        return "now" if self.is_open and "error" not in step else "broken"

    @property
    def rows_in(self) -> int | None:
        """Rows that it took in; None where it came to nothing of that."""
        counts = [step["in"] for step in self.round.steps if step["name"] == "ingest" and "in" in step]
        return sum(counts) if counts else None

    @property
    def log(self) -> str:
        """All that is kept of it; of a round under way the last lines."""
        lines: list[str] = self.round.log.splitlines()
        return "\n".join(lines[-LAST_LINES:] if self.is_open else lines)


def shown(one: Round) -> RoundOnPage:
    """A round whose worker is gone is interrupted, also before another worker says so."""
    return RoundOnPage(one, RoundState.INTERRUPTED if is_lost(one) else one.state)


def rounds_shown() -> list[RoundOnPage]:
    """The last ones, the latest first."""
    return [shown(one) for one in Round.objects.select_related("job")[:SHOWN]]


def _counts(step: Mapping[str, Any]) -> dict[str, int] | None:
    if "in" not in step:
        return None
    return {"came": step["in"], "went": step["out"], "quarantined": step["quarantined"]}
