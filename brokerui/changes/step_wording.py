"""Steps of a draft in words: what undo takes back and what redo makes again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brokerui.changes.edit_wording import place_of
from brokerui.changes.models import DraftStep, SavedDraft
from brokerui.estate.packing import unpack_edits
from routing.common.sentence import Sentence, say, say_counted
from routing.model import edits as kinds
from routing.model.estate import Edit


@dataclass(frozen=True, slots=True)
class StepTitles:
    """The titles of the two buttons; None: there is no such step."""

    undo: Sentence | None = None
    redo: Sentence | None = None


def step_titles(draft: SavedDraft) -> StepTitles:
    """Return what the next undo and the next redo would do. One query."""
    steps = {step.number: step for step in draft.steps.filter(number__in=(draft.step, draft.step + 1))}
    back, forth = steps.get(draft.step), steps.get(draft.step + 1)
    return StepTitles(
        say("Undo: {what}", what=_step(back)) if back is not None and draft.step > draft.first_step else None,
        say("Redo: {what}", what=_step(forth)) if forth is not None else None,
    )


def _step(step: DraftStep) -> Sentence:
    removed, inserted = unpack_edits(step.removed), unpack_edits(step.inserted)
    if not removed:
        return _edits(inserted)
    if not inserted:
        return say("removal of {edits}", edits=_edits(removed))
    return say("{before} replaced by {after}", before=_edits(removed), after=_edits(inserted))


def _edits(edits: Sequence[Edit]) -> Sentence:
    if len(edits) == 1:
        return edit_subject(edits[0])
    return say_counted(
        len(edits) - 1,
        "{first} and {count} further edit",
        "{first} and {count} further edits",
        first=edit_subject(edits[0]),
    )


def edit_subject(edit: Edit) -> Sentence:
    """Return what an edit is about, without what it does: that depends on the estate that it meets."""
    match edit:
        case kinds.SetHopLimit():
            return say("hop limit {count}", count=edit.hop_limit)
        case kinds.PutInstance():
            return say("instance {name}", name=edit.instance.name)
        case kinds.DropInstance():
            return say("drop of instance {name}", name=edit.name)
        case kinds.SetForwarding():
            return say("forwarding of {instance}", instance=edit.instance)
        case kinds.PutDatabase():
            return say("database {name} of {instance}", name=edit.database.name, instance=edit.instance)
        case kinds.DropDatabase():
            return say("drop of database {name} of {instance}", name=edit.name, instance=edit.instance)
    return _in_database(edit)


def _in_database(edit: Edit) -> Sentence:
    match edit:
        case kinds.PutRoute():
            return say("route “{name}” of {place}", name=edit.route.name, place=place_of(edit))
        case kinds.DropRoute():
            return say("drop of route “{name}” of {place}", name=edit.name, place=place_of(edit))
        case kinds.PutService():
            return say("service “{name}” of {place}", name=edit.service.name, place=place_of(edit))
        case kinds.DropService():
            return say("drop of service “{name}” of {place}", name=edit.name, place=place_of(edit))
        case kinds.SetQueue():
            return say("status of queue “{queue}” of {place}", queue=edit.queue, place=place_of(edit))
        case kinds.SetBroker():
            return say("broker of {place}", place=place_of(edit))
        case kinds.SetMirroringRole():
            return say("mirroring role of {place}", place=place_of(edit))
    raise TypeError(type(edit))
