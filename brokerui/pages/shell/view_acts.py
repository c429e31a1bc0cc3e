"""Acts on saved views that the map and all other pages have in common."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from brokerui.accounts.levels import Level, may
from brokerui.core.errors import ObjectNotFoundError
from brokerui.estate.map_views.errors import MapViewNotFoundError
from brokerui.estate.map_views.services import map_view_delete
from routing.common.errors import Invalid
from routing.common.sentence import say


def delete_view(request: HttpRequest, key: str) -> None:
    """Delete a view of the user, and say so. Raises `ObjectNotFoundError`."""
    try:
        title = map_view_delete(key=key, owner=request.user.get_username())
    except MapViewNotFoundError:
        raise ObjectNotFoundError(say("There is no such view")) from None
    messages.success(request, _("The view %(title)s is deleted.") % {"title": title})


def refusal(error: Invalid) -> str:
    """Say why a view was not saved."""
    problem = error.problem.render(_)
    if error.path == "title":
        return _("The view is not saved; its name: %(problem)s.") % {"problem": problem}
    return _("The view is not saved: %(problem)s.") % {"problem": problem}


def is_shared(request: HttpRequest) -> bool:
    """Whether the form shares the view, and the user may."""
    return "is_shared" in request.POST and may(request.user, Level.OPERATE)
