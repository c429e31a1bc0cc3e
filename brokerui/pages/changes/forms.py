"""What the pages of drafts take."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from brokerui.changes.models import NAME


class NewDraftForm(forms.Form):
    """The name of a new draft."""

    name = forms.CharField(label=_("Name"), max_length=NAME, error_messages={"required": _("Give it a name.")})


class StepForm(forms.Form):
    """Which revision of the draft the user has seen, and which edit is meant."""

    revision = forms.IntegerField(min_value=1)
    index = forms.IntegerField(min_value=0, required=False)
