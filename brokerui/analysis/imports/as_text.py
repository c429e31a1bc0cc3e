"""A preview as lines for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from brokerui.analysis.lint.finding_text import one_line
from brokerui.core.sentence_json import sentence_from_json
from routing.common.sentence import Sentence, Translate, say, say_counted

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
    for group in summary["ends"]["shown"]:
        yield f"{one_line(_group(group).render(translate))}\n"
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
        yield _ends(summary["ends"])
        yield from _apart(summary["ends"].get("apart", {}))
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


def _ends(ends: Json) -> Sentence:
    counts = {verdict: f"{ends['counts'].get(verdict, 0):,}" for verdict in ("worse", "moved", "better")}
    return say_counted(
        ends["changed"],
        "{count} class of conversations ends otherwise: {worse} worse, {moved} elsewhere, {better} better.",
        "{count} classes of conversations end otherwise: {worse} worse, {moved} elsewhere, {better} better.",
        **counts,
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


def _group(group: Json) -> Sentence:
    instance, database = group["from"][0] if group["from"] else ("", None)
    entry = say("outside {instance}", instance=instance) if database is None else f"{instance}/{database}"
    line = say(
        "{verdict}: to {service} from {entry}: {before} → {after}",
        verdict=group["verdict"],
        service=group["to_service"],
        entry=entry,
        before=_outcomes(group["before"]),
        after=_outcomes(group["after"]),
    )
    more = group["from_count"] - 1
    return say("{line} (and {count} more)", line=line, count=f"{more:,}") if more > 0 else line


def _outcomes(ends: list[list[str]]) -> tuple[str, ...]:
    return tuple(" ".join(end) for end in ends)
