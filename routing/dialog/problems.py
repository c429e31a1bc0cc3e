"""SQL Server's errors by number: raised by a verb, sent to a peer, or the reason of an event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from routing.common.sentence import Sentence, Translate, say
from routing.dialog.status_catalogue import CAUSES

PROBLEMS: Mapping[int, Sentence] = {
    # Why a message waits: transmission_status.
    **CAUSES,
    # Raised for a verb.
    127: say("TOP is {given}, and cannot be negative."),
    954: say("The database is a mirror: applications can work in its principal only."),
    8410: say("The conversation timer cannot be set beyond the conversation's lifetime."),
    8411: say("A dialog lifetime of {given} seconds is outside the range of {least} to {most}."),
    8412: say("The service name is not valid: {problem}."),
    8413: say('The broker instance "{given}" is no GUID.'),
    8414: say('The conversation group "{group}" belongs to another queue.'),
    8418: say("A conversation handle is missing."),
    8419: say("An error needs a code from 1 to {most} and a description of 1 to {longest} characters."),
    8423: say('The service "{service}" is not found.'),
    8425: say('The service contract "{contract}" is not found.'),
    8426: say('The conversation handle "{handle}" is not found.'),
    8427: say("The conversation cannot be ended: its endpoint is {state}."),
    8428: say('The message type "{message_type}" is not found.'),
    8429: say("Nothing can be sent on the conversation: its endpoint is {state}."),
    8431: say('The message type "{message_type}" is not part of the service contract.'),
    8432: say('The message type "{message_type}" is sent by the target only, and this service is the initiator.'),
    8433: say("The message body is NULL; an empty one (0x) is allowed."),
    8434: say('The message type "{message_type}" is sent by the initiator only, and this service is the target.'),
    8438: say("The conversation cannot be moved: its endpoint is {state}."),
    8439: say('The destination conversation group "{group}" is not one of the same queue.'),
    8451: say('The conversation handle "{handle}" is given twice in one SEND.'),
    8458: say("No conversation timer can be started: the endpoint is {state}."),
    8459: say("The message is too long: {given} bytes, and at most {most} are allowed."),
    8461: say("Two conversations would have the same handle."),
    9610: say('The conversation group "{group}" belongs to the service "{service}", the new dialog to another one.'),
    1416: say('The database "{database}" has no partner in the estate: it is not mirrored.'),
    9772: say('The broker cannot be enabled: "{other}" of the same instance is enabled and has the same identifier.'),
    9617: say('The queue "{queue}" is disabled.'),
    # Sent to a peer or to the local application as negative error codes.
    8408: say('The target service "{service}" does not support the contract "{contract}".'),
    8430: say("The message body failed the configured validation."),
    8437: say('The target service has sent "{message_type}", which the contract lets only the initiator send.'),
    8457: say('The initiator has sent "{message_type}", which the contract lets only the target send.'),
    8462: say("The remote endpoint is in a state where no more messages can be exchanged, or it has been dropped."),
    8489: say("The dialog has exceeded its lifetime."),
    8490: say('The remote service "{service}" does not exist.'),
    8495: say("The conversation has already been acknowledged by another instance of this service."),
    8498: say('The remote service has sent "{message_type}", which is not part of the contract.'),
    9719: say("The database of this conversation endpoint was attached or restored."),
    9720: say("The database of the remote conversation endpoint was attached or restored."),
    9615: say('A message of type "{message_type}" failed XML validation at the other service.'),
    9616: say('A message of type "{message_type}" was received and failed XML validation.'),
    # Why a message is undeliverable.
    9704: say("The message failed XML validation."),
    11209: say("The message belongs to no active conversation here."),
    11210: say('The service "{service}" does not exist on this instance.'),
    11212: say("The conversation endpoint has been closed already."),
    11213: say("The message is not the first of its conversation, and there is no endpoint for it."),
    11214: say('The contract "{contract}" is not known here, or the service does not accept it.'),
    11217: say("The message is out of sequence: number {came} arrived, and number {expected} is expected next."),
    11218: say("The message is a duplicate."),
    11219: say('The destination queue "{queue}" is disabled.'),
    11225: say('The message type "{message_type}" is not known here.'),
    11226: say('The message type "{message_type}" is not part of the contract.'),
    11227: say('The initiator has sent "{message_type}", which only the target may send.'),
    11228: say('The target has sent "{message_type}", which only the initiator may send.'),
    11277: say("The first message of a conversation can neither end it nor be an error."),
    28010: say("An acknowledgement came for a message that was not sent."),
    # Why a message is not forwarded.
    11285: say("The hop limit of the message is used up: it cannot be forwarded again."),
    11288: say("The message is a duplicate of one that is being forwarded."),
    11289: say("The memory for forwarded messages would exceed its limit."),
    11290: say("The message could not be forwarded in time: a route is wrong, or its target is away."),
    11291: say("The message arrived after its time to live was over."),
    11292: say("The message could not be forwarded: the transport failed to send it."),
    11293: say("The message could not be forwarded: the transport has been shut down."),
    11294: say("The message could not be forwarded: its route is not valid."),
    28017: say("The message could not be forwarded: the target service broker cannot be reached."),
}


def problem(number: int, **values: Any) -> Sentence:
    """Return the text of an error with its placeholders filled."""
    return Sentence(PROBLEMS[number].text, values)


class VerbError(Exception):
    """A verb was refused and nothing was changed. The application is at fault, not the peer."""

    def __init__(self, number: int, **values: Any) -> None:
        super().__init__(number, values)
        self.number = number
        """Error number in sys.messages."""
        self.problem = problem(number, **values)

    def render(self, translate: Translate = str) -> str:
        """Return `NUMBER: problem`, translated."""
        return f"{self.number}: {self.problem.render(translate)}"

    def __str__(self) -> str:
        return self.render()
