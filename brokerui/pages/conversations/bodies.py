"""The body of a message: asks for a reason, and shows it. No answer with a body may be kept by a cache."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods

from brokerui.accounts.access import access
from brokerui.accounts.levels import Right
from brokerui.analysis.conversations.bodies import BodyAbsentError, MessageKey
from brokerui.analysis.conversations.body_views import HEX_BYTES, TEXT_BYTES, BodyView
from brokerui.analysis.conversations.services import REASON_CHARACTERS, BodyAct, body_download, body_show
from brokerui.analysis.conversations.sides import Kept
from brokerui.core.errors import ObjectNotFoundError
from brokerui.pages.conversations.wording import covered_words
from routing.common.sentence import say
from routing.dialog.problems import VerbError

LARGEST_NUMBER: Final = 2**63 - 1
LARGEST_BODY: Final = 2**31 - 1
"""Bytes of VARBINARY(MAX)."""


class BodyForm(forms.Form):
    """A reason, and the act that it is for."""

    reason = forms.CharField(label=_lazy("Reason"), max_length=REASON_CHARACTERS)
    act = forms.ChoiceField(choices=[(act.value, act.value) for act in BodyAct], initial=BodyAct.SHOW)
    hex_start = forms.IntegerField(min_value=0, max_value=LARGEST_BODY, required=False)


@access(read=Right.READ_BODIES, write=Right.READ_BODIES)
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@sensitive_variables()
def body(request: HttpRequest, handle: UUID, kept: str, number: int) -> HttpResponse:
    """Asks for the reason; with it, the body as it is covered, uncovered, or as a file."""
    if kept not in set(Kept) or number > LARGEST_NUMBER:
        raise ObjectNotFoundError(say("There is no such message"))
    key = MessageKey(str(handle), Kept(kept), number)
    form = BodyForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _page(request, key, form, status=422 if form.is_bound else 200)
    try:
        return _answer(request, key, form)
    except BodyAbsentError as error:
        absent = error.problem.render(_)
        return _page(request, key, form, status=404 if error.is_gone else 409, absent=absent)
    except VerbError as error:
        raise ObjectNotFoundError(say("There is no such conversation; it may have ended by now")) from error


@sensitive_variables()
def _answer(request: HttpRequest, key: MessageKey, form: BodyForm) -> HttpResponse:
    author, given = request.user.get_username(), form.cleaned_data
    act, reason = BodyAct(given["act"]), given["reason"]
    if act is BodyAct.DOWNLOAD:
        part = body_download(key=key, reason=reason, author=author)
        name = f"{key.handle}-{key.kept}-{key.number}.bin"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return HttpResponse(part.data, content_type="application/octet-stream", headers=headers)
    view = body_show(key=key, act=act, reason=reason, author=author, hex_start=given["hex_start"] or 0)
    return _page(request, key, form, shown=view, **_shown(view, act))


def _shown(view: BodyView, act: BodyAct) -> dict[str, Any]:
    return {
        "act": act,
        "is_unmasked": act is BodyAct.UNMASK,
        "covered": covered_words(view.covered),
        "text_bytes": TEXT_BYTES,
        "hex_last": min(view.hex_start + HEX_BYTES, view.part.all_bytes) - 1,
        "recorded_at": timezone.now(),
    }


def _page(request: HttpRequest, key: MessageKey, form: BodyForm, *, status: int = 200, **more: Any) -> HttpResponse:
    return render(request, "conversations/body.html", {"key": key, "form": form, **more}, status=status)
