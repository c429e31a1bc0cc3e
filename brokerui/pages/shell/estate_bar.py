"""The bar above every page: which estate, and how fresh the live one is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import HttpRequest

from brokerui.changes.estate_view import EstateView
from brokerui.changes.selectors import DraftInfo
from brokerui.estate.models import Version
from brokerui.estate.scenarios.selectors import ScenarioInfo, scenario_list
from brokerui.estate.selectors import EstateFreshness, estate_freshness, live_version, version_list
from brokerui.pages.shell.draft_bar import DraftBar

VERSIONS, MOMENTS = 8, 60
"""Versions that are offered by name, and on the slider; others can be typed."""


@dataclass
class EstateBar:
    """Asked for by the template only, so that an error page needs no database."""

    viewed: EstateView | None
    """The estate of the page; None for a page that is about no estate."""
    draft: DraftBar | None = None
    """The bar of the draft that the page is about."""

    @cached_property
    def version(self) -> int:
        return live_version()

    @cached_property
    def moments(self) -> list[Version]:
        """The newest versions, newest first: the moments at which something changed."""
        return version_list(limit=MOMENTS)

    @property
    def versions(self) -> list[Version]:
        return self.moments[:VERSIONS]

    @property
    def first_moment(self) -> int:
        """The oldest version on the slider."""
        return self.moments[-1].number if self.moments else 0

    @cached_property
    def scenarios(self) -> list[ScenarioInfo]:
        return scenario_list()

    @cached_property
    def fresh(self) -> EstateFreshness:
        return estate_freshness()


def bar(request: HttpRequest) -> dict[str, Any]:
    """`bar`."""
    viewed: EstateView | None = getattr(request, "viewed", None)
    draft: DraftInfo | None = getattr(request, "drafted", None) or (viewed.draft if viewed is not None else None)
    return {"bar": EstateBar(viewed, DraftBar(draft, request) if draft is not None else None)}
