"""The effect of an import, computed once: a summary for the page, and all rows for downloads."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from brokerui.analysis.effect.change import change_between
from brokerui.analysis.effect.consent import NO_CHANGE, SavePreview, preview_from_json, preview_of_effect
from brokerui.analysis.effect.effect import Effect
from brokerui.analysis.effect.ends import Ends, group_as_json
from brokerui.analysis.imports.change_lines import CHANGED, KINDS, NEW, REMOVED, ChangeLine, by_instance, lines_of
from brokerui.analysis.imports.finding_kinds import something_is_missing
from brokerui.analysis.imports.models import ImportRun, Phase
from brokerui.analysis.imports.reading import BuiltEstate
from brokerui.analysis.imports.sources import Mode
from brokerui.core.sentence_json import sentence_as_json
from brokerui.estate.difference import difference
from brokerui.estate.packing import digest_of, pack_estate
from brokerui.estate.selectors import LiveEstate
from routing.common.finding import SEVERITIES, Finding
from routing.diff.result import WORSE, WORST_FIRST
from routing.lint.missing import likely_addresses, missing_instances
from routing.lint.registry import lint
from routing.model.catalog_objects import BrokerEndpoint
from routing.model.estate import Estate

Json = dict[str, Any]
OnProgress = Callable[[Phase, int, int], None]
"""Told of the phase, and how much of it is done; what it raises ends the work."""
FINDINGS = 10_000
"""Findings that are kept: ten thousand statements may be wrong, and all for one reason."""
ENDPOINTS = "endpoints"
"""Kind of what goes: an endpoint is no row of its own."""
FIELDS = ("severity", "code", "instance", "database", "object", "file", "line")
SHOWN_INSTANCES, SHOWN_LINES, SHOWN_FINDINGS, SHOWN_MISSING = 40, 25, 100, 20


@dataclass(frozen=True, slots=True)
class Preview:
    """Everything that is kept of it."""

    summary: Json
    document: bytes
    """The estate that the import makes, packed."""
    changes: Sequence[ChangeLine]
    findings: Sequence[Json]
    groups: Sequence[Json]


def preview_of(
    base: LiveEstate,
    made: BuiltEstate,
    at: datetime,
    on_progress: OnProgress = lambda phase, done, total: None,
    known: Callable[[], Iterable[Finding]] | None = None,
) -> Preview:
    """Preview the effect of `made` on the live estate. `known` gives the findings of the live estate where
    they were looked for before: in a large one that takes half of the time."""
    on_progress(Phase.COMPARING, 0, 0)
    live, document = base.estate, pack_estate(made.estate)
    change = difference(live, made.estate)
    lines = list(lines_of(change, live, made.estate))
    on_progress(Phase.OUTCOMES, 0, 0)
    # Where nothing was, nothing ends otherwise.
    ends, save = Ends(), NO_CHANGE
    if change and live.instances:
        compared = change_between(base, LiveEstate(base.version, digest_of("", document), made.estate))
        effect = Effect(compared, at).settle(lambda *how_far: on_progress(Phase.OUTCOMES, *how_far))
        ends, save = effect.ends, preview_of_effect(effect, compared)
    groups, apart = ([group_as_json(group) for group in some] for some in (ends.groups, ends.groups_apart))
    on_progress(Phase.FINDINGS, 0, 0)
    judged: Json = {"new": [], "gone": [], "new_total": 0, "gone_total": 0}
    if change:
        judged = _judged(known() if known is not None else lint(live, at), made, at)
    findings = _worst_first(made.findings)
    summary = {
        "changes": _counted(lines),
        "is_changed": bool(change),
        "is_first": not live.instances,
        **_of_instances(lines),
        "removes": {} if made.mode is Mode.INTO else _removed(lines, live, made.estate),
        "mode": made.mode,
        "ends": ends.as_json(),
        "save": save.as_json(),
        "judged": judged,
        **_of_findings(findings, made),
        **_of_missing(made.estate, at),
        "holds": _holds(made.estate),
    }
    return Preview(summary, document, lines, [_finding(each) for each in findings[:FINDINGS]], groups + apart)


def _counted(lines: Iterable[ChangeLine]) -> Json:
    verbs = Counter(line.verb for line in lines)
    return {"added": verbs[NEW], "changed": verbs[CHANGED], "removed": verbs[REMOVED]}


def _removed(lines: Iterable[ChangeLine], live: Estate, made: Estate) -> Json:
    """Count the objects that go where instances or the estate are replaced, by kind, with their instances."""
    gone = [(line.kind, line.instance) for line in lines if line.verb == REMOVED]
    gone += [(ENDPOINTS, name) for name, one in live.instances.items() if one.endpoint and not _endpoint(made, name)]
    names = list(dict.fromkeys(name for _, name in gone))
    kinds = sorted(Counter(kind for kind, _ in gone).items(), key=lambda one: (*KINDS, ENDPOINTS).index(one[0]))
    return {"total": len(gone), "kinds": kinds, "instances": names[:SHOWN_MISSING], "instances_total": len(names)}


def _endpoint(estate: Estate, name: str) -> BrokerEndpoint | None:
    instance = estate.instances.get(name)
    return None if instance is None else instance.endpoint


def _of_instances(lines: Iterable[ChangeLine]) -> Json:
    found = by_instance(lines, SHOWN_LINES)
    shown = [
        {
            "name": one.name,
            "verbs": one.verbs,
            "kinds": [[verb, kind, count] for (verb, kind), count in one.kinds.items()],
            "lines": one.first,
            "total": one.total,
        }
        for one in found[:SHOWN_INSTANCES]
    ]
    return {"instances": shown, "instances_total": len(found)}


def _of_findings(findings: Sequence[Finding], made: BuiltEstate) -> Json:
    return {
        "findings": [_finding(each) for each in findings[:SHOWN_FINDINGS]],
        "findings_total": len(findings),
        "findings_counts": Counter(each.severity for each in findings),
        "is_complete": not something_is_missing(findings),
        "sums": [json.loads(sentence_as_json(each)) for each in made.sums[:SHOWN_FINDINGS]],
    }


def _of_missing(estate: Estate, at: datetime) -> Json:
    missing = missing_instances(estate, at)
    likely = dict(likely_addresses(estate, at)) if missing else {}
    return {"missing": missing[:SHOWN_MISSING], "missing_total": len(missing), "likely": likely}


def _holds(estate: Estate) -> Json:
    databases = [database for instance in estate.instances.values() for database in instance.databases.values()]
    return {
        "instances": len(estate.instances),
        "databases": len(databases),
        "routes": sum(len(database.table.routes) for database in databases),
    }


def _worst_first(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda each: SEVERITIES.index(each.severity))


def _judged(known: Iterable[Finding], made: BuiltEstate, at: datetime) -> Json:
    """Compare the findings of lint before and after, without those that are among the findings of the files already."""
    before, now = ({_key(each): each for each in found} for found in (known, lint(made.estate, at)))
    in_files = {_key(each) for each in made.findings}
    new = [each for key, each in now.items() if key not in before and key not in in_files]
    gone = [each for key, each in before.items() if key not in now]
    return {
        "new": [_finding(each) for each in islice(new, SHOWN_FINDINGS)],
        "gone": [_finding(each) for each in islice(gone, SHOWN_FINDINGS)],
        "new_total": len(new),
        "gone_total": len(gone),
        "new_counts": Counter(each.severity for each in new),
    }


def _key(finding: Finding) -> tuple[str, str | None, str | None, str | None]:
    return finding.code, finding.instance, finding.database, finding.object


def _finding(finding: Finding) -> Json:
    """Return a finding as JSON. Its reason stays a sentence, which each reader sees in another language."""
    made = {name: getattr(finding, name) for name in FIELDS} | {"reason": json.loads(sentence_as_json(finding.reason))}
    return {key: value for key, value in made.items() if value is not None}


def save_preview_of(run: ImportRun) -> SavePreview:
    """Return what an import does to conversations, as its preview says; nothing where it has none."""
    summary = json.loads(run.summary) if run.summary else {}
    if "save" in summary:
        return preview_from_json(summary["save"])
    return SavePreview(counts=_counts(summary))


def is_nameless(run: ImportRun) -> bool:
    """Return whether an earlier release made the preview, which only counts the conversations that get worse."""
    summary = json.loads(run.summary) if run.summary else {}
    return "save" not in summary and bool(_counts(summary)[WORSE])


def _counts(summary: Json) -> Json:
    return {verdict: summary.get("ends", {}).get("counts", {}).get(verdict, 0) for verdict in WORST_FIRST}
