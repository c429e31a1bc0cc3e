"""Filters that show what the language can say."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

EXAMPLES = (
    ("service:Order*", _("the service's name begins with Order; * stands for anything")),
    ("address:tcp://host2*", _("leads to host2, as written or in canonical form")),
    ("instance:hub database:Sales", _("in Sales on hub: all conditions must match")),
    ('service:""', _("has no service name")),
    ("is:expired", _("also is:wildcard, is:local, is:transport, is:network, is:mirrored")),
    ("is:added", _("added by the draft that is looked at; also is:altered")),
    ("expires:<7d", _("expires within 7 days; also >12h, <2030-01-31, expires:never")),
    ("has:finding", _("it has findings")),
    ("finding:shadowed-route", _("a finding of this code; * stands for anything")),
    ("hide:system", _("without the routes that the product makes itself")),
    ("-name:AutoCreatedLocal", _("all but these: - negates a condition")),
    ("parts", _("any column contains the word; case does not matter")),
    ('"two words"', _("a value with spaces goes in quotation marks")),
)
"""Also name:, broker: and mirror:, which take a whole value or a pattern with `*`."""
