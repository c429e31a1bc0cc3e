"""A preview as lines for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from brokerui.analysis.effect.consent import SavePreview, preview_from_json
from brokerui.analysis.effect.kinds import KindWords
from brokerui.analysis.lint.finding_text import one_line
from brokerui.core.sentence_json import sentence_from_json
from routing.common.sentence import Sentence, Translate, say, say_counted
from routing.diff.result import Outcomes
from routing.rules.journey import in_order

Json = dict[str, Any]
SIGNS = {"new": "+", "changed": "~", "removed": "-"}


def preview_as_text(summary: Json, translate: Translate = str) -> Iterator[str]:
    """First the answer, then what changes, which conversations end otherwise, and the statements that are missing."""
    for sentence in _answer(summary):
        yield f"{sentence.render(translate)}\n"
    for instance in summary["instances"]:
        yield from _instance(instance, translate)
    left = summary["instances_total"] - len(summary["instances"])
    if left > 0:
        more = say_counted(left, "… and {count} more instance", "… and {count} more instances")
        yield f"{more.render(translate)}\n"
    yield from _effect(preview_from_json(summary["save"]), translate)
    if summary["missing"]:
        missing = say("still missing, routes point to them: {instances}", instances=tuple(summary["missing"]))
        yield f"{one_line(missing.render(translate))}\n"
    for packed in summary["sums"]:
        yield f"{one_line(sentence_from_json(json.dumps(packed)).render(translate))}\n"


def _answer(summary: Json) -> Iterator[Sentence]:
    if not summary["is_changed"]:
        yield say("Nothing changes: the live estate is as these files say.")
        return
    counts = {name: f"{count:,}" for name, count in summary["changes"].items()}
    yield say("{added} new, {changed} changed, {removed} removed.", **counts)
    if summary["removes"].get("total"):
        yield _removes(summary["removes"])
    if not summary["is_first"]:
        yield from _apart(summary["ends"]["apart"])
    judged = summary["judged"]
    yield say("Findings: {new} new, {gone} gone.", new=f"{judged['new_total']:,}", gone=f"{judged['gone_total']:,}")


def _removes(removed: Json) -> Sentence:
    return say_counted(
        removed["total"],
        "Replacing removes {count} object: {kinds} ({instances}). --into runs scripts on the live estate instead.",
        "Replacing removes {count} objects: {kinds} ({instances}). --into runs scripts on the live estate instead.",
        kinds=tuple(f"{kind} {count:,}" for kind, count in removed["kinds"]),
        instances=tuple(removed["instances"]),
    )


def _apart(counts: Json) -> Iterator[Sentence]:
    """Yield sentences on groups that end otherwise and are no part of the verdict."""
    if total := sum(counts.values()):
        named = {verdict: f"{counts.get(verdict, 0):,}" for verdict in ("worse", "moved", "better")}
        yield say_counted(
            total,
            "Not counted: {count} class that nobody is likely to send ({worse} worse, {moved} elsewhere, {better}"
            " better): never delivered, and no route is for this service and identifier.",
            "Not counted: {count} classes that nobody is likely to send ({worse} worse, {moved} elsewhere, {better}"
            " better): never delivered, and no route is for this service and identifier.",
            **named,
        )


def _instance(instance: Json, translate: Translate) -> Iterator[str]:
    yield f"\n{one_line(instance['name']) or say('the estate itself').render(translate)}\n"
    for verb, kind, _instance_name, database, name, what in instance["lines"]:
        place = f"{database}/{name}" if database and kind != "databases" else name
        yield f"  {SIGNS[verb]} {kind} {one_line(place)}{'  ' + one_line(what) if what else ''}\n"
    left = instance["total"] - len(instance["lines"])
    if left > 0:
        yield f"  {say('… and {count} more', count=f'{left:,}').render(translate)}\n"


def _effect(save: SavePreview, translate: Translate) -> Iterator[str]:
    """Yield the effect on conversations in the words of the pages; those that get worse by name."""
    for sentence in save.says:
        yield f"{one_line(sentence.render(translate))}\n"
    for kind in save.kinds:
        yield f"  {one_line(_kind(kind).render(translate))}\n"
    if save.worse_left > 0:
        more = say_counted(save.worse_left, "… and {count} more kind gets worse", "… and {count} more kinds get worse")
        yield f"  {more.render(translate)}\n"


def _kind(kind: KindWords) -> Sentence:
    return say(
        "{verdict}: {origin} → {service}, {identifiers}: {before} → {after}",
        verdict=kind.verdict,
        origin=kind.origin,
        service=kind.service,
        identifiers=kind.identifiers,
        before=_outcomes(kind.ends[0]),
        after=_outcomes(kind.ends[1]),
    )


def _outcomes(ends: Outcomes) -> tuple[str, ...]:
    return tuple(" ".join(end) for end in in_order(ends))
