"""Which services of a database may have begun a conversation to a target, where the conversation does not say it."""

from __future__ import annotations

from routing.common.names import EVENT_NOTIFICATION_SERVICE, NOTIFICATION_CONTRACTS
from routing.model.estate import Database


def possible_initiators(origin: Database, target: Database, service: str) -> tuple[str, ...]:
    """The services of `origin` that may begin conversations to this service of `target`.

    Those of users, if the service may accept other contracts than those of notifications; and the system services that
    begin notifications, if it accepts them. SQL Server begins event and query notifications itself. A service whose
    contracts are unknown may accept anything; then event notifications count only if the database has no other service.
    """
    accepted = _contracts(target, service)
    notified = {NOTIFICATION_CONTRACTS[name] for name in accepted if name in NOTIFICATION_CONTRACTS}
    users: tuple[str, ...] = ()
    if not accepted or any(name not in NOTIFICATION_CONTRACTS for name in accepted):
        users = tuple(one.name for one in origin.user_services)
    if not accepted and not users:
        notified = {EVENT_NOTIFICATION_SERVICE}
    return users + tuple(one.name for one in origin.services if one.name in notified)


def may_be_notified(target: Database, service: str) -> bool:
    """True if the service may accept event notifications."""
    accepted = _contracts(target, service)
    return not accepted or any(NOTIFICATION_CONTRACTS.get(name) == EVENT_NOTIFICATION_SERVICE for name in accepted)


def _contracts(target: Database, service: str) -> tuple[str, ...]:
    """The contracts that the service is known to accept; none if nothing is known."""
    return next((one.contracts for one in target.services if one.name == service), ())
