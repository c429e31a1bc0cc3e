"""Names the estate that a background job of lint or of a survey is about, and the moment at which it is evaluated."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from brokerui.changes.errors import DraftNotFoundError
from brokerui.changes.estate_view import EstateView
from brokerui.changes.selectors import draft_estate, draft_get
from brokerui.estate.errors import VersionNotFoundError
from brokerui.estate.scenarios.errors import ScenarioNotFoundError
from brokerui.estate.scenarios.selectors import scenario_digest, scenario_get
from brokerui.estate.selectors import estate_as_of
from routing.common.moment import format_moment, parse_moment
from routing.model.estate import Estate


@dataclass(frozen=True, slots=True)
class EstateTarget:
    """Digest of the estate, and the scenario or the version that holds it."""

    key: str
    moment: str = ""
    """As ISO 8601; empty: now."""
    scenario: str = ""
    version: int | None = None
    draft: int | None = None
    """Number of the draft whose edits on `version` it has."""

    @classmethod
    def of(cls, viewed: EstateView) -> EstateTarget:
        moment = format_moment(viewed.moment) if viewed.moment else ""
        if viewed.scenario is not None:
            return cls(viewed.key, moment, scenario=viewed.scenario.name)
        return cls(viewed.key, moment, version=viewed.version, draft=viewed.draft.id if viewed.draft else None)

    def as_payload(self) -> dict[str, Any]:
        """Return the arguments of the constructor, as JSON of a background job."""
        return asdict(self)

    def at(self) -> datetime:
        """Return the moment at which routes count as expired or not."""
        return parse_moment(self.moment) if self.moment else timezone.now().replace(microsecond=0)

    def estate(self) -> Estate | None:
        """Return the estate; None if it was deleted or has changed since the job was requested."""
        try:
            if self.scenario:
                return scenario_get(self.scenario) if scenario_digest(self.scenario) == self.key else None
            live = estate_as_of(version=self.version) if self.draft is None else draft_estate(draft_get(self.draft))
            return live.estate if live.digest == self.key else None
        except (VersionNotFoundError, ScenarioNotFoundError, DraftNotFoundError):
            return None
