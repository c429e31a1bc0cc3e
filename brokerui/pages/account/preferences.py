"""Preferences of the signed-in user."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import View

from brokerui.accounts.access import own_account
from brokerui.accounts.preference_services import preferences_of, preferences_save
from brokerui.accounts.preferences import DEFAULTS, NAMES, ZONE_CHARS, zone_names
from brokerui.pages.shell.theme import COOKIES, YEAR
from routing.common.errors import Invalid


class PreferencesForm(forms.Form):
    """Everything that holds on every page."""

    theme = forms.ChoiceField(
        label=gettext_lazy("Theme"),
        widget=forms.RadioSelect,
        choices=[
            ("auto", gettext_lazy("As the system")),
            ("light", gettext_lazy("Light")),
            ("dark", gettext_lazy("Dark")),
        ],
    )
    density = forms.ChoiceField(
        label=gettext_lazy("Density of tables"),
        widget=forms.RadioSelect,
        choices=[("comfortable", gettext_lazy("Comfortable")), ("compact", gettext_lazy("Compact"))],
    )
    clock = forms.TypedChoiceField(
        label=gettext_lazy("Clock"),
        widget=forms.RadioSelect,
        coerce=int,
        choices=[("24", gettext_lazy("24 hours: 14:05")), ("12", gettext_lazy("12 hours: 2:05 PM"))],
    )
    zone = forms.CharField(
        label=gettext_lazy("Time zone"),
        max_length=ZONE_CHARS,
        widget=forms.TextInput(attrs={"list": "zones", "autocomplete": "off", "spellcheck": "false"}),
    )
    keys = forms.BooleanField(label=gettext_lazy("Keyboard shortcuts (? lists them)"), required=False)


@method_decorator(own_account, name="dispatch")
class PreferencesView(View):
    """The form."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the choices that hold."""
        shown = preferences_of(request.user) or DEFAULTS
        return _page(request, PreferencesForm(initial={name: getattr(shown, name) for name in NAMES}))

    def post(self, request: HttpRequest) -> HttpResponse:
        """Keep them; they hold from the next page on."""
        user: Any = request.user
        assert isinstance(user, User)  # the view is closed to strangers
        form = PreferencesForm(request.POST)
        if not form.is_valid():
            return _page(request, form, status=422)
        try:
            kept = preferences_save(user=user, given=form.cleaned_data)
        except Invalid as error:
            form.add_error(error.path, error.problem.render(_))
            return _page(request, form, status=422)
        messages.success(request, _("Your preferences are saved. They hold on every page from now on."))
        response = redirect("account:preferences")
        # So that this browser's form to sign in looks the same.
        response.set_cookie(COOKIES["theme"], kept.theme, max_age=YEAR, httponly=True, samesite="Lax")
        return response


def _page(request: HttpRequest, form: PreferencesForm, *, status: int = 200) -> HttpResponse:
    context = {"form": form, "zones": zone_names(), "choices": [form[name] for name in ("theme", "density", "clock")]}
    return render(request, "account/preferences.html", context, status=status)
