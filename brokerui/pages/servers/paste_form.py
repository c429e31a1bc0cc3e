"""The form for pasted rows: server, database, moment, text or file; and the sums that were understood, signed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from brokerui.analysis.servers.pasting import PASTED, PastedText
from brokerui.analysis.servers.sums import ServerSums
from brokerui.analysis.servers.sums_json import sums_as_json, sums_from_json
from brokerui.analysis.servers.understanding import understood
from brokerui.core.typed_moments import field_text, read_moment
from routing.common.errors import InputError, Invalid
from routing.common.names import check_name
from routing.common.sentence import Sentence, say
from routing.model.estate import INSTANCE_NAME_CHARS

SALT: Final = "brokerui.servers.paste"
MAX_AGE_S: Final = 86_400
"""Seconds within which a preview can be kept."""


@dataclass
class PasteForm:
    """The form as it was sent, with its faults by field."""

    server: str = ""
    database: str = ""
    at: str = ""
    text: str = ""
    faults: dict[str, Sentence] = field(default_factory=dict)
    error: InputError | None = None

    @classmethod
    def new(cls, server: str, database: str, now: datetime) -> PasteForm:
        return cls(server=server, database=database, at=field_text(now))

    @classmethod
    def of(cls, values: Mapping[str, str]) -> PasteForm:
        server, database, at = (values.get(name, "").strip() for name in ("server", "database", "at"))
        return cls(server=server, database=database, at=at, text=values.get("text", ""))

    def read(self, file: UploadedFile | None) -> ServerSums | None:
        """The sums of the text, or of the file; None where something is wrong, which `faults` or `error` says."""
        now = timezone.now()
        try:
            check_name(self.server, "server", INSTANCE_NAME_CHARS)
        except Invalid:
            self.faults["server"] = say("Name the server of these rows.")
        at = self._moment(now)
        content, name = (file.read(), str(file.name)) if file is not None else (self.text.encode(), PASTED)
        if not content.strip():
            self.faults["text"] = say("Paste rows, or choose a file.")
        if self.faults or at is None:
            return None
        pasted = PastedText(server=self.server, at=at, content=content, database=self.database, name=name)
        try:
            return understood(pasted, now)
        except InputError as error:
            self.error = error
            return None

    def _moment(self, now: datetime) -> datetime | None:
        try:
            return read_moment(self.at) if self.at else now.replace(microsecond=0)
        except Invalid as fault:
            self.faults["at"] = fault.problem
            return None


def signed(sums: ServerSums, author: str) -> str:
    """The sums for the hidden field of the preview."""
    return signing.dumps({"author": author, "sums": sums_as_json(sums)}, salt=SALT, compress=True)


def unsigned(text: str, author: str) -> ServerSums | None:
    """The sums of a preview that this author was shown; None for any other text."""
    try:
        body: dict[str, Any] = signing.loads(text, salt=SALT, max_age=MAX_AGE_S)
    except signing.BadSignature:
        return None
    return sums_from_json(body["sums"]) if body["author"] == author else None
