"""Why a connection ended: the reason of the protocol, or of its transport."""

from __future__ import annotations

import ssl

from brokerui.core.languages import here
from brokerui.messaging.endpoint.tls import tls_failure
from routing.adjacent.connection_events import ConnectionOver
from routing.adjacent.connection_settings import CLOSE_LATE, CLOSE_REASONS, NOT_PERMITTED
from routing.common.event_subclasses import ConnectionSubclass, LoginSubclass


def is_refused(over: ConnectionOver | None, error: Exception | None) -> bool:
    """Return whether the connection ended because of the identity of one of the two."""
    return isinstance(error, ssl.SSLError) or _number(over) == NOT_PERMITTED


def why(over: ConnectionOver | None, error: Exception | None) -> str:
    """For people; empty: it is not over."""
    if over is not None and over.error is not None:
        return over.error.render(here())
    if isinstance(error, ssl.SSLError):
        return tls_failure(error)
    if error is not None:
        return str(error) or type(error).__name__
    return (over.text or CLOSE_REASONS.get(over.reason, str(over.reason))) if over else ""


def failed_login(
    over: ConnectionOver, error: Exception | None, *, has_peer: bool, is_unsecured: bool
) -> LoginSubclass | None:
    """Return the failure of a connection that never was online; None if it was no failure.

    A peer that disconnects, or uses another connection, has not failed. `has_peer`: the peer had sent its name;
    `is_unsecured`: there should be TLS, and is none yet.
    """
    if _number(over) == NOT_PERMITTED:
        return LoginSubclass.AUTHORIZATION_FAILURE
    if over.error is not None:
        return LoginSubclass.LOGIN_PROTOCOL_ERROR if has_peer else LoginSubclass.MESSAGE_FORMAT_ERROR
    if isinstance(error, ssl.SSLError):
        is_certificate = "certificate" in str(error).lower()
        return LoginSubclass.AUTHENTICATION_FAILURE if is_certificate else LoginSubclass.NEGOTIATE_FAILURE
    if is_unsecured:
        return LoginSubclass.NEGOTIATE_FAILURE
    return LoginSubclass.LOGIN_PROTOCOL_ERROR if over.reason == CLOSE_LATE and not over.by_peer else None


def io_error(error: Exception) -> ConnectionSubclass:
    """The operation that failed."""
    return (
        ConnectionSubclass.SEND_IO_ERROR if isinstance(error, BrokenPipeError) else ConnectionSubclass.RECEIVE_IO_ERROR
    )


def _number(over: ConnectionOver | None) -> int | None:
    return over.error.number if over is not None and over.error is not None else None
