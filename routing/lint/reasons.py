"""Sentences that reasons of several checks share."""

from __future__ import annotations

from routing.common.sentence import Sentence, say
from routing.rules.suppositions import Supposition


def unless(reason: Sentence, supposed: Supposition) -> Sentence:
    """The reason, and the unknown fact on which the severity hangs."""
    if supposed.identifier is None:
        return say(
            "{reason} They arrive if {database} is the principal, which is not known: import sys.databases of"
            " {instance}.",
            reason=reason,
            database=supposed.database,
            instance=supposed.instance,
        )
    return say(
        "{reason} They arrive if the identifier of {database} is {identifier}, which is not known: import"
        " sys.databases of {instance}.",
        reason=reason,
        database=supposed.database,
        identifier=supposed.identifier,
        instance=supposed.instance,
    )
