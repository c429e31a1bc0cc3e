"""Writing files of routing tests: each is read and checked before it is kept."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.utils import timezone

from brokerui.analysis.routing_tests.errors import KeptFileChangedError, KeptFileNotFoundError
from brokerui.analysis.routing_tests.files import read_tests
from brokerui.analysis.routing_tests.models import NAME, KeptTestFile
from brokerui.estate.audit import audit
from brokerui.estate.audit_changes import changes_of, values_of
from routing.common.errors import Invalid
from routing.common.sentence import say

NAME_PATTERN: Final = rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{NAME - 1}}}"
MOST_FILES: Final = 100
MOST_BYTES: Final = 1 << 20
"""Bytes of all files together: each review of a draft judges all of their tests, within a request."""
AUDITED: Final = ("name", "size", "test_count", "digest")


def routing_tests_write(*, name: str, text: str, seen: str, author: str) -> KeptTestFile:
    """Keep a file, or replace it. `seen` is the digest of the text that the writer has read; empty: there was none.

    Raises `InputError` for a text that holds no tests, `Invalid` for a name or a size that is not allowed, and
    `KeptFileChangedError` where another writer was first.
    """
    if not re.fullmatch(NAME_PATTERN, name):
        raise Invalid("name", say("must be letters, digits, dots, hyphens and underscores, as in orders.yaml"))
    content = text.encode("utf-8")
    count = len(read_tests(content, name).tests)
    try:
        with transaction.atomic():
            return _written(name, text, content, count, seen, author)
    except IntegrityError:
        raise KeptFileChangedError(name) from None


@transaction.atomic
def routing_tests_delete(*, name: str, seen: str, author: str) -> None:
    """Delete a file. Raises `KeptFileNotFoundError` and `KeptFileChangedError`."""
    file = KeptTestFile.objects.select_for_update().filter(name=name).first()
    if file is None:
        raise KeptFileNotFoundError(name)
    if file.digest != seen:
        raise KeptFileChangedError(name)
    gone = changes_of(values_of(file, *AUDITED), None)
    file.delete()
    audit(author=author, action="routing_tests.delete", note=name, changes=gone)


def _written(name: str, text: str, content: bytes, count: int, seen: str, author: str) -> KeptTestFile:
    file = KeptTestFile.objects.select_for_update().filter(name=name).first() or KeptTestFile(name=name)
    if file.digest != seen:
        raise KeptFileChangedError(name)
    _check_room(file, len(content))
    before = values_of(file, *AUDITED) if file.pk else None
    file.text, file.size, file.test_count, file.author = text, len(content), count, author
    file.digest = sha256(content).hexdigest()
    file.changed_at = timezone.now()
    file.save()
    audit(author=author, action="routing_tests.write", note=name, changes=changes_of(before, values_of(file, *AUDITED)))
    return file


def _check_room(file: KeptTestFile, size: int) -> None:
    others = KeptTestFile.objects.exclude(pk=file.pk)
    if others.count() >= MOST_FILES:
        raise Invalid("name", say("{count} files are kept already: delete one first", count=MOST_FILES))
    kept: int = others.aggregate(size=Sum("size"))["size"] or 0
    if kept + size > MOST_BYTES:
        raise Invalid("text", say("all files together would be larger than {limit} bytes", limit=MOST_BYTES))
