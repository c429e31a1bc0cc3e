"""Times between two batches as people write them, and as Spark takes them."""

from __future__ import annotations

import re

_INTERVAL = re.compile(
    r"(?P<number>[0-9]{1,6}) *(?:(?P<milliseconds>ms|milliseconds?)|(?P<seconds>s|sec|seconds?)"
    r"|(?P<minutes>m|min|minutes?)|(?P<hours>h|hours?)|(?P<days>d|days?))",
    re.IGNORECASE,
)


def spark_interval(text: str) -> str:
    """Return a time as Spark takes it. Raises `ValueError` for a text that is none."""
    found = _INTERVAL.fullmatch(text.strip())
    if found is None or not int(found["number"]):
        raise ValueError(f"must be a time such as 5s, 2 minutes or 1h, not {text}")
    return f"{found['number']} {found.lastgroup}"
