"""Writing: edits of the engine, made on what is there, applied by the estate's own service."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _
from rest_framework.request import Request

from brokerui.api.parameters import NOTE, given
from brokerui.api.problems import Problem, in_body
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.selectors import LiveEstate, estate_current
from brokerui.estate.services import estate_edit
from routing.common.errors import Invalid
from routing.model.estate import Edit, Estate

TRIES = 5
"""So often edits are made anew because somebody else was quicker, at another row; then the writer is told."""
_OUTER = re.compile(r"^((edits|instances|databases)\[\d+\]\.?)+")
"""Of a path: where in the estate the object is that the request is about."""


def edited(request: Request, what: str, make: Callable[[Estate], Sequence[Edit]]) -> LiveEstate:
    """Apply the edits that `make` makes of the estate as it is.

    `make` checks what the writer has seen of it; it is called again where the estate changed in between.
    """
    note = given(request, [NOTE]).get("note") or f"REST: {request.method} {what}"
    for _try in range(TRIES):
        live = estate_current()
        try:
            edits = make(live.estate)
            return estate_edit(edits=edits, base_version=live.version, author=request.user.get_username(), note=note)
        except EstateStaleError:
            continue
        except Invalid as fault:
            raise in_body(Invalid(_OUTER.sub("", fault.path), fault.problem)) from None
    raise Problem(409, _("Others are changing the estate right now. Nothing of yours was written; try again."))
