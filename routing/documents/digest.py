"""The hash by which a certificate names an estate."""

from __future__ import annotations

from hashlib import sha256

from routing.documents.estate_document import write_estate
from routing.model.estate import Estate


def estate_sha256(estate: Estate) -> str:
    """SHA-256 of the canonical document, in hex: that of the file that BrokerUI writes of the estate."""
    return sha256(write_estate(estate).encode("utf-8")).hexdigest()
