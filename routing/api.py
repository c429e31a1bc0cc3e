"""The public surface of the engine; docs/reference/engine.md describes it.

Everything else in `routing` may move or change without notice.
"""

from __future__ import annotations

from routing.catalog.applying import apply_snapshot
from routing.catalog.reading import read_saved
from routing.catalog.script import collect_script
from routing.common.errors import InputError, Invalid
from routing.common.finding import Finding
from routing.common.sentence import Sentence
from routing.diff.result import Differential
from routing.diff.run import compare
from routing.documents.conversation_json import conversation_as_json, conversation_from
from routing.documents.edits_json import edit_as_json, edit_from
from routing.documents.estate_document import read_estate, read_version, write_estate
from routing.lint.registry import CHECKS, lint
from routing.model.address import Address, parse_address
from routing.model.catalog_objects import Queue, Service
from routing.model.conversation import Conversation
from routing.model.edits import (
    DropDatabase,
    DropInstance,
    DropRoute,
    DropService,
    PutDatabase,
    PutInstance,
    PutRoute,
    PutService,
    SetBroker,
    SetForwarding,
    SetHopLimit,
    SetMirroringRole,
    SetQueue,
)
from routing.model.estate import Database, Edit, Estate, Instance
from routing.model.route import Route
from routing.remedies.conversation import ConversationRemedy, conversation_remedies
from routing.remedies.trial import RemedyTrial, TrialVerdict, try_remedy
from routing.rules.decision import DELAYED, DELIVERED, DROPPED, EXITS, Outcome
from routing.rules.explanation import Explanation, explain
from routing.rules.journey import Journeys, outcomes
from routing.rules.verdict import verdict
from routing.rules.why_not import why_not
from routing.runtime.broker import Broker
from routing.runtime.store import Conflict, Store
from routing.testing.judging import Judgement, judge
from routing.testing.routing_test import RoutingTest, routing_tests_from
from routing.tsql import ScriptGroup, decode_script, export_sql, read_scripts

__all__ = [
    "CHECKS",
    "DELAYED",
    "DELIVERED",
    "DROPPED",
    "EXITS",
    "Address",
    "Broker",
    "Conflict",
    "Conversation",
    "ConversationRemedy",
    "Database",
    "Differential",
    "DropDatabase",
    "DropInstance",
    "DropRoute",
    "DropService",
    "Edit",
    "Estate",
    "Explanation",
    "Finding",
    "InputError",
    "Instance",
    "Invalid",
    "Journeys",
    "Judgement",
    "Outcome",
    "PutDatabase",
    "PutInstance",
    "PutRoute",
    "PutService",
    "Queue",
    "RemedyTrial",
    "Route",
    "RoutingTest",
    "ScriptGroup",
    "Sentence",
    "Service",
    "SetBroker",
    "SetForwarding",
    "SetHopLimit",
    "SetMirroringRole",
    "SetQueue",
    "Store",
    "TrialVerdict",
    "apply_snapshot",
    "collect_script",
    "compare",
    "conversation_as_json",
    "conversation_from",
    "conversation_remedies",
    "decode_script",
    "edit_as_json",
    "edit_from",
    "explain",
    "export_sql",
    "judge",
    "lint",
    "outcomes",
    "parse_address",
    "read_estate",
    "read_saved",
    "read_scripts",
    "read_version",
    "routing_tests_from",
    "try_remedy",
    "verdict",
    "why_not",
    "write_estate",
]
