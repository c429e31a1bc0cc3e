"""A kept preview as its page shows it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from brokerui.analysis.effect.consent import SavePreview
from brokerui.analysis.imports.labels import APPLYING, LISTS, PHASES, STATES, VERBS
from brokerui.analysis.imports.models import DUE, ImportFile, ImportRun, ImportState, Phase
from brokerui.analysis.imports.preview import is_nameless, save_preview_of
from brokerui.analysis.imports.sources import Kind
from brokerui.core.sentence_json import sentence_from_json
from brokerui.estate.selectors import live_version
from routing.common.finding import SEVERITIES
from routing.common.sentence import Sentence

Json = dict[str, Any]


def sentence(packed: Json) -> Sentence:
    return sentence_from_json(json.dumps(packed))


def said_findings(findings: Iterable[Json]) -> list[Json]:
    """Each with its reason as a sentence."""
    return [{**finding, "reason": sentence(finding["reason"])} for finding in findings]


@dataclass(frozen=True, slots=True)
class Step:
    """A phase of the work."""

    title: Any
    state: str
    """`done`, `now` or `next`."""


@dataclass(frozen=True)
class ImportPresenter:
    """An import."""

    run: ImportRun
    files: Sequence[ImportFile] = ()

    @cached_property
    def summary(self) -> Json:
        return json.loads(self.run.summary) if self.run.summary else {}

    @cached_property
    def likely(self) -> dict[str, str]:
        """By instance of a file for which none was given: the address at which routes look for it, most likely."""
        known: dict[str, str] = self.summary.get("likely", {})
        without = {file.instance for file in self.files if file.kind != Kind.DOCUMENT and not file.address}
        return {name: address for name, address in known.items() if name in without}

    @property
    def state(self) -> Any:
        return STATES[self.run.state]

    @property
    def is_due(self) -> bool:
        return self.run.state in DUE

    @property
    def has_preview(self) -> bool:
        return bool(self.run.summary) and self.run.state in (
            ImportState.PREVIEWED,
            ImportState.APPLYING,
            ImportState.APPLIED,
        )

    @property
    def can_assign(self) -> bool:
        return self.run.state in (ImportState.UPLOADED, ImportState.PREVIEWED, ImportState.FAILED)

    @cached_property
    def current_version(self) -> int:
        return live_version()

    @property
    def is_stale(self) -> bool:
        """The live estate has another version than the preview is about."""
        return self.run.state == ImportState.PREVIEWED and self.current_version != self.run.base_version

    @property
    def is_nameless(self) -> bool:
        """Whether an earlier release made the preview, which does not name the conversations that get worse."""
        return self.run.state == ImportState.PREVIEWED and is_nameless(self.run)

    @property
    def next_version(self) -> int:
        return self.run.base_version + 1

    @property
    def error(self) -> Sentence | None:
        return sentence(json.loads(self.run.error)) if self.run.error else None

    # -- Progress

    @property
    def steps(self) -> list[Step]:
        phases = APPLYING if self.run.state == ImportState.APPLYING else PHASES
        names = list(phases)
        now = names.index(self.run.phase) if self.run.phase in names else -1
        return [
            Step(title, "done" if at < now else "now" if at == now else "next")
            for at, title in enumerate(phases.values())
        ]

    @property
    def is_bytes(self) -> bool:
        return self.run.phase == Phase.READING

    # -- What changes

    @property
    def changes(self) -> Json:
        return dict(self.summary.get("changes", {}))

    @property
    def changes_total(self) -> int:
        return sum(self.changes.values())

    @cached_property
    def instances(self) -> list[Json]:
        return [_instance(one) for one in self.summary.get("instances", [])]

    @property
    def instances_left(self) -> int:
        return int(self.summary.get("instances_total", 0)) - len(self.instances)

    @cached_property
    def removes(self) -> Json:
        """Return the objects that go because instances, or the whole estate, are replaced; empty where nothing does."""
        removed: Json = self.summary.get("removes", {})
        if not removed.get("total"):
            return {}
        kinds = [{"kind": LISTS[kind], "count": count} for kind, count in removed["kinds"]]
        return {**removed, "kinds": kinds, "left": removed["instances_total"] - len(removed["instances"])}

    @property
    def could_run(self) -> bool:
        """Whether its scripts can run on the live estate instead of replacing their instances."""
        return self.can_assign and any(file.kind == Kind.SCRIPT for file in self.files)

    # -- Which outcomes

    @cached_property
    def save(self) -> SavePreview:
        """The effect of applying it, with the token to confirm."""
        return save_preview_of(self.run)

    @property
    def why_before(self) -> str:
        """The page that explains a conversation as it is before, without the conversation."""
        return f"{reverse('where:where')}?{urlencode({'as_of': self.run.base_version})}"

    # -- Findings

    @property
    def findings(self) -> list[Json]:
        return said_findings(self.summary.get("findings", []))

    @property
    def findings_left(self) -> int:
        return int(self.summary.get("findings_total", 0)) - len(self.summary.get("findings", []))

    @property
    def findings_counts(self) -> list[tuple[str, int]]:
        return _by_severity(self.summary.get("findings_counts", {}))

    @property
    def sums(self) -> list[Sentence]:
        return [sentence(one) for one in self.summary.get("sums", [])]

    @property
    def judged_new(self) -> list[Json]:
        return said_findings(self.summary.get("judged", {}).get("new", []))

    @property
    def judged_gone(self) -> list[Json]:
        return said_findings(self.summary.get("judged", {}).get("gone", []))

    @property
    def judged_counts(self) -> list[tuple[str, int]]:
        return _by_severity(self.summary.get("judged", {}).get("new_counts", {}))


def _by_severity(counts: Json) -> list[tuple[str, int]]:
    return [(severity, counts[severity]) for severity in SEVERITIES if counts.get(severity)]


def _instance(one: Json) -> Json:
    lines = [
        {"verb": verb, "verb_word": VERBS[verb], "kind": LISTS[kind], "database": database, "name": name, "what": what}
        for verb, kind, _instance, database, name, what in one["lines"]
    ]
    kinds = [{"verb": VERBS[verb], "kind": LISTS[kind], "count": count} for verb, kind, count in one["kinds"]]
    return {**one, "lines": lines, "kinds": kinds, "left": one["total"] - len(lines)}
