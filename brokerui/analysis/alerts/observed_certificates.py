"""Objects of rules from certificates: those that the endpoint shows, and those of the authority that it trusts."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.urls import reverse

from brokerui.analysis.alerts.evaluation import Observed
from brokerui.messaging.endpoint.certificate_ends import CertificateEnd, certificate_ends
from routing.common.sentence import Sentence, say

DAY: Final = timedelta(days=1)


def certificates(at: datetime) -> list[Observed] | None:
    """Each certificate with the days that are left; None: their files cannot be read here."""
    ends = certificate_ends()
    return None if ends is None else [_observed(one, at) for one in ends]


def _observed(one: CertificateEnd, at: datetime) -> Observed:
    values = {"subject": one.subject, "setting": one.setting}
    heading: Sentence = say("The certificate {subject} of {setting} expires", **values)
    if one.ends_at <= at:
        heading = say("The certificate {subject} of {setting} has expired", **values)
    return Observed(
        key=f"{one.setting} {one.serial:x}",
        figure=max(0.0, (one.ends_at - at) / DAY),
        heading=heading,
        page=reverse("connections:connections"),
    )
