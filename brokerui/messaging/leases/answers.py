"""Idempotency: a request that is sent twice is carried out once; its response is stored in the same transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from brokerui.messaging.leases.models import Answer

KEPT = timedelta(days=1)


class AnotherRequestError(Exception):
    """The key was sent before with something else."""


def token_of(author: str, key: str) -> str:
    """Return the token of a user's Idempotency-Key."""
    return hashlib.sha256(f"{author}\0{key}".encode()).hexdigest()


def answered_once(token: str, digest: str, make: Callable[[], Any]) -> Any:
    """Return the result of `make`, or of its earlier call with this token; all in one transaction.

    `digest` stands for the request. An empty token stands for no other request. Raises `AnotherRequestError`.
    """
    with transaction.atomic():
        if not token:
            return make()
        answer = _new(token, digest)
        if answer is None:
            return _kept(token, digest)
        answer.body = make()
        answer.save(update_fields=["body"])
        return answer.body


def answers_forget() -> int:
    """Delete answers that are kept for longer than `KEPT`."""
    return Answer.objects.filter(at__lt=timezone.now() - KEPT).delete()[0]


def _new(token: str, digest: str) -> Answer | None:
    """None: there is one; where its request is still being done, that is waited for."""
    try:
        with transaction.atomic():
            return Answer.objects.create(token=token, digest=digest, at=timezone.now())
    except IntegrityError:
        return None


def _kept(token: str, digest: str) -> Any:
    answer = Answer.objects.get(pk=token)
    if answer.digest != digest:
        raise AnotherRequestError
    return answer.body
