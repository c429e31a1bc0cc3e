"""Why a write of a draft is refused, as problem documents."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from brokerui.api.change_review_bodies import conflict_as_json
from brokerui.api.problems import ApiProblem, at_path
from brokerui.changes.errors import (
    CollisionError,
    DraftStaleError,
    NoEditError,
    NoStepError,
    SqlRefusedError,
    TooManyEditsError,
)
from brokerui.changes.review_wording import REVIEW_REFUSALS, review_refusal
from brokerui.core.templatetags.wording import translate

REFUSALS: Final = (*REVIEW_REFUSALS, DraftStaleError, NoStepError, SqlRefusedError, TooManyEditsError)


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
            detail = review_refusal(error).render(_)
            return ApiProblem(409, detail, conflicts=[conflict_as_json(one) for one in error.conflicts])
        case SqlRefusedError():
            return _in_script(error)
        case NoStepError():
            return ApiProblem(409, _("There is nothing to redo.") if error.is_redo else _("There is nothing to undo."))
    return ApiProblem(409, review_refusal(error).render(_))


def _in_script(error: SqlRefusedError) -> ApiProblem:
    """Return the problem of a script: the first statement in its detail, each with its line among its errors."""
    errors = [
        {"in": "body", "name": "sql", "path": f"line {one.line}", "detail": one.reason.render(translate)}
        for one in error.findings
    ]
    return ApiProblem(422, f"sql: {errors[0]['path']}: {errors[0]['detail']}", errors=errors)
