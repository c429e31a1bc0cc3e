"""The form with which somebody answers for findings."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.lint.models import REASON
from brokerui.core.typed_moments import read_moment
from brokerui.estate.models.versions import AUTHOR

USUAL = timedelta(days=90)


class SuppressForm(forms.Form):
    """The fields of a suppression: the responsible user, the reason, and the end."""

    owner = forms.CharField(max_length=AUTHOR, label=_("Who answers for it"))
    reason = forms.CharField(max_length=REASON, label=_("Why it is suppressed"))
    expires = forms.DateField(label=_("Until"), widget=forms.DateInput(attrs={"type": "date"}))

    def clean_expires(self) -> date:
        """A suppression is for a time."""
        expires: date = self.cleaned_data["expires"]
        if expires <= timezone.localdate():
            raise forms.ValidationError(_("Choose a day after today: the finding is reported again from that day on."))
        return expires

    @property
    def moment(self) -> datetime:
        """The beginning of that day."""
        return read_moment(str(self.cleaned_data["expires"]))


def usual(owner: str) -> dict[str, object]:
    """Return the first values of the form."""
    return {"owner": owner, "expires": timezone.localdate() + USUAL}
