"""The page of the effect of a draft: every kind of conversation that changes, worst first."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.effect.conversations import NONE, answers_back, conversation_of, explained
from brokerui.analysis.effect.effect import Effect, progress_of
from brokerui.analysis.effect.finding_changes import FindingChanges, finding_changes, views_of
from brokerui.analysis.effect.kinds import EndsView, ends_views
from brokerui.analysis.effect.rows import EffectRow
from brokerui.analysis.effect.wording import identifiers_in_words, origin_in_words, service_in_words, states_in_words
from brokerui.analysis.explanations.origin import origin_text
from brokerui.analysis.explanations.wording import word
from brokerui.changes.estate_view import EstateView
from brokerui.changes.marks import marks_of
from brokerui.changes.models import SavedDraft
from brokerui.core.jobs.models import Job
from brokerui.core.paging import Page
from brokerui.core.templatetags.wording import translate
from brokerui.pages.changes.way_maps import WayMaps, way_maps
from brokerui.pages.changes.ways import way_of
from brokerui.pages.map.map_query import MapQuery
from brokerui.pages.map.picture import MapPicture
from brokerui.pages.where.answer import way_steps
from routing.common.sentence import Sentence
from routing.diff.result import BETTER, MOVED, WORSE
from routing.rules.explanation import Explanation
from routing.rules.journey import in_order

TOKEN_CHARS = 12
ALL, APART = "all", "apart"
SHOWS: Mapping[str, Promise] = {
    ALL: _("All"),
    WORSE: _("Worse"),
    MOVED: _("Elsewhere"),
    BETTER: _("Better"),
    APART: _("Unlikely"),
}
VERDICTS: Mapping[str, Promise] = {WORSE: _("Worse"), MOVED: _("Elsewhere"), BETTER: _("Better")}
KINDS: Mapping[str, Promise] = {
    "appeared": _("new entry point"),
    "vanished": _("entry point is gone"),
    "newly_loops": _("newly in a forwarding loop"),
    "newly_dropped": _("newly dropped"),
    "newly_delayed": _("newly delayed"),
    "newly_exits": _("newly leaves the estate"),
    "newly_delivered": _("newly delivered"),
    "answers_lost": _("delivered, but answers no longer all come back"),
    "widened": _("may end in more places"),
    "narrowed": _("may end in fewer places"),
    "moved": _("ends elsewhere"),
}
ANSWERS: Mapping[str, Promise] = {"all": _("all"), "some": _("some"), "none": _("none")}


@dataclass(frozen=True, slots=True)
class WayView:
    """A conversation before or after: its map, its words, and where it is explained."""

    picture: MapPicture | None = None
    """None where there is no such entry point."""
    steps: Sequence[Sentence] = ()
    """The way in words: hops, where it ends, how answers return."""
    why: str = ""
    map_url: str = ""
    """The map of the estate, around where it begins."""


@dataclass(frozen=True)
class RowView:
    """One row of the table."""

    row: EffectRow
    page: EffectPage

    @cached_property
    def token(self) -> str:
        """Name of the row in addresses."""
        row = self.row
        known = repr((row.groups[0].traffic, row.entries[0], in_order(row.before), in_order(row.after)))
        return hashlib.sha256(known.encode()).hexdigest()[:TOKEN_CHARS]

    @property
    def is_open(self) -> bool:
        return self.token == self.page.selected

    @property
    def query(self) -> str:
        """Of the page with this row opened; closed where it is open."""
        return self.page.query_with(row="" if self.is_open else self.token)

    @property
    def verdict(self) -> str:
        return self.row.verdict

    @property
    def verdict_word(self) -> Promise:
        return VERDICTS[self.row.verdict]

    @property
    def kind_word(self) -> Promise:
        return KINDS[self.row.kind]

    @property
    def count(self) -> int:
        return self.row.count

    @property
    def origin(self) -> Sentence:
        return origin_in_words(self.row)

    @property
    def service(self) -> Sentence | str:
        return service_in_words(self.row.service)

    @property
    def identifiers(self) -> Sentence:
        return identifiers_in_words(self.row.identifiers, self.page.effect.after)

    @property
    def states(self) -> tuple[Sentence, ...]:
        """Which conversations it concerns: new ones, those without an acknowledgement yet, acknowledged ones."""
        return states_in_words(self.row, self.page.effect.after)

    @property
    def before(self) -> list[EndsView]:
        return list(ends_views(self.row.before))

    @property
    def after(self) -> list[EndsView]:
        return list(ends_views(self.row.after))

    @property
    def can_answer(self) -> bool:
        """Whether acknowledgements of it have a known way back: it begins in a database, and is none itself."""
        return self.row.entries[0][1] is not None and not self.row.groups[0].traffic.is_reply

    @property
    def answers(self) -> tuple[str, str]:
        return answers_back(self._before) or NONE, answers_back(self._after) or NONE

    @property
    def answers_words(self) -> tuple[Promise, Promise]:
        before, after = self.answers
        return ANSWERS[before], ANSWERS[after]

    @property
    def messages(self) -> int | None:
        weights = self.page.effect.weights
        return None if weights is None else weights.of_row(self.row)

    @cached_property
    def _before(self) -> Explanation | None:
        return explained(self.page.effect.before, conversation_of(self.row), self.page.at)

    @cached_property
    def _after(self) -> Explanation | None:
        return explained(self.page.effect.after, conversation_of(self.row), self.page.at)

    @cached_property
    def ways(self) -> tuple[WayView, WayView]:
        """Both ways, before and after."""
        before, after = self.page.views
        return self._way(self._before, before, self.maps.before), self._way(self._after, after, self.maps.after)

    @cached_property
    def maps(self) -> WayMaps:
        views, both = self.page.views, (self._before, self._after)
        (first, one), (second, other) = zip(views, both, strict=True)
        return way_maps(
            (first.estate, second.estate),
            (way_of(one, first.estate), way_of(other, second.estate)),
            marks_of(second),
            self.page.at,
            translate,
        )

    def _way(self, explanation: Explanation | None, view: EstateView, drawn: MapPicture) -> WayView:
        if explanation is None:
            return WayView()
        steps = way_steps(explanation, word(explanation, view.estate))
        focus = MapQuery(focus=explanation.forward.conversation.instance)
        return WayView(drawn, steps, self._why(view), f"{reverse('map:map')}?{focus.query(view.frozen)}")

    def _why(self, view: EstateView) -> str:
        conversation = conversation_of(self.row)
        begins = f"outside {conversation.instance}" if conversation.database is None else ""
        begins = begins or origin_text(view.estate, conversation.instance, conversation.database or "")
        query = {**view.frozen, "from": begins, "to": conversation.to_service}
        if conversation.to_broker_instance is not None:
            query["broker"] = conversation.to_broker_instance
        return f"{reverse('where:where')}?{urlencode(query | ({'reply': '1'} if conversation.is_reply else {}))}"


@dataclass(frozen=True)
class EffectPage:
    """The content of the page."""

    draft: SavedDraft
    effect: Effect
    at: datetime
    show: str = ALL
    page_number: int = 1
    selected: str = ""
    """Token of the row that is open."""
    job: Job | None = None
    """The background job that compares what takes longer than a request."""

    @property
    def is_counting(self) -> bool:
        """Whether the page asks again: the comparison goes on."""
        return not self.effect.is_settled and (self.job is None or self.job.is_open)

    @property
    def progress(self) -> tuple[int, int]:
        """Targets that are compared, and all of them."""
        return progress_of(self.effect, self.job)

    @property
    def map_url(self) -> str:
        """The address of the map of the draft."""
        return f"{reverse('map:map')}?{urlencode({'draft': self.draft.pk})}"

    @cached_property
    def views(self) -> tuple[EstateView, EstateView]:
        return views_of(self.draft)

    @property
    def counts(self) -> dict[str, int]:
        return {verdict: self.effect.ends.counts[verdict] for verdict in (WORSE, MOVED, BETTER)}

    @property
    def unchanged(self) -> int:
        ends = self.effect.ends
        return ends.classes - ends.counts.total() - ends.apart.total()

    @property
    def tabs(self) -> list[tuple[str, Promise, int, str]]:
        """Which part, its word, how many kinds, its query."""
        counts = {**self.counts, ALL: sum(self.counts.values()), APART: self.effect.ends.apart.total()}
        return [(show, text, counts[show], self.query_with(show=show, row="")) for show, text in SHOWS.items()]

    @cached_property
    def rows(self) -> Page[EffectRow]:
        rows = self.effect.rows_apart if self.show == APART else self.effect.rows
        if self.show in (WORSE, MOVED, BETTER):
            rows = [row for row in rows if row.verdict == self.show]
        return Page.of(rows, self.page_number)

    @cached_property
    def shown(self) -> Sequence[RowView]:
        return [RowView(row, self) for row in self.rows.shown]

    @property
    def has_messages(self) -> bool:
        return self.effect.weights is not None

    @cached_property
    def findings(self) -> FindingChanges | None:
        """None while a worker looks for them."""
        return finding_changes(self.draft)

    def query_with(self, **values: str) -> str:
        """The query of the page with other values."""
        own = {"show": self.show if self.show != ALL else "", "row": self.selected}
        return urlencode({key: value for key, value in (own | values).items() if value and value != ALL})

    @property
    def before(self) -> str:
        """The query of the page before; empty where there is none."""
        return self.query_with(page=self.rows.before) if self.rows.before else ""

    @property
    def after(self) -> str:
        return self.query_with(page=self.rows.after) if self.rows.after else ""
