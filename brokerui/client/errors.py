"""Errors with which a request can end."""

from __future__ import annotations


class BrokerError(Exception):
    """Base class of all errors of this package."""


class Unreachable(BrokerError):
    """The server did not answer in time, nor when it was asked again. Nobody knows whether the request was done."""


class Refused(BrokerError):
    """The server has refused, and nothing was done."""

    def __init__(self, status: int, code: str, detail: str, number: int | None = None) -> None:
        super().__init__(detail)
        self.status = status
        """Of HTTP."""
        self.code = code
        """A word for programs to compare."""
        self.number = number
        """The product's number, where the verb itself was refused."""


class LeaseOver(Refused):
    """The messages of a batch were not committed in time: they are in the queue again, or another has them."""
