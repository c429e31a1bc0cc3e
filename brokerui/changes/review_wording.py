"""Why a step of the review, an apply or a rollback was refused, in words. Pages and REST say the same."""

from __future__ import annotations

import json
from typing import Any, Final

from brokerui.changes.errors import (
    ApprovalMissingError,
    CollisionError,
    DraftClosedError,
    NoEditError,
    NotConfirmableError,
    NothingToApplyError,
    NothingToRestoreError,
    OwnApprovalError,
)
from brokerui.estate.errors import EstateStaleError
from routing.common.sentence import Sentence, say
from routing.documents.object_json import object_as_json
from routing.model.object_changes import ObjectKey

REVIEW_REFUSALS: Final = (
    ApprovalMissingError,
    CollisionError,
    DraftClosedError,
    EstateStaleError,
    NoEditError,
    NotConfirmableError,
    NothingToApplyError,
    NothingToRestoreError,
    OwnApprovalError,
)


def review_refusal(error: Exception) -> Sentence:
    """Return why one of `REVIEW_REFUSALS` was raised. Nothing was written then."""
    match error:
        case DraftClosedError():
            return say("The draft is {state}: this cannot be done any more, or not yet.", state=_state(error.state))
        case EstateStaleError():
            return say(
                "The draft is made on version {base}, and the live estate is at version {live}. Rebase it.",
                base=error.base_version,
                live=error.current_version,
            )
        case CollisionError(fault=None):
            return say("The same objects were changed in another way since. Nothing was written.")
        case CollisionError():
            problem = error.fault.problem if error.fault else ""
            return say("The changes do not fit together: {problem}. Nothing was written.", problem=problem)
        case NotConfirmableError(is_late=True):
            return say("The time to confirm has run out: the change is being rolled back.")
        case NothingToRestoreError():
            return say("The live estate does not differ from version {version}.", version=error.version)
        case NoEditError():
            return say("The draft has no edit {number}.", number=error.index + 1)
    return _PLAIN[type(error)]


_PLAIN: Final[dict[type[Exception], Sentence]] = {
    ApprovalMissingError: say("The draft must be approved before it is applied."),
    OwnApprovalError: say("You wrote edits of this draft: somebody else must approve it."),
    NothingToApplyError: say("The edits of the draft change nothing."),
    NotConfirmableError: say("Nothing asks for a confirmation: the change stays as it is."),
}


def _state(state: str) -> str:
    return state.replace("_", " ")


def object_name(key: ObjectKey) -> str:
    """Return an object as texts name it: place, kind, name."""
    place = "/".join(part for part in (key.instance, key.database) if part)
    return " ".join(part for part in (place, key.kind, key.name) if part)


def object_text(value: Any) -> str:
    """Return the value of an object on one line; for one that does not exist, a hyphen."""
    return "-" if value is None else json.dumps(object_as_json(value), ensure_ascii=False)
