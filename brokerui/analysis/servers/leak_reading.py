"""Reads the conversations of a database for its page: the last collection, the one before, and the first."""

from __future__ import annotations

from collections.abc import Iterable

from brokerui.analysis.servers.leak import DatabaseLeak, EarlierSums
from brokerui.analysis.servers.selectors import StatesAtMoment, states_over_time, sums_in
from brokerui.analysis.servers.sums import DatabaseSums
from brokerui.estate.selectors import LiveEstate
from routing.lint.endpoint_leaks import by_service_and_state
from routing.model.endpoint_groups import EndpointGroup
from routing.model.estate import Database


def leak_of(live: LiveEstate, server: str, database: str) -> DatabaseLeak | None:
    """The conversations of one database; None where none were collected. Two queries."""
    history = states_over_time(server, database)
    instance = live.estate.instances.get(server)
    known = instance.databases.get(database) if instance is not None else None
    if not history:
        return _of_estate(server, known) if known is not None else None
    before, last = history[-2] if len(history) > 1 else None, history[-1]
    wanted = {one.collection for one in (history[0], before, last) if one is not None}
    sums = sums_in(database, wanted)
    now = sums[last.collection]
    return DatabaseLeak(
        server=server,
        database=database,
        at=last.at,
        groups=by_service_and_state(now.endpoints or ()),
        before=_earlier(before, sums),
        first=_earlier(history[0] if before is not None else None, sums),
        history=history,
        left_out=now.endpoints_left_out,
        queues=_queues(known),
    )


def _of_estate(server: str, database: Database) -> DatabaseLeak | None:
    """As an import of an earlier release left it: without role and age."""
    endpoints = database.conversation_endpoints
    if endpoints is None:
        return None
    groups = (
        EndpointGroup(endpoints=row.endpoints, state=row.state, service=row.service, far_service=row.far_service)
        for row in endpoints.rows
    )
    return DatabaseLeak(
        server=server,
        database=database.name,
        at=endpoints.collected_at,
        groups=by_service_and_state(groups),
        left_out=endpoints.left_out,
        queues=_queues(database),
    )


def _earlier(moment: StatesAtMoment | None, sums: dict[int, DatabaseSums]) -> EarlierSums | None:
    if moment is None:
        return None
    return EarlierSums(moment.at, _counts(sums[moment.collection].endpoints or ()))


def _counts(groups: Iterable[EndpointGroup]) -> dict[tuple[str | None, bool | None, str], int]:
    return {one.key: one.endpoints for one in by_service_and_state(groups)}


def _queues(database: Database | None) -> dict[str, str]:
    if database is None:
        return {}
    return {one.name: one.queue for one in database.user_services if one.queue}
