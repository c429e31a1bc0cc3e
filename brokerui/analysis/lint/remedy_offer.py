"""A remedy as it is offered: its T-SQL, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from routing.common.finding import Finding
from routing.common.sentence import Sentence, say


@dataclass(frozen=True, slots=True)
class RemedyOffer:
    """The remedy of a finding, tried on a copy of the estate."""

    sql: str | None
    """None: there is none, or the one that lint proposes proved to be none."""
    says: tuple[Sentence, ...] = ()
    """Sentences on its effect, or why it was not tried."""
    is_late: bool = False
    """True if the remedy was not tried because the time was over."""
    is_edits: bool = False
    """True if the engine can run it, or that is not known yet: then it can become a draft."""


@dataclass(frozen=True, slots=True)
class ConversationOffer:
    """A remedy for one conversation, as an explanation offers it."""

    instance: str
    """On which it is to run."""
    sql: str
    says: tuple[Sentence, ...]
    """Where the conversation ends with it, and what ends worse."""
    code: str | None = None
    """The code of the finding whose remedy it is."""
    place: tuple[str | None, ...] = ()
    """Instance, database and object of that finding."""
    is_command: bool = False
    """True for a command for the shell; else it is T-SQL."""
    failover: tuple[str, str] | None = None
    """Of a failover: an instance and its mirrored database; the command does it, and so do page and REST."""
    is_tried: bool = True
    """True if the engine ran it on a copy of the estate."""

    @property
    def is_edits(self) -> bool:
        """Whether it can become a draft."""
        return self.is_tried and not self.is_command


NO_REMEDY = RemedyOffer(None)
LATE = say("Not tried: there are too many remedies to try each in the time there is.")
WITHHELD = say("No remedy is offered: the obvious statement was tried, and does not remove the finding.")
HARMFUL = say("No remedy is offered: the obvious statement was tried, and loses messages that are delivered now.")
Offers = Callable[[Finding], RemedyOffer]


def untried(finding: Finding) -> RemedyOffer:
    """The remedy as lint proposes it: findings of an import have none that could be tried."""
    return RemedyOffer(finding.remedy_sql)
