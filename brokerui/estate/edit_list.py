"""Applies a list of edits to an estate, with the index of the edit in each error."""

from __future__ import annotations

from collections.abc import Sequence

from routing.common.errors import Invalid
from routing.model.estate import Edit, Estate


def apply_edit_list(estate: Estate, edits: Sequence[Edit]) -> Estate:
    """Apply edits in order. Raises `Invalid` with a path that begins `edits[INDEX]`."""
    for index, edit in enumerate(edits):
        try:
            estate = edit.apply(estate)
        except Invalid as fault:
            raise fault.below(f"edits[{index}]") from None
    return estate
