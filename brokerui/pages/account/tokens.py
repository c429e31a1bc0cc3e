"""One's tokens of the REST interface: see them, make one, revoke one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from brokerui.accounts.access import own_account
from brokerui.accounts.models import Token
from brokerui.accounts.services import TokenNameTakenError, TooManyTokensError, token_create, token_revoke
from brokerui.accounts.token_limits import MOST_TOKEN_DAYS, MOST_TOKEN_NAME, TOKEN_DAYS, TOKENS
from brokerui.accounts.token_scopes import level_of, scope_choices, scope_words

DAYS = (1, 7, 30, TOKEN_DAYS, MOST_TOKEN_DAYS)


def _day_choices() -> list[tuple[int, str]]:
    return [(days, ngettext("%(count)s day", "%(count)s days", days) % {"count": days}) for days in DAYS]


class TokenForm(forms.Form):
    """The purpose of a token, its scope up to the permissions of the user, and how long it lasts."""

    name = forms.CharField(label=gettext_lazy("What it is for"), max_length=MOST_TOKEN_NAME)
    level = forms.TypedChoiceField(label=gettext_lazy("What it may do"), coerce=level_of)
    days = forms.TypedChoiceField(
        label=gettext_lazy("Expires after"), choices=_day_choices, coerce=int, initial=TOKEN_DAYS
    )

    def __init__(self, user: User, *args: Any) -> None:
        super().__init__(*args)
        self.fields["level"].choices = scope_choices(user)  # type: ignore[attr-defined]  # a field of choices


@method_decorator(own_account, name="dispatch")
@method_decorator(never_cache, name="dispatch")
class TokensView(View):
    """The list, and the form for another one."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show them."""
        return _page(request, TokenForm(_user(request)))

    def post(self, request: HttpRequest) -> HttpResponse:
        """Make one, and show it this one time."""
        user = _user(request)
        form = TokenForm(user, request.POST)
        if form.is_valid():
            try:
                token, secret = token_create(user=user, **form.cleaned_data)
                return _page(request, TokenForm(user), made=token, secret=secret)
            except TokenNameTakenError:
                form.add_error("name", _("You have a token of this name already."))
            except TooManyTokensError:
                form.add_error("name", _("You have %(count)s tokens. Revoke one first.") % {"count": TOKENS})
        return _page(request, form, status=422)


@own_account
@require_POST
def revoke(request: HttpRequest, key: str) -> HttpResponse:
    """Revoke a token; a program that uses it is refused from then on."""
    name = token_revoke(user=_user(request), key=key)
    if name is None:
        raise Http404
    messages.success(request, _("Revoked: %(name)s.") % {"name": name})
    return redirect("account:tokens")


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # both views are closed to strangers
    return request.user


def _page(request: HttpRequest, form: TokenForm, *, status: int = 200, **more: Any) -> HttpResponse:
    tokens = [(token, scope_words(token.level)) for token in Token.objects.filter(user=_user(request))]
    if "made" in more:
        more["scope"] = scope_words(more["made"].level)
    return render(request, "account/tokens.html", {"tokens": tokens, "form": form, **more}, status=status)
