"""The content of the page of one version: what differs from another version, by server, in words and as T-SQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.http import urlencode

from brokerui.analysis.effect.change import Change, change_between, version_or_first
from brokerui.analysis.effect.effect import Effect, effect_shown, progress_of
from brokerui.analysis.effect.rows import rows_of
from brokerui.analysis.effect.wording import evidence, row_in_words
from brokerui.changes.edit_sql import InstanceSql, edits_as_sql, instance_of
from brokerui.changes.edit_wording import edits_in_words
from brokerui.changes.review_wording import object_name, object_text
from brokerui.changes.splice import Edits
from brokerui.core.jobs.models import Job
from brokerui.estate.models import Version
from brokerui.estate.selectors import live_version
from brokerui.pages.changes.page import NAMES, VIEWS, EditRow
from routing.common.sentence import Sentence
from routing.model.edits_between import edits_between
from routing.model.estate import Estate
from routing.model.object_changes import ObjectChange, ObjectChanges, ObjectKey, objects_changed

SHOWN_ROWS = 200
"""Edits, objects, or lines of T-SQL of one server, that the page shows."""
SHOWN_VALUE = 600
"""Characters of the value of an object: a whole instance has many more."""
COUNTING_S = 0.5
"""Seconds for which a request of the page compares conversations."""
SHOWN_CONVERSATIONS = 12
WORDS, SQL, OBJECTS = "words", "sql", "objects"


@dataclass(frozen=True, slots=True)
class ObjectRow:
    """An object with its value in both versions."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SqlPart:
    """T-SQL for one server, or its first lines."""

    server: InstanceSql
    shown: str
    more: int
    """Lines that are not shown; the copy has them."""


@dataclass(frozen=True)
class VersionPage:
    """A version, and what differs in it from the version `against`; 0: the empty estate before the first."""

    version: Version
    against: int
    shown: str = WORDS

    @cached_property
    def live(self) -> int:
        return live_version()

    @property
    def is_live(self) -> bool:
        return self.version.number == self.live

    @property
    def is_with_the_one_before(self) -> bool:
        return self.against == self.version.number - 1

    @property
    def before(self) -> int | None:
        """The version before; None: this is the first."""
        return self.version.number - 1 or None

    @property
    def after(self) -> int | None:
        return None if self.is_live else self.version.number + 1

    @cached_property
    def _change(self) -> Change:
        return change_between(version_or_first(self.against), version_or_first(self.version.number))

    @property
    def _estates(self) -> tuple[Estate, Estate]:
        return self._change.before.estate, self._change.after.estate

    @cached_property
    def _shown(self) -> tuple[Effect, Job | None]:
        return effect_shown(self._change, timezone.now(), COUNTING_S)

    @property
    def effect(self) -> Effect | None:
        """The conversations that end otherwise; None while they are still counted."""
        return self._shown[0] if self._shown[0].is_settled else None

    @property
    def job(self) -> Job | None:
        """The background job that compares them, where a request is too short for it."""
        return self._shown[1]

    @property
    def is_counting(self) -> bool:
        """Whether the page asks again: the comparison goes on."""
        return self.effect is None and (self.job is None or self.job.is_open)

    @property
    def progress(self) -> tuple[int, int]:
        """Targets compared, and all of them."""
        return progress_of(*self._shown)

    @property
    def conversations(self) -> list[tuple[str, Sentence, Sentence]]:
        """The worst kinds of conversation that end otherwise: verdict, words, and the ends before and after."""
        if self.effect is None:
            return []
        rows = islice(rows_of(self.effect.ends.groups), SHOWN_CONVERSATIONS)
        return [(row.verdict, row_in_words(row, self.effect.after), evidence(row)) for row in rows]

    @cached_property
    def edits(self) -> Edits:
        """The edits that make this version of the other one."""
        return edits_between(*self._estates)

    @cached_property
    def _objects(self) -> ObjectChanges:
        return objects_changed(*self._estates)

    @property
    def counts(self) -> list[tuple[Promise, int]]:
        """How many objects were added, altered and dropped."""
        found = Counter(
            "added" if one.before is None else "dropped" if one.after is None else "altered"
            for one in self._objects.values()
        )
        return [(NAMES[kind], found[kind]) for kind in ("added", "altered", "dropped") if found[kind]]

    @property
    def has_only_order(self) -> bool:
        """Whether objects only stand in another order."""
        return not self._objects and bool(self.edits)

    @cached_property
    def words(self) -> Mapping[str, Sequence[EditRow]]:
        """The first edits, by server; an empty name stands for the estate as a whole."""
        found: dict[str, list[EditRow]] = {}
        sentences = islice(edits_in_words(self._estates[0], self.edits), SHOWN_ROWS)
        for index, (edit, (kind, says)) in enumerate(zip(self.edits, sentences, strict=False)):
            found.setdefault(instance_of(edit) or "", []).append(EditRow(index, kind, says))
        return found

    @property
    def more_edits(self) -> int:
        return max(0, len(self.edits) - SHOWN_ROWS)

    @cached_property
    def sql(self) -> Sequence[SqlPart]:
        """T-SQL for the servers of the first edits; the hop limit, which is of the whole estate, is none of it."""
        edits = [edit for edit in self.edits if instance_of(edit) is not None]
        wanted = set(self.words)
        parts = [edit for edit in edits if instance_of(edit) in wanted]
        return [_part(one) for one in edits_as_sql(self._estates[0], parts, timezone.now())]

    @property
    def more_servers(self) -> int:
        return len({instance_of(edit) or "" for edit in self.edits} - set(self.words))

    @property
    def objects(self) -> list[ObjectRow]:
        """The first objects that differ, by name, with both values."""
        return [
            ObjectRow(object_name(key), _short(object_text(one.before)), _short(object_text(one.after)))
            for key, one in islice(sorted(self._objects.items(), key=_place), SHOWN_ROWS)
        ]

    @property
    def more_objects(self) -> int:
        return max(0, len(self._objects) - SHOWN_ROWS)

    @property
    def links(self) -> list[tuple[Promise, str]]:
        """The pages that show the estate as it was in this version."""
        query = urlencode({"as_of": self.version.number})
        return [(label, f"{reverse(view)}?{query}") for label, view in VIEWS]

    @property
    def documents(self) -> list[tuple[int, str]]:
        """The versions that are compared, each with the address of its whole document."""
        numbers = [number for number in (self.against, self.version.number) if number]
        return [(number, f"{reverse('estate:document')}?{urlencode({'as_of': number})}") for number in numbers]


def _part(one: InstanceSql) -> SqlPart:
    lines = one.sql.splitlines()
    return SqlPart(one, "\n".join(lines[:SHOWN_ROWS]), max(0, len(lines) - SHOWN_ROWS))


def _short(text: str) -> str:
    return text if len(text) <= SHOWN_VALUE else f"{text[:SHOWN_VALUE]}…"


def _place(item: tuple[ObjectKey, ObjectChange]) -> tuple[str, ...]:
    """Return what objects are listed by: server, database, kind, name."""
    key = item[0]
    return key.instance, key.database, key.kind, key.name
