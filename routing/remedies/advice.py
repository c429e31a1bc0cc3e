"""The single step that an explanation advises in words, tried: where a conversation ends with it, and it alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from routing.model.catalog_objects import Service
from routing.model.conversation import Conversation
from routing.model.estate import Database, Estate, Instance
from routing.rules.decision import Outcome
from routing.rules.journey import outcomes


def outcomes_with_forwarding(
    estate: Estate, conversation: Conversation, at: datetime, instance: str
) -> tuple[Outcome, ...]:
    """Where the conversation ends once this instance forwards."""
    here = estate.instances[instance]
    return outcomes(estate.with_instance(replace(here, forwarding=True)), conversation, at)


def outcomes_with_target(
    estate: Estate, conversation: Conversation, at: datetime, instance: Instance, database: Database
) -> tuple[Outcome, ...]:
    """Where the conversation ends once this database has the service and an enabled broker."""
    services = database.services
    if not database.has_service(conversation.to_service):
        services = (*services, Service(conversation.to_service))
    able = replace(database, broker_enabled=True, services=services)
    return outcomes(estate.with_instance(instance.with_database(able)), conversation, at)
