"""Signing in and out, and one's own password."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth import views as auth
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.timesince import timeuntil
from django.utils.timezone import now
from django.utils.translation import gettext as _

from brokerui.accounts.access import own_account, public
from brokerui.accounts.services import lockout_begin, password_change
from brokerui.core.client_ip import client_ip_of
from brokerui.core.errors import error_page
from brokerui.core.moments import clock_words, utc_words
from brokerui.core.refusals import log_refusal, quoted

METHODS = ["get", "head", "post"]
"""Django's forms take PUT for POST."""


@method_decorator(public, name="dispatch")
class SignIn(auth.LoginView):
    """The sign-in form; a signed-in user is redirected."""

    http_method_names = METHODS
    template_name = "account/login.html"
    redirect_authenticated_user = True

    def form_invalid(self, form: Any) -> HttpResponse:
        """Show the form again; the log has a line about a wrong password. `locked_out` writes that of a lock-out."""
        typed = form.cleaned_data
        if typed.get("username") and typed.get("password") and not getattr(self.request, "axes_locked_out", False):
            log_refusal(self.request, 200, f"wrong password, or no such user: {quoted(typed['username'])}")
        return super().form_invalid(form)


@method_decorator(public, name="dispatch")
class SignOut(auth.LogoutView):
    """By POST, so that no link or picture elsewhere does it."""


@method_decorator(own_account, name="dispatch")
class ChangePassword(auth.PasswordChangeView):
    """Change the password of the signed-in user; all other sessions of that user end."""

    http_method_names = METHODS
    template_name = "account/password.html"
    success_url = reverse_lazy("start")

    def form_valid(self, form: Any) -> HttpResponse:
        """Write it, and say that it happened."""
        password_change(user=form.user, password=form.cleaned_data["new_password1"])
        update_session_auth_hash(self.request, form.user)
        messages.success(self.request, _("Your password is changed."))
        return HttpResponseRedirect(self.get_success_url())


def locked_out(request: HttpRequest, _response: Any = None, credentials: Any = None) -> HttpResponse:
    """429, after too many wrong passwords: the page says until when, the log and the audit who and from where."""
    pause: timedelta = settings.AXES_COOLOFF_TIME
    moment = now()
    # The first whole minute after the end of the lock-out: the page shows no seconds.
    until = (moment + pause + timedelta(minutes=1)).replace(second=0, microsecond=0)
    name = str((credentials or {}).get("username") or "")
    log_refusal(request, 429, f"{quoted(name)} is locked out there until {utc_words(until)}")
    lockout_begin(name=name, address=client_ip_of(request) or "")
    text = _(
        "Too many wrong passwords for this name from your address. Try again at %(until)s, in %(duration)s; "
        "a try before that begins the wait again. An administrator can end it: Tables, Lock-outs."
    )
    values = {"until": clock_words(until), "duration": timeuntil(moment + pause, moment)}
    return error_page(request, status=429, title=_("Wait a while"), text=text % values)
