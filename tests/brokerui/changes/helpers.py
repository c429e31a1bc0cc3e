"""Drafts that the tests make, and how they read them back."""

from __future__ import annotations

from typing import Any

from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_edits, draft_estate, draft_get
from brokerui.estate.cache import estates
from routing.documents.estate_document import write_estate
from routing.model.address import parse_address
from routing.model.edits import DropRoute, PutRoute
from routing.model.estate import Edit
from routing.model.route import Route

AUTHOR = "ada"


def put(name: str, address: str = "tcp://there.example") -> PutRoute:
    return PutRoute("here", "Orders", Route(name, "Parts", None, None, parse_address(address)))


def drop(name: str) -> DropRoute:
    return DropRoute("here", "Orders", name)


def seen(draft: SavedDraft) -> dict[str, Any]:
    """What a caller names in a write of the draft that it has read."""
    return {"number": draft.id, "revision": draft.revision, "author": AUTHOR}


def edits_of(draft: SavedDraft) -> list[Edit]:
    """The edits as the database has them."""
    return list(draft_edits(draft_get(draft.id)))


def document_of(draft: SavedDraft) -> str:
    """The document of the draft, as a process reads it that has nothing in memory."""
    estates.clear()
    return write_estate(draft_estate(draft_get(draft.id)).estate)
