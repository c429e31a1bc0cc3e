"""Errors of alerts."""

from __future__ import annotations

from routing.common.sentence import Sentence


class AlertStaleError(Exception):
    """Somebody changed, ended or deleted it meanwhile."""


class DeliveryError(Exception):
    """A message about alerts was not delivered. Its sentence holds no URL and no secret."""

    def __init__(self, problem: Sentence) -> None:
        super().__init__(problem)
        self.problem = problem
