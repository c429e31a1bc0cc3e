"""The one next step of each cause, as far as the reader may do it, and the address of the rows behind it."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from brokerui.accounts.levels import UserAccess
from brokerui.analysis.monitoring.wording import age_now
from brokerui.analysis.overview.causes import CauseKind, HeldCause
from brokerui.analysis.overview.entries import CauseInWords
from brokerui.analysis.overview.forthcoming import Forthcoming, ForthcomingKind
from brokerui.api.ids import id_of
from brokerui.pages.changes.remedy import remedy_json
from brokerui.pages.delayed.collected import where_of_row
from brokerui.pages.delayed.groups import where_of


@dataclass(frozen=True, slots=True)
class NextStep:
    """A button or a link: the first of its values that is not empty says which."""

    label: Promise
    remedy: str = ""
    """The value of the button that makes a draft."""
    queue: HeldCause | None = None
    """The queue to be switched on."""
    retried: HeldCause | None = None
    """The cause whose messages are tried again."""
    failover: tuple[str, str] | None = None
    """The instance and the mirrored database that fail over."""
    copied: str = ""
    """The statement or the command that is copied."""
    url: str = ""


@dataclass(frozen=True, slots=True)
class EntryOnPage:
    """A cause with its step."""

    entry: CauseInWords
    rows: str
    """The address of the rows behind it."""
    step: NextStep

    @property
    def id(self) -> str:
        """The same for a cause wherever it stands in the order: focus stays on its row."""
        return blake2b(repr(self.entry.cause.key).encode(), digest_size=6).hexdigest()

    @property
    def age(self) -> str:
        """The age of the oldest message in words."""
        seconds = None if self.entry.cause.kind is CauseKind.LOGGED else self.entry.cause.oldest_s
        return "\N{EN DASH}" if seconds is None else age_now(seconds * 1000)


@dataclass(frozen=True, slots=True)
class ForthcomingOnPage:
    """A line of *Holds nothing back yet*, with its step."""

    line: Forthcoming
    step: NextStep


def with_step(entry: CauseInWords, access: UserAccess) -> EntryOnPage:
    """The entry as this reader may act on it."""
    return EntryOnPage(entry, rows_of(entry), _step(entry, access))


def _step(entry: CauseInWords, access: UserAccess) -> NextStep:
    remedy = entry.remedy
    if entry.cause.kind is CauseKind.QUEUE_OFF and access.operate:
        return NextStep(_("Switch queue on"), queue=entry.cause)
    if entry.is_mended and access.operate:
        return NextStep(_("Retry now"), retried=entry.cause)
    is_collected = entry.cause.kind is CauseKind.COLLECTED  # a person runs its remedy on that server
    if remedy is not None and remedy.is_edits and access.edit and not is_collected:
        return NextStep(_("Draft the remedy"), remedy=remedy_json(remedy.instance, remedy.sql, entry.title))
    if remedy is not None and remedy.failover is not None and access.edit:
        return NextStep(_("Fail over…"), failover=remedy.failover)
    if remedy is not None:
        return NextStep(_("Copy command") if remedy.is_command else _("Copy T-SQL"), copied=remedy.sql)
    if entry.cause.kind is CauseKind.LOGGED:
        return NextStep(_("See the server"), url=rows_of(entry))
    where = _where(entry)
    return NextStep(_("Explain"), url=where) if where else NextStep(_("See the rows"), url=rows_of(entry))


def _where(entry: CauseInWords) -> str:
    """The page that explains the way; empty where no conversation is known."""
    if entry.conversation is not None:
        return where_of(entry.instance, entry.conversation)
    return where_of_row(entry.collected) if entry.collected is not None else ""


def rows_of(entry: CauseInWords) -> str:
    """The address of the rows behind a cause."""
    cause = entry.cause
    place = {"instance": cause.instance, "database": cause.database}
    if cause.kind is CauseKind.QUEUE_OFF:
        return f"{reverse('queues:queues')}?{urlencode(place)}"
    if cause.kind is CauseKind.WAITING:
        query = urlencode({**place, "service": cause.subject, "cause": cause.number})
        return f"{reverse('delayed:delayed')}?{query}"
    if cause.kind is CauseKind.COLLECTED:
        return f"{reverse('delayed:delayed')}#collected-title"
    if cause.kind is CauseKind.LOGGED:
        return reverse("servers:server", args=[id_of((cause.instance,))])
    return _where(entry) or f"{reverse('api:events')}?{urlencode({'instance': cause.instance})}"


def forthcoming_step(line: Forthcoming) -> ForthcomingOnPage:
    """The line with the page where something can be done about it."""
    if line.kind is ForthcomingKind.FINDING:
        query = urlencode({"q": f"code:{line.code}"})
        return ForthcomingOnPage(line, NextStep(_("See the findings"), url=f"{reverse('findings:list')}?{query}"))
    if line.kind is ForthcomingKind.LEAK:
        url = reverse("servers:leak", args=[id_of((line.instance, line.database))])
        return ForthcomingOnPage(line, NextStep(_("Review the clean-up"), url=url))
    if line.instance:
        return ForthcomingOnPage(
            line, NextStep(_("See the server"), url=reverse("servers:server", args=[id_of((line.instance,))]))
        )
    return ForthcomingOnPage(line, NextStep(_("See the servers"), url=reverse("servers:list")))
