"""Forms of the page of scenarios."""

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy


class UploadForm(forms.Form):
    """An estate document as a file."""

    document = forms.FileField(
        error_messages={
            "required": lazy("Choose a file first."),
            "missing": lazy("Choose a file first."),
            "invalid": lazy("Choose a file first."),
            "empty": lazy("The file is empty."),
        }
    )

    def clean_document(self) -> UploadedFile:
        """Refuse a document that is too large. The job that reads it checks its content."""
        file: UploadedFile = self.cleaned_data["document"]
        if (file.size or 0) > settings.SCENARIO_MAX_BYTES:
            limit = filesizeformat(settings.SCENARIO_MAX_BYTES)
            raise forms.ValidationError(_("Documents of up to %(size)s are accepted.") % {"size": limit})
        return file
