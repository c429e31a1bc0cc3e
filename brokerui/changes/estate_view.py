"""The estate that a page or a resource is about: the live one, one of its earlier versions, a draft, or a scenario.

`?scenario=NAME` names a scenario; `?as_of=` a version (its number) or a moment (ISO 8601); `?draft=` a draft (its
number). None of them: the live estate as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils import timezone

from brokerui.changes.errors import DraftNotFoundError
from brokerui.changes.selectors import DraftInfo, draft_estate, draft_get, draft_info
from brokerui.core.errors import SaidNotFoundError
from brokerui.core.moments import moment_words
from brokerui.core.typed_moments import read_moment
from brokerui.estate.errors import VersionNotFoundError
from brokerui.estate.scenarios.errors import ScenarioNotFoundError
from brokerui.estate.scenarios.selectors import ScenarioInfo, scenario_digest, scenario_find, scenario_get
from brokerui.estate.selectors import EMPTY, LiveEstate, estate_as_of, estate_current, first_moment, live_version
from routing.common.errors import Invalid
from routing.common.sentence import Sentence, say
from routing.model.estate import Estate

_LABEL = re.compile(
    r"(?:(?:as of )?version |estate-|v)?(\d{1,9}|\d{1,3}(?:,\d{3}){1,2})(?:\.json)?", re.IGNORECASE | re.ASCII
)
"""A version as a page, a command or the name of a file writes it."""
_WITHIN = timedelta(microseconds=999_999)
"""Pages write the moment of a version to the second: it is meant to the end of that second."""
DRAFT_DIGITS = 15
SHOWN_CHARS = 40
PARAMETERS = ("scenario", "as_of", "draft")
"""Parameters that stay in the address from one page to the next."""


class EstateViewError(Exception):
    """There is no such estate: `parameter` and `problem` say what of the request is wrong."""

    def __init__(self, parameter: str, problem: Sentence) -> None:
        super().__init__(f"{parameter}: {problem}")
        self.parameter = parameter
        self.problem = problem


@dataclass(frozen=True, slots=True)
class EstateView:
    """An estate with what the reader calls it."""

    estate: Estate
    key: str
    """Digest of the content; caches use it as their key."""
    scenario: ScenarioInfo | None = None
    version: int = 0
    """Version of the live estate; 0 for scenarios, and for a live estate without versions."""
    as_of: str = ""
    """As it was asked for."""
    moment: datetime | None = None
    """The moment of `as_of`, where it is one."""
    draft: DraftInfo | None = None
    """The draft whose edits the estate has; `version` is the one they were made on."""

    @property
    def is_live(self) -> bool:
        """The live estate, at any time or with the edits of a draft."""
        return self.scenario is None

    @property
    def is_editable(self) -> bool:
        """The live estate as it is now; everything else is read-only."""
        return self.scenario is None and not self.as_of and self.draft is None

    @property
    def is_empty(self) -> bool:
        return not self.estate.instances

    @property
    def file(self) -> str:
        """The document as a command reads it, once it is downloaded."""
        if self.draft is not None:
            return f"draft-{self.draft.id}.json"
        if self.scenario is None:
            return f"estate-{self.version}.json"
        return f"examples/{self.scenario.name}.json" if self.scenario.is_example else f"{self.scenario.name}.json"

    @property
    def query(self) -> dict[str, str]:
        """The parameters that name this estate again."""
        if self.scenario is not None:
            return {"scenario": self.scenario.name}
        if self.draft is not None:
            return {"draft": str(self.draft.id)}
        return {"as_of": self.as_of} if self.as_of else {}

    @property
    def frozen(self) -> dict[str, str]:
        """The parameters that name this estate also after the next version."""
        return self.query or ({"as_of": str(self.version)} if self.version else {})

    @property
    def address(self) -> str:
        """The query parameters of this view as a query string."""
        return urlencode(self.query)

    def at(self) -> datetime:
        """The moment at which routes count as expired or not: that of `as_of`, else now."""
        return self.moment or timezone.now().replace(microsecond=0)


def estate_view_from(query: Mapping[str, str]) -> EstateView:
    """The estate that a query names. Raises `EstateViewError`."""
    name, as_of, draft = query.get("scenario", ""), query.get("as_of", "").strip(), query.get("draft", "").strip()
    if name and as_of:
        raise EstateViewError("as_of", say("only the live estate has versions; a scenario has none"))
    if draft:
        if as_of:
            raise EstateViewError("draft", say("name a draft or a version, not both: a draft has a version of its own"))
        if name:
            raise EstateViewError("draft", say("name a draft or a scenario, not both: a draft is of the live estate"))
        return _draft(draft)
    if name:
        return _scenario(name)
    if as_of:
        return _as_of(as_of)
    live = estate_current()
    return EstateView(live.estate, live.digest, version=live.version)


def base_view_of(viewed: EstateView) -> EstateView | None:
    """Return the version that the edits of a draft were made on; None where the view shows no draft."""
    if viewed.draft is None:
        return None
    if not viewed.version:
        return EstateView(EMPTY, "")
    return _version(estate_as_of(version=viewed.version), str(viewed.version), None)


def estate_view_of(request: HttpRequest) -> EstateView:
    """The estate of a page; kept with the request, whose bar names it. 404 where there is none."""
    known: EstateView | None = getattr(request, "viewed", None)
    if known is not None:
        return known
    try:
        found = estate_view_from(request.GET)
    except EstateViewError as error:
        raise SaidNotFoundError(error.problem) from None
    request.viewed = found  # type: ignore[attr-defined]  # for the bar, which reads it with getattr
    return found


def _scenario(name: str) -> EstateView:
    try:
        return EstateView(scenario_get(name), scenario_digest(name), scenario=scenario_find(name))
    except ScenarioNotFoundError:
        raise EstateViewError("scenario", say("there is no scenario {name}", name=name)) from None


def _draft(text: str) -> EstateView:
    """Return a draft by its number, whatever its state."""
    try:
        if not (text.isdecimal() and text.isascii() and len(text) <= DRAFT_DIGITS):
            raise DraftNotFoundError(0)
        draft = draft_get(int(text))
    except DraftNotFoundError:
        raise EstateViewError("draft", say("there is no draft {number}", number=text)) from None
    edited = draft_estate(draft)
    return EstateView(edited.estate, edited.digest, version=edited.version, draft=draft_info(draft))


def _as_of(text: str) -> EstateView:
    label = _LABEL.fullmatch(text)
    try:
        if label:
            return _version(estate_as_of(version=int(label[1].replace(",", ""))), text, None)
        moment = read_moment(text)
        return _version(estate_as_of(at=moment + _WITHIN if not moment.microsecond else moment), text, moment)
    except VersionNotFoundError as error:
        raise EstateViewError("as_of", _no_version(error)) from None
    except Invalid:
        problem = say(
            "{given} is neither a version nor a moment: write a number, or a date and time such as {example}",
            given=repr(text[:SHOWN_CHARS]),
            example="2030-01-31T12:00:00Z",
        )
        raise EstateViewError("as_of", problem) from None


def _no_version(error: VersionNotFoundError) -> Sentence:
    newest, first = live_version(), first_moment()
    if first is None:
        return say("the live estate has no versions yet: nothing was imported so far")
    if error.at is None:
        return say("there is no version {version}; the newest is {newest}", version=error.version, newest=newest)
    at, since = (moment_words(moment, seconds=True) for moment in (error.at, first))
    return say("at {at} there was no estate yet: its first version is of {first}", at=at, first=since)


def _version(live: LiveEstate, text: str, moment: datetime | None) -> EstateView:
    return EstateView(live.estate, live.digest, version=live.version, as_of=text, moment=moment)
