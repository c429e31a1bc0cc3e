"""The certificates of the endpoint's settings, with the moment at which each ends."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from django.conf import settings

SETTINGS: Final = ("ENDPOINT_CERTIFICATE", "ENDPOINT_AUTHORITY")


class CertificateEnd(NamedTuple):
    """A certificate of a file, which may have several."""

    setting: str
    subject: str
    """Distinguished name, as RFC 4514 writes it."""
    serial: int
    ends_at: datetime


def certificate_ends() -> list[CertificateEnd] | None:
    """Return all of them; None where this process cannot read a file: the endpoint may run on another machine. The
    endpoint names a damaged file of its own when it starts."""
    found: list[CertificateEnd] = []
    for setting in SETTINGS:
        path = getattr(settings, setting)
        try:
            found += _of_file(setting, Path(path)) if path else []
        except (OSError, ValueError):
            return None
    return found


def _of_file(setting: str, path: Path) -> list[CertificateEnd]:
    from cryptography import x509  # noqa: PLC0415 - only where certificates are set

    return [
        CertificateEnd(setting, one.subject.rfc4514_string(), one.serial_number, one.not_valid_after_utc)
        for one in x509.load_pem_x509_certificates(path.read_bytes())
    ]
