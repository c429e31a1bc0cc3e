"""Several conversations ended at once: a plan of each first, then the result of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from django.utils.translation import gettext

from brokerui.analysis.acts import services
from brokerui.core.instance_limit import check_instances
from brokerui.messaging.errors import MessagingError
from brokerui.messaging.models import ConversationEndpoint
from routing.dialog.error_message import MAX_DESCRIPTION_CHARACTERS, MAX_ERROR_CODE
from routing.dialog.problems import VerbError
from routing.dialog.states import CO, DO, END, END_WITH_CLEANUP, END_WITH_ERROR, DialogInput, DialogState, next_state

GONE: Final = 8426


@dataclass(frozen=True, slots=True)
class EndHow:
    """How conversations are ended: without an error, with one, or with cleanup."""

    code: int | None = None
    """Of the error; None: without an error."""
    description: str = ""
    cleanup: bool = False

    @property
    def problem(self) -> VerbError | None:
        """The refusal of an error that no conversation can be ended with."""
        if self.code is None:
            return None
        is_right = 0 < self.code <= MAX_ERROR_CODE and 0 < len(self.description) <= MAX_DESCRIPTION_CHARACTERS
        return None if is_right else VerbError(8419, most=MAX_ERROR_CODE, longest=MAX_DESCRIPTION_CHARACTERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndPlan:
    """One conversation, and the consequences of its end."""

    handle: str
    instance: str = ""
    database: str = ""
    service: str = ""
    """The service that its messages are for."""
    messages: int = 0
    """Its messages that wait."""
    deleted: int = 0
    """Those of them that its end deletes."""
    is_notified: bool = False
    """Whether the other side receives the end."""
    refusal: str = ""
    """Why it cannot end so; empty: it can."""
    number: int = 0
    """The product's number of the refusal."""


def end_plans(handles: Sequence[str], how: EndHow) -> list[EndPlan]:
    """The plan of each conversation, as it is now; it changes nothing. One query, however many there are."""
    rows = ConversationEndpoint.objects.select_related("instance").filter(conversation_handle__in=handles)
    by_handle = {row.conversation_handle: row for row in rows}
    return [_plan(handle, by_handle.get(handle), how) for handle in dict.fromkeys(handles)]


def end_each(plans: Sequence[EndPlan], how: EndHow, author: str) -> list[EndPlan]:
    """End each conversation, in a transaction of its own, and return the plans with the refusals that came true.

    Raises `InstanceForbiddenError` before the first where one is of an instance for which the user has no role.
    """
    check_instances(plan.instance for plan in plans if plan.instance)
    return [_ended(plan, how, author) if plan.instance else plan for plan in plans]


def _plan(handle: str, row: ConversationEndpoint | None, how: EndHow) -> EndPlan:
    if row is None:
        return _refused(EndPlan(handle=handle), VerbError(GONE, handle=handle))
    plan = EndPlan(
        handle=handle,
        instance=row.instance.name,
        database=row.database,
        service=row.far_service,
        messages=row.outgoing,
    )
    state = next_state(row.is_initiator, cast(DialogState, row.state), _input(row, how))
    if isinstance(state, int):
        return _refused(plan, VerbError(state, state=row.state))
    if how.problem is not None:
        return _refused(plan, how.problem)
    is_notified = state == DO
    return replace(plan, deleted=_deleted(row, how, is_notified), is_notified=is_notified)


def _input(row: ConversationEndpoint, how: EndHow) -> DialogInput:
    """The input of the end: an initiator that has sent nothing has nobody to notify of an error."""
    if how.cleanup:
        return END_WITH_CLEANUP
    if how.code is None:
        return END
    is_unknown = row.is_initiator and row.state == CO and not row.transmitted
    return END_WITH_CLEANUP if is_unknown else END_WITH_ERROR


def _deleted(row: ConversationEndpoint, how: EndHow, is_notified: bool) -> int:
    """Messages that are deleted: an end waits behind all of them, an error only behind those that were sent."""
    if not is_notified:
        return row.outgoing
    return 0 if how.code is None else min(row.outgoing, row.send_sequence - row.transmitted)


def _ended(plan: EndPlan, how: EndHow, author: str) -> EndPlan:
    error = None if how.code is None else (how.code, how.description)
    try:
        services.end(instance=plan.instance, handle=plan.handle, author=author, error=error, cleanup=how.cleanup)
    except (VerbError, MessagingError) as problem:
        return _refused(plan, problem)
    return replace(plan, refusal="", number=0)


def _refused(plan: EndPlan, problem: VerbError | MessagingError) -> EndPlan:
    words = problem.render(gettext) if isinstance(problem, VerbError) else problem.problem.render(gettext)
    return replace(plan, refusal=str(words), number=problem.number or 0, deleted=0, is_notified=False)
