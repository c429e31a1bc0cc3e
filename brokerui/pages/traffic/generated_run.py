"""The two estates that generated traffic met, by the documents which the round wrote for them."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import NamedTuple

from django.utils.translation import gettext

from brokerui.analysis.traffic.models import Run

_DOCUMENT = re.compile(r"(version|draft)-(\d+)")


class ComparedNames(NamedTuple):
    """Names of the two estates for a reader."""

    before: str
    after: str
    draft: int | None
    """The number of the draft that `after` names; None: it names a version."""


def compared_names(run: Run) -> ComparedNames | None:
    """Return the estates that a replay of generated traffic compared; None for any other result."""
    arguments = run.record.get("arguments", {})
    found = [_DOCUMENT.fullmatch(PurePath(arguments.get(side, "")).stem) for side in ("baseline", "proposed")]
    if not run.is_generated or found[0] is None or found[1] is None:
        return None
    kind, number = found[1].groups()
    return ComparedNames(_named(*found[0].groups()), _named(kind, number), int(number) if kind == "draft" else None)


def _named(kind: str, number: str) -> str:
    words = gettext("draft %(number)s") if kind == "draft" else gettext("version %(number)s")
    return words % {"number": number}
