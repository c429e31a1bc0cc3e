"""The sentence for each rule, shown beside its id in an explanation."""

from __future__ import annotations

from routing.common.sentence import Sentence, say

RULES: dict[str, Sentence] = {
    "RT-TABLE": say(
        "A conversation is routed by the sys.routes of the database that began it; a message from outside by that of "
        "msdb. Expired routes are ignored."
    ),
    "RT-STEPS": say(
        "First the routes that match are found, then one of them is chosen, then the service is located; where that "
        "fails for a LOCAL route, another route is chosen."
    ),
    "RT-REPLY": say(
        "A reply from outside is delivered where its identifier is, if this instance contains it; otherwise it is "
        "routed as any message."
    ),
    "MATCH-1": say("Routes with exactly this service name and the identifier that the conversation gives."),
    "MATCH-2": say("Routes with exactly this service name and no identifier."),
    "MATCH-3": say(
        "The conversation gives no identifier: routes with exactly this service name and any one identifier."
    ),
    "MATCH-4": say("A dynamic routing service, if there is a route to one, is asked for the route that is missing."),
    "MATCH-5": say("Routes with neither service name nor identifier."),
    "MATCH-6": say("An identifier is given and a database of this instance has the service: as if a route said LOCAL."),
    "MATCH-7": say("No route: DELAYED and matched again later; a message from outside is dropped."),
    "CHOOSE-0": say("Routes with the same identifier, service name and address count as one."),
    "CHOOSE-1": say("Of the routes that match, one with a mirror address comes first."),
    "CHOOSE-2": say("Then one with the address LOCAL, if the service is in this instance."),
    "CHOOSE-3": say("Then one with a network address."),
    "CHOOSE-4": say("Then one with the address TRANSPORT: the address is in the service name itself."),
    "CHOOSE-FWD": say("Messages from other instances leave this one only if message forwarding is on."),
    "LOC-1": say("With an identifier: the database that it names."),
    "LOC-2": say(
        "Without one: the database that contains the conversation, else any database of the instance that has the "
        "service."
    ),
    "LOOP-1": say("A message is forwarded only up to the hop limit; after that it is dropped."),
    "LOOP-2": say("An address that is this very instance: the message counts as from outside."),
    "MIR-4": say("Neither partner is known to be the principal: nothing is sent until one is."),
}
