"""Why a write of a draft is refused, as problem documents."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from brokerui.api.change_review_bodies import conflict_as_json
from brokerui.api.problems import ApiProblem, at_path
from brokerui.changes.errors import (
    ApprovalMissingError,
    CollisionError,
    DraftClosedError,
    DraftStaleError,
    NoEditError,
    NoStepError,
    NotConfirmableError,
    NothingToApplyError,
    OwnApprovalError,
    TooManyEditsError,
)
from brokerui.estate.errors import EstateStaleError

REFUSALS: Final = (
    ApprovalMissingError,
    CollisionError,
    DraftClosedError,
    DraftStaleError,
    EstateStaleError,
    NoEditError,
    NoStepError,
    NotConfirmableError,
    NothingToApplyError,
    OwnApprovalError,
    TooManyEditsError,
)


def refused(error: Exception) -> ApiProblem:
    """Return the problem of one of `REFUSALS`."""
    match error:
        case DraftStaleError():
            return ApiProblem(412, _("Another user wrote the draft just now. Read it again."))
        case NoEditError():
            return at_path("edit", _("the draft has no edit of this index"))
        case TooManyEditsError():
            detail = ngettext(
                "at most %(n)s edit fits into a draft", "at most %(n)s edits fit into a draft", error.limit
            )
            return at_path("edits", detail % {"n": error.limit})
        case CollisionError(fault=None):
            detail = _("The same objects were changed in another way since. Nothing was written.")
            return ApiProblem(409, detail, conflicts=[conflict_as_json(one) for one in error.conflicts])
    return ApiProblem(409, _conflict(error))


def _conflict(error: Exception) -> str:
    match error:
        case DraftClosedError():
            return _("The draft is %(state)s: this cannot be done any more, or not yet.") % {"state": error.state}
        case EstateStaleError():
            detail = _("The draft is made on version %(base)s, and the live estate is at version %(live)s. Rebase it.")
            return detail % {"base": error.base_version, "live": error.current_version}
        case ApprovalMissingError():
            return _("The draft must be approved before it is applied.")
        case OwnApprovalError():
            return _("You wrote edits of this draft: somebody else must approve it.")
        case NothingToApplyError():
            return _("The edits of the draft change nothing.")
        case NotConfirmableError(is_late=True):
            return _("The time to confirm has run out: the change is being rolled back.")
        case NotConfirmableError():
            return _("Nothing asks for a confirmation: the change stays as it is.")
        case NoStepError(is_redo=True):
            return _("There is nothing to redo.")
        case NoStepError():
            return _("There is nothing to undo.")
        case CollisionError():
            return _("The changes do not fit together: %(problem)s. Nothing was written.") % {"problem": error.fault}
    raise TypeError(type(error))
