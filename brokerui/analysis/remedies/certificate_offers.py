"""Remedies for endpoints of hosted instances that do not let each other in: commands, since their certificates are
files. They cannot be tried: no estate has certificates or clocks.

Pure: imports only `routing` and wording.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection
from enum import StrEnum
from typing import Final

from brokerui.analysis.explanations.holding import routing_does
from brokerui.analysis.lint.remedy_offer import ConversationOffer
from routing.common.sentence import Sentence, say
from routing.rules.explanation import Explanation

REFUSED: Final = frozenset((9751, 9752, 9758))
"""Statuses of a login that one of the two endpoints refused."""
MOST_NAMES: Final = 20
"""Names in the request for a certificate; of more instances, the one that waits is named alone."""
_DATES: Final = 'date -u; openssl x509 -in "$ENDPOINT_CERTIFICATE" -noout -subject -startdate -enddate'
_AUTHORITY: Final = 'cat PEER_AUTHORITY >> "$ENDPOINT_AUTHORITY"'


class LoginRefusal(StrEnum):
    """Why a login was refused, as far as its text says."""

    DATES = "dates"
    """The certificate is not valid now, or a clock is wrong."""
    AUTHORITY = "authority"
    """Nobody that this endpoint trusts has signed the certificate of the peer."""
    NAME = "name"
    """The certificate of this endpoint does not name the instance."""


_MARKS: Final = {
    LoginRefusal.DATES: ("not yet valid", "has expired"),
    LoginRefusal.AUTHORITY: ("issuer certificate", "self-signed", "self signed", "unable to verify"),
    LoginRefusal.NAME: ("may not connect as", "has no permission to connect", "mismatch"),
}
"""Parts of the texts of OpenSSL and of `messaging.endpoint.permission`."""


def refusal_of(number: int, text: str) -> LoginRefusal | None:
    """Return why the status of this number and text has no connection; None where it does not say."""
    if number not in REFUSED:
        return None
    lower = text.casefold()
    return next((kind for kind, marks in _MARKS.items() if any(mark in lower for mark in marks)), None)


def certificate_offer(
    explanation: Explanation, refusal: LoginRefusal | None, hosted: Collection[str]
) -> ConversationOffer | None:
    """The command for a refused certificate or a wrong clock; None where neither is the cause. `hosted` are the
    instances whose endpoint shows the same certificate."""
    if refusal is None:
        return None
    instance, goes = explanation.forward.conversation.instance, routing_does(explanation)
    if refusal is LoginRefusal.DATES:
        return _command(instance, _DATES, _of_dates(goes))
    if refusal is LoginRefusal.AUTHORITY:
        return _command(instance, _AUTHORITY, _of_authority(goes))
    names = sorted(hosted) if instance in hosted and len(hosted) <= MOST_NAMES else [instance]
    return _command(instance, _request(names), _of_name(goes))


def _command(instance: str, command: str, says: Sentence) -> ConversationOffer:
    return ConversationOffer(instance, command, (says,), is_command=True, is_tried=False)


def _request(names: list[str]) -> str:
    alternatives = shlex.quote("subjectAltName=" + ",".join(f"DNS:{name}" for name in names))
    subject = shlex.quote(f"/CN={names[0]}")
    return f'openssl req -new -key "$ENDPOINT_KEY" -subj {subject} -addext {alternatives} -out endpoint.csr'


def _of_dates(goes: Sentence) -> Sentence:
    return say(
        "It changes nothing. Run it on the machines of both endpoints: their clocks must show the same moment, and it"
        " must lie between both dates of each certificate. Correct a wrong clock; where the dates are over, have a new"
        " certificate signed and restart its endpoint. Once that is mended, {goes}.",
        goes=goes,
    )


def _of_authority(goes: Sentence) -> Sentence:
    return say(
        "PEER_AUTHORITY has the public certificate, as PEM, of the authority that signed the peer's. Restart the"
        " endpoint after it. It was not tried: no estate has certificates. Once both let each other in, {goes}.",
        goes=goes,
    )


def _of_name(goes: Sentence) -> Sentence:
    return say(
        "It makes a request for a certificate that names the instances of this endpoint; add the host of its address."
        " The authority that the peer trusts signs it; then it takes the place of ENDPOINT_CERTIFICATE. Restart the"
        " endpoint after it. It was not tried: no estate has certificates. Once both let each other in, {goes}.",
        goes=goes,
    )
