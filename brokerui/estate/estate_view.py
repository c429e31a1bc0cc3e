"""The estate that a page or a resource is about: the live one, one of its earlier versions, or a scenario.

`?scenario=NAME` names a scenario; `?as_of=` a version (its number) or a moment (ISO 8601). Neither: the live estate
as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.http import Http404, HttpRequest
from django.utils import timezone

from brokerui.estate.errors import VersionNotFoundError
from brokerui.estate.scenarios.errors import ScenarioNotFoundError
from brokerui.estate.scenarios.selectors import ScenarioInfo, scenario_digest, scenario_find, scenario_get
from brokerui.estate.selectors import LiveEstate, estate_as_of, estate_current
from routing.common.errors import Invalid
from routing.common.moment import parse_moment
from routing.common.sentence import Sentence, say
from routing.model.estate import Estate

VERSION_DIGITS = 9
PARAMETERS = ("scenario", "as_of")
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

    @property
    def is_live(self) -> bool:
        return self.scenario is None

    @property
    def is_editable(self) -> bool:
        """The live estate as it is now; everything else is read-only."""
        return self.scenario is None and not self.as_of

    @property
    def is_empty(self) -> bool:
        return not self.estate.instances

    @property
    def file(self) -> str:
        """The document as a command reads it, once it is downloaded."""
        if self.scenario is None:
            return f"estate-{self.version}.json"
        return f"examples/{self.scenario.name}.json" if self.scenario.is_example else f"{self.scenario.name}.json"

    @property
    def query(self) -> dict[str, str]:
        """The parameters that name this estate again."""
        if self.scenario is not None:
            return {"scenario": self.scenario.name}
        return {"as_of": self.as_of} if self.as_of else {}

    @property
    def address(self) -> str:
        """The same as a query string."""
        return urlencode(self.query)

    def at(self) -> datetime:
        """The moment at which routes count as expired or not: that of `as_of`, else now."""
        return self.moment or timezone.now().replace(microsecond=0)


def estate_view_from(query: Mapping[str, str]) -> EstateView:
    """The estate that a query names. Raises `ViewedError`."""
    name, as_of = query.get("scenario", ""), query.get("as_of", "").strip()
    if name and as_of:
        raise EstateViewError("as_of", say("is for the live estate; scenarios have no versions"))
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
