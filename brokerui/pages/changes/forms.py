"""Forms of the pages of drafts."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.effect.consent import TOKEN_CHARS
from brokerui.changes.models import NAME
from brokerui.estate.selectors import live_version
from routing.model.estate import INSTANCE_NAME_CHARS

COMMENT = 4_000
"""Characters."""
MAX_MINUTES = 7 * 24 * 60
MAX_COUNT = 2**31 - 1


class NewDraftForm(forms.Form):
    """The name of a new draft, and whether its map is shown first."""

    name = forms.CharField(label=_("Name"), max_length=NAME, error_messages={"required": _("Give it a name.")})
    on_map = forms.BooleanField(required=False)


class StepForm(forms.Form):
    """Which revision of the draft the user has seen, and which edit is meant."""

    revision = forms.IntegerField(min_value=1)
    index = forms.IntegerField(min_value=0, required=False)


class SqlForm(forms.Form):
    """The script of one instance, and the revision of the draft that the user has seen."""

    revision = forms.IntegerField(min_value=1)
    instance = forms.CharField(max_length=INSTANCE_NAME_CHARS, strip=False)
    sql = forms.CharField(required=False, strip=False)


class CommentForm(forms.Form):
    """A word that goes with a step of the review, or stands at an edit."""

    comment = forms.CharField(max_length=COMMENT, required=False)
    index = forms.IntegerField(min_value=0, required=False)


class ApplyForm(forms.Form):
    """How a draft is applied: for good, or until somebody confirms it."""

    consent = forms.CharField(max_length=TOKEN_CHARS, required=False)
    confirm = forms.BooleanField(required=False)
    minutes = forms.IntegerField(
        label=_("Minutes until it is rolled back"), min_value=1, max_value=MAX_MINUTES, initial=10, required=False
    )
    delayed_limit = forms.IntegerField(
        label=_("Delayed conversations"), min_value=0, max_value=MAX_COUNT, required=False
    )
    depth_limit = forms.IntegerField(label=_("Messages in one queue"), min_value=0, max_value=MAX_COUNT, required=False)

    def clean(self) -> dict[str, Any]:
        """Ask for the minutes where it is to be confirmed."""
        values = super().clean() or {}
        if values.get("confirm") and values.get("minutes") is None and "minutes" not in self.errors:
            self.add_error("minutes", _("Say within how many minutes it has to be confirmed, up to a week."))
        return values


class CompareForm(forms.Form):
    """The version that another one is compared with; 0: the empty estate before the first."""

    against = forms.IntegerField(min_value=0, max_value=MAX_COUNT, required=False)

    def clean_against(self) -> int | None:
        """Refuse a version that the estate never had."""
        number: int | None = self.cleaned_data["against"]
        newest = live_version()
        if number is not None and number > newest:
            detail = {"version": number, "newest": newest}
            raise forms.ValidationError(_("There is no version %(version)s; the newest is %(newest)s."), params=detail)
        return number
