"""BEGIN DIALOG: an endpoint for the initiator. Nothing is sent, and nothing of the target has to exist."""

from __future__ import annotations

from routing.common.broker_events import OfConversation
from routing.common.errors import Invalid
from routing.common.identifier import parse_identifier
from routing.common.names import SERVICE_NAME, check_name
from routing.dialog.endpoint import LONGEST_LIFETIME_S, Endpoint, QueueKey
from routing.dialog.problems import Refused
from routing.dialog.states import BEGIN_DIALOG, NONE
from routing.dialog.system import DEFAULT
from routing.dialog.work import Work


def begin_dialog(
    work: Work,
    database: str,
    from_service: str,
    to_service: str,
    *,
    to_broker_instance: str | None = None,
    contract: str = DEFAULT,
    related_conversation: str | None = None,
    related_conversation_group: str | None = None,
    lifetime_s: int = LONGEST_LIFETIME_S,
    encryption: bool = True,
) -> str:
    """The handle of the new conversation. A related conversation or group must have been claimed; a group that is
    nowhere yet is made."""
    here = work.around.directory(database)
    here.check_beginning(from_service, contract)
    to_broker_instance = _checked_target(to_service, to_broker_instance)
    if not 1 <= lifetime_s <= LONGEST_LIFETIME_S:
        raise Refused(8411, given=lifetime_s, least=1, most=LONGEST_LIFETIME_S)
    queue = here.queue(from_service)
    group = _group(work, (database, queue), from_service, related_conversation, related_conversation_group)
    endpoint = Endpoint(
        work.choices.identifier(),
        work.choices.identifier(),
        True,
        database,
        from_service,
        queue,
        to_service,
        to_broker_instance,
        contract,
        group,
        work.now + lifetime_s * 1000,
        NONE,
        here.priority(contract, from_service, to_service),
        encryption,
    )
    if work.seen(endpoint.conversation_handle) is not None:
        raise Refused(8461)
    work.step(endpoint, BEGIN_DIALOG)
    work.add(endpoint)
    work.tell(OfConversation.BEGIN_DIALOG, endpoint)
    return endpoint.conversation_handle


def _checked_target(service: str, broker_instance: str | None) -> str | None:
    """The identifier as it is compared. Nothing of the target has to exist, but its names have to be names."""
    try:
        check_name(service, "service", SERVICE_NAME)
    except Invalid as invalid:
        raise Refused(8412, problem=str(invalid.problem)) from None
    try:
        return parse_identifier(broker_instance) if broker_instance is not None else None
    except Invalid:
        raise Refused(8413, given=broker_instance) from None


def _group(work: Work, queue: QueueKey, service: str, conversation: str | None, group: str | None) -> str:
    if conversation is not None:
        group = work.named(conversation).conversation_group_id
    if group is None:
        return work.choices.identifier()
    known = work.group(group)
    if known is not None and known.queue_key != queue:
        raise Refused(8414, group=group)
    if known is not None and known.service_name != service:
        raise Refused(9610, group=group, service=known.service_name)
    return group
