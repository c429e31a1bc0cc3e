"""One's tokens of the REST interface: see them, make one, revoke one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from brokerui.accounts.access import own_account
from brokerui.accounts.models import Token
from brokerui.accounts.services import TOKENS, token_create, token_revoke


class TokenForm(forms.Form):
    """The purpose of the token."""

    name = forms.CharField(label=gettext_lazy("What it is for"), max_length=100)


@method_decorator(own_account, name="dispatch")
@method_decorator(never_cache, name="dispatch")
class TokensView(View):
    """The list, and the form for another one."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show them."""
        return _page(request, TokenForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        """Make one, and show it this one time."""
        form = TokenForm(request.POST)
        if form.is_valid():
            try:
                with transaction.atomic():
                    token, secret = token_create(user=_user(request), name=form.cleaned_data["name"])
                return _page(request, TokenForm(), made=token, secret=secret)
            except IntegrityError:
                form.add_error("name", _("You have a token of this name already."))
            except ValueError:
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
    tokens = Token.objects.filter(user=_user(request))
    return render(request, "account/tokens.html", {"tokens": tokens, "form": form, **more}, status=status)
