"""`changes/ID/certificate/`: every class of conversations with its outcomes, before and after a draft."""

from __future__ import annotations

from typing import Final

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.change_bodies import draft_found
from brokerui.api.problems import ApiProblem
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import read_query
from brokerui.changes.selectors import draft_base, draft_estate
from routing.certificate.writing import write_certificate
from routing.common.errors import Invalid
from routing.verification.certificate_file import FORMAT

MOST_EVALUATED: Final = 200_000
"""Classes that a request evaluates: some two seconds."""


class CertificateSerializer(serializers.Serializer):
    """A certificate: docs/reference/certificate.md."""

    format = serializers.ChoiceField([FORMAT])
    rules = serializers.CharField()
    switches = serializers.DictField(child=serializers.CharField())
    at = serializers.DateTimeField()
    before = serializers.CharField(help_text=gettext_lazy("SHA-256 of the document that the draft was made on."))
    after = serializers.CharField(help_text=gettext_lazy("SHA-256 of `changes/ID/estate/`."))
    classes = serializers.IntegerField(min_value=0)
    summary = serializers.DictField(child=serializers.IntegerField())
    entries = serializers.ListField(child=serializers.DictField())
    outcomes = serializers.ListField(child=serializers.ListField(child=serializers.DictField()))
    untouched = serializers.ListField(child=serializers.DictField())
    traffic = serializers.ListField(child=serializers.DictField())


class ChangeCertificateView(ApiView):
    """The certificate of a draft."""

    @extend_schema(
        operation_id="change_certificate",
        tags=openapi.tags(gettext_lazy("Changes")),
        summary=gettext_lazy("Certify"),
        description=gettext_lazy(
            "Every class of conversations with its outcomes now, before and after the edits of the draft. "
            "`brokerui verify-certificate FILE BEFORE AFTER` checks it with other code: BEFORE is "
            "`estate/?as_of=VERSION`, AFTER is `changes/ID/estate/`. 409 where the edits touch too many classes for a "
            "request: `brokerui certify` writes larger ones."
        ),
        parameters=[openapi.NUMBER],
        responses={200: CertificateSerializer, **openapi.problems((*openapi.READ_STATUSES, 409))},
    )
    def get(self, request: Request, number: str) -> HttpResponse:
        """Return canonical JSON."""
        read_query(request, NoQuery)
        draft = draft_found(number)
        before, after = draft_base(draft).estate, draft_estate(draft).estate
        at = timezone.now().replace(microsecond=0)
        try:
            text = write_certificate(before, after, at, most_evaluated=MOST_EVALUATED)
        except Invalid as fault:
            raise ApiProblem(409, fault.problem.render(_)) from None
        return HttpResponse(text, content_type="application/json")
