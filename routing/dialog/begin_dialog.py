"""BEGIN DIALOG: create the initiator's endpoint. Nothing is sent, and the target need not exist."""

from __future__ import annotations

from routing.common.errors import Invalid
from routing.common.event_subclasses import ConversationSubclass
from routing.common.identifier import parse_identifier
from routing.common.names import SERVICE_NAME_CHARS, check_name
from routing.dialog.endpoint import MAX_LIFETIME_S, Endpoint, QueueKey
from routing.dialog.problems import VerbError
from routing.dialog.states import BEGIN_DIALOG, NONE
from routing.dialog.system_names import DEFAULT
from routing.dialog.unit_of_work import UnitOfWork


def begin_dialog(
    work: UnitOfWork,
    database: str,
    from_service: str,
    to_service: str,
    *,
    to_broker_instance: str | None = None,
    contract: str = DEFAULT,
    related_conversation: str | None = None,
    related_conversation_group: str | None = None,
    lifetime_s: int = MAX_LIFETIME_S,
    encryption: bool = True,
) -> str:
    """Begin a dialog and return its conversation handle.

    A related conversation or group must be claimed; a group that does not exist is created."""
    here = work.context.directory(database)
    here.check_beginning(from_service, contract)
    to_broker_instance = _checked_target(to_service, to_broker_instance)
    if not 1 <= lifetime_s <= MAX_LIFETIME_S:
        raise VerbError(8411, given=lifetime_s, least=1, most=MAX_LIFETIME_S)
    queue = here.queue(from_service)
    group = _group_for(work, (database, queue), from_service, related_conversation, related_conversation_group)
    endpoint = Endpoint(
        conversation_handle=work.choices.identifier(),
        conversation_id=work.choices.identifier(),
        is_initiator=True,
        database=database,
        service_name=from_service,
        queue=queue,
        far_service=to_service,
        far_broker_instance=to_broker_instance,
        service_contract_name=contract,
        conversation_group_id=group,
        lifetime=work.now_ms + lifetime_s * 1000,
        state=NONE,
        priority=here.priority(contract, from_service, to_service),
        encryption=encryption,
    )
    if work.get(endpoint.conversation_handle) is not None:
        raise VerbError(8461)
    work.apply_input(endpoint, BEGIN_DIALOG)
    work.add(endpoint)
    work.report(ConversationSubclass.BEGIN_DIALOG, endpoint)
    return endpoint.conversation_handle


def _checked_target(service: str, broker_instance: str | None) -> str | None:
    """Check the syntax of service name and broker identifier; return the normalized identifier."""
    try:
        check_name(service, "service", SERVICE_NAME_CHARS)
    except Invalid as invalid:
        raise VerbError(8412, problem=str(invalid.problem)) from None
    try:
        return parse_identifier(broker_instance) if broker_instance is not None else None
    except Invalid:
        raise VerbError(8413, given=broker_instance) from None


def _group_for(work: UnitOfWork, queue: QueueKey, service: str, conversation: str | None, group: str | None) -> str:
    if conversation is not None:
        group = work.require(conversation).conversation_group_id
    if group is None:
        return work.choices.identifier()
    known = work.group(group)
    if known is not None and known.queue_key != queue:
        raise VerbError(8414, group=group)
    if known is not None and known.service_name != service:
        raise VerbError(9610, group=group, service=known.service_name)
    return group
