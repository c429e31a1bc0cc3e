"""The beginning that names of services share: pictures and lists show `…/` in its place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

ROOT: Final = "//"
"""Names such as `//example/orders/Cart` begin so; names of another kind share nothing."""
SHORT: Final = "…/"


def shared_prefix(names: Iterable[str]) -> str:
    """Return what all names with `//` begin with, up to a slash; empty where there are fewer than two of them."""
    found = {name for name in names if name.startswith(ROOT)}
    if len(found) < 2:
        return ""
    # What the first and the last of them share in order, all share.
    first, last = min(found), max(found)
    length = next(
        (index for index, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first)
    )
    prefix = first[: first.rfind("/", 0, length) + 1]
    return prefix if len(prefix) > len(ROOT) else ""


def shortened_by(prefix: str, text: str) -> str:
    """Return a name, or a text with names in it, with `…/` in place of a prefix; as it is without one."""
    return text.replace(prefix, SHORT) if prefix else text
