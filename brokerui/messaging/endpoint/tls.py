"""TLS below the adjacent protocol: both sides show a certificate of an authority that both trust."""

from __future__ import annotations

import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from brokerui.core.languages import local
from routing.common.errors import Invalid
from routing.common.sentence import say

NOT_TLS: Final = frozenset(("WRONG_VERSION_NUMBER", "UNKNOWN_PROTOCOL", "HTTP_REQUEST"))
"""Reasons of OpenSSL for bytes that are no TLS."""

NOT_YET_VALID, EXPIRED = 9, 10
"""Numbers of OpenSSL for a certificate that is not valid at this moment."""


@dataclass(frozen=True, slots=True)
class Tls:
    """The TLS contexts of both directions."""

    accepting: ssl.SSLContext
    dialling: ssl.SSLContext
    permitted: Mapping[str, str] | None
    """CONNECT permission: by name of a certificate, the instance that it may be. None: each certificate of the
    authority, as an instance of the same name."""


def tls_of(certificate: str, key: str, authority: str, connect: Sequence[str]) -> Tls | None:
    """From the settings; None without a certificate. Raises `Invalid` for what cannot be used."""
    given = {"ENDPOINT_CERTIFICATE": certificate, "ENDPOINT_KEY": key, "ENDPOINT_AUTHORITY": authority}
    missing = [name for name, path in given.items() if not path]
    if len(missing) == len(given):
        return None
    if missing:
        raise Invalid(missing[0], say("must be given with the other two: certificate, key and authority"))
    for name, path in given.items():
        if not Path(path).is_file():
            raise Invalid(name, say("there is no file {path}", path=path))
    accepting = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    dialling = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for context in (accepting, dialling):
        _fill(context, certificate, key, authority)
    return Tls(accepting, dialling, _permitted(connect))


def tls_failure(error: ssl.SSLError) -> str:
    """Return why a TLS handshake failed; a peer that speaks without TLS is called that."""
    if error.reason in NOT_TLS:
        return local(say("the peer speaks without TLS: it has no certificate set, or is no endpoint"))
    if isinstance(error, ssl.SSLCertVerificationError):
        return _refused(error)
    return str(error)


def _refused(error: ssl.SSLCertVerificationError) -> str:
    """Why the certificate of the peer is not accepted; of one that is not valid now, that a clock may be wrong."""
    reason = error.verify_message or str(error)
    if error.verify_code in (NOT_YET_VALID, EXPIRED):
        return local(
            say(
                "the certificate of the peer is refused: {reason}; look at its dates, and compare the clocks of both"
                " machines",
                reason=reason,
            )
        )
    return local(say("the certificate of the peer is refused: {reason}", reason=reason))


def _fill(context: ssl.SSLContext, certificate: str, key: str, authority: str) -> None:
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_mode = ssl.CERT_REQUIRED
    try:
        context.load_cert_chain(certificate, key)
    except (ssl.SSLError, OSError) as error:
        raise Invalid("ENDPOINT_KEY", say("does not fit the certificate: {reason}", reason=str(error))) from error
    try:
        context.load_verify_locations(authority)
    except (ssl.SSLError, OSError) as error:
        problem = say("holds no certificate of an authority: {reason}", reason=str(error))
        raise Invalid("ENDPOINT_AUTHORITY", problem) from error


def _permitted(connect: Sequence[str]) -> Mapping[str, str] | None:
    """Return the instance of each certificate name, from `NAME` or `NAME=INSTANCE` each."""
    if not connect:
        return None
    pairs = (word.partition("=") for word in connect)
    return {name.strip().casefold(): (instance or name).strip() for name, _, instance in pairs}


def names_of(secured: ssl.SSLObject) -> tuple[str, ...]:
    """The names in the certificate of the peer: the common name first."""
    found = cast("dict[str, Any]", secured.getpeercert() or {})
    common = [value for part in found.get("subject", ()) for name, value in part if name == "commonName"]
    others = [value for kind, value in found.get("subjectAltName", ()) if kind == "DNS"]
    return tuple(dict.fromkeys([*common, *others]))
