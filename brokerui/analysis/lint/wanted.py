"""What a page asks lint for: an estate, and the moment at which routes are to count as expired or not."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from brokerui.estate.errors import VersionNotFoundError
from brokerui.estate.estate_view import EstateView
from brokerui.estate.scenarios.errors import ScenarioNotFoundError
from brokerui.estate.scenarios.selectors import scenario_digest, scenario_get
from brokerui.estate.selectors import estate_as_of
from routing.common.moment import format_moment, parse_moment
from routing.model.estate import Estate


@dataclass(frozen=True, slots=True)
class Wanted:
    """The content, and where it is found."""

    key: str
    moment: str = ""
    """As ISO 8601; empty: now."""
    scenario: str = ""
    version: int | None = None

    @classmethod
    def of(cls, viewed: EstateView) -> Wanted:
        moment = format_moment(viewed.moment) if viewed.moment else ""
        if viewed.scenario is not None:
            return cls(viewed.key, moment, scenario=viewed.scenario.name)
        return cls(viewed.key, moment, version=viewed.version)

    def as_payload(self) -> dict[str, Any]:
        """As a background job keeps it: the arguments of the constructor."""
        return asdict(self)

    def at(self) -> datetime:
        """The moment to look at."""
        return parse_moment(self.moment) if self.moment else timezone.now().replace(microsecond=0)

    def estate(self) -> Estate | None:
        """The estate; None where it is no longer there, or another one by now."""
        try:
            if not self.scenario:
                live = estate_as_of(version=self.version)
                return live.estate if live.digest == self.key else None
            return scenario_get(self.scenario) if scenario_digest(self.scenario) == self.key else None
        except (VersionNotFoundError, ScenarioNotFoundError):
            return None
