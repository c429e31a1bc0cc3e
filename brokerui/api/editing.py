"""Edits of the engine, applied to the live estate by its own service."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _
from rest_framework.request import Request

from brokerui.api.problems import ApiProblem, in_body
from brokerui.api.queries import NoteQuery
from brokerui.api.serializers import read_query
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.selectors import LiveEstate, estate_current
from brokerui.estate.services import estate_edit
from routing.common.errors import Invalid
from routing.model.estate import Edit, Estate

MAX_TRIES = 5
"""Tries while other requests change the estate in between; after them the client gets 409."""
_OUTER = re.compile(r"^((edits|instances|databases)\[\d+\]\.?)+")
"""The part of a path that says where in the estate the object of the request is."""


def apply_edits(request: Request, description: str, make: Callable[[Estate], Sequence[Edit]]) -> LiveEstate:
    """Apply the edits that `make` returns for the estate as it is.

    `make` checks what the client has seen of the estate; it is called again where the estate changed in between.
    """
    note = read_query(request, NoteQuery).get("note") or f"REST: {request.method} {description}"
    for _try in range(MAX_TRIES):
        live = estate_current()
        try:
            edits = make(live.estate)
            return estate_edit(edits=edits, base_version=live.version, author=request.user.get_username(), note=note)
        except EstateStaleError:
            continue
        except Invalid as fault:
            raise in_body(Invalid(_OUTER.sub("", fault.path), fault.problem)) from None
    raise ApiProblem(409, _("Others are changing the estate right now. Nothing was written; try again."))
