"""Filters that show what the language can say."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

EXAMPLES = (
    ("service:Order*", _("the service's name begins with Order; * stands for anything")),
    ("address:tcp://host2*", _("leads to host2, as it is written or in canonical form")),
    ("instance:hub database:Sales", _("stands in Sales on hub: all words must hold")),
    ('service:""', _("has no service name")),
    ("is:expired", _("also is:wildcard, is:local, is:transport, is:network, is:mirrored")),
    ("is:added", _("added by the draft that is looked at; also is:altered")),
    ("expires:<7d", _("expires within 7 days; also >12h, <2030-01-31, expires:never")),
    ("has:finding", _("something was found about it")),
    ("finding:shadowed-route", _("a finding of this code; * stands for anything")),
    ("hide:system", _("without the routes that the product makes itself")),
    ("-name:AutoCreatedLocal", _("all but these: - turns a word round")),
    ("parts", _("any column holds the word, in any case")),
    ('"two words"', _("what has spaces stands in quotation marks")),
)
"""Also name:, broker: and mirror:, which take a whole value or a pattern with `*`."""
