"""The estate that a page or a resource is about: the live one, one of its earlier versions, a draft, or a scenario.

`?scenario=NAME` names a scenario; `?as_of=` a version (its number) or a moment (ISO 8601); `?draft=` a draft (its
number). None of them: the live estate as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.http import Http404, HttpRequest
from django.utils import timezone

from brokerui.changes.errors import DraftNotFoundError
from brokerui.changes.selectors import DraftInfo, draft_estate, draft_get, draft_info
from brokerui.estate.errors import VersionNotFoundError
from brokerui.estate.scenarios.errors import ScenarioNotFoundError
from brokerui.estate.scenarios.selectors import ScenarioInfo, scenario_digest, scenario_find, scenario_get
from brokerui.estate.selectors import LiveEstate, estate_as_of, estate_current
from routing.common.errors import Invalid
from routing.common.moment import parse_moment
from routing.common.sentence import Sentence, say
from routing.model.estate import Estate

VERSION_DIGITS = 9
DRAFT_DIGITS = 15
PARAMETERS = ("scenario", "as_of", "draft")
"""What stays in the address from one page to the next."""


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
    """Of the live estate; 0 for scenarios, and for a live estate to which nothing was ever imported."""
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
    def address(self) -> str:
        """The same as a query string."""
        return urlencode(self.query)

    def at(self) -> datetime:
        """The moment at which routes count as expired or not: that of `as_of`, else now."""
        return self.moment or timezone.now().replace(microsecond=0)


def estate_view_from(query: Mapping[str, str]) -> EstateView:
    """The estate that a query names. Raises `EstateViewError`."""
    name, as_of, draft = query.get("scenario", ""), query.get("as_of", "").strip(), query.get("draft", "").strip()
    if name and as_of:
        raise EstateViewError("as_of", say("is for the live estate; scenarios have no versions"))
    if draft:
        if name or as_of:
            raise EstateViewError("draft", say("stands alone: a draft has a version of its own, and is no scenario"))
        return _draft(draft)
    if name:
        return _scenario(name)
    if as_of:
        return _as_of(as_of)
    live = estate_current()
    return EstateView(live.estate, live.digest, version=live.version)


def estate_view_of(request: HttpRequest) -> EstateView:
    """The estate of a page; kept with the request, whose bar names it. 404 where there is none."""
    known: EstateView | None = getattr(request, "viewed", None)
    if known is not None:
        return known
    try:
        found = estate_view_from(request.GET)
    except EstateViewError as error:
        raise Http404(str(error)) from error
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
    try:
        if text.isdecimal() and text.isascii() and len(text) <= VERSION_DIGITS:
            return _version(estate_as_of(version=int(text)), text, None)
        # A plus sign that nobody escaped arrives as a space.
        moment = parse_moment(text.replace(" ", "+") if "T" in text else text)
        return _version(estate_as_of(at=moment), text, moment)
    except VersionNotFoundError:
        raise EstateViewError("as_of", say("the estate has no version {version}", version=text)) from None
    except Invalid as fault:
        raise EstateViewError("as_of", fault.problem) from None


def _version(live: LiveEstate, text: str, moment: datetime | None) -> EstateView:
    return EstateView(live.estate, live.digest, version=live.version, as_of=text, moment=moment)
