"""`brokerui delayed`: the conversations that wait, by reason and service, with what holds and what mends them; and acts
on several of them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from brokerui.analysis.lint.finding_text import one_line
from brokerui.cli.arguments import add_format
from brokerui.cli.delayed_acts import add_acts, run_act
from brokerui.cli.product import the_product
from brokerui.cli.standard_output import need_output
from brokerui.core.languages import environment_language, here
from routing.common.sentence import Translate, say, say_counted

if TYPE_CHECKING:
    from brokerui.analysis.lint.remedy_offer import ConversationOffer

TRIED_S = 10.0
"""Seconds for trying remedies of hosted conversations, and as many for those of collected messages."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_format(parser)
    add_acts(parser)


def run(options: argparse.Namespace) -> int:
    """Return 0, whether something is delayed or not: a list of delayed messages is no error. Of an act, its result."""
    need_output()
    if "act" in options:
        return run_act(options)
    translate = here()
    with the_product():
        from django.utils.translation import override

        with override(environment_language()):
            found = [*_hosted(translate), *_collected(translate)]
    if options.format == "json":
        sys.stdout.write(f"{json.dumps(found, ensure_ascii=False, indent=1)}\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in _lines(found, translate))
    return 0


def _hosted(translate: Translate) -> Iterator[dict[str, Any]]:
    """Conversations of hosted instances."""
    from brokerui.analysis.monitoring.held import NOTHING_HELD, diagnoses, one_of_each
    from brokerui.analysis.monitoring.held_offers import held_offers
    from brokerui.analysis.monitoring.waiting import waiting_counted
    from brokerui.analysis.monitoring.wording import cause_words
    from brokerui.estate.selectors import estate_current
    from brokerui.messaging.transmission_status import statuses

    live, groups = estate_current(), waiting_counted().delayed
    ones = one_of_each(groups)
    texts = statuses(ones)
    held, offers = diagnoses(live, ones, texts), held_offers(live, ones, texts, TRIED_S)
    for group in groups:
        place = group.instance, group.handle
        yield {
            "instance": group.instance,
            "database": group.database,
            "to_service": group.service,
            "transmission_status": group.cause,
            "says": held.get(place, NOTHING_HELD).sentence or cause_words(group.cause),
            "looks": held.get(place, NOTHING_HELD).as_json(),
            "conversations": group.conversations,
            "messages": group.messages,
            "conversation_handle": group.handle,
            "collected_at": None,
            "remedies": [_remedy(offer, translate) for offer in offers.get(place, ())],
        }


def _collected(translate: Translate) -> Iterator[dict[str, Any]]:
    """Messages that waited on real servers when they were asked."""
    from django.utils import timezone

    from brokerui.analysis.monitoring.collected import collected_waiting, most_urgent
    from brokerui.analysis.monitoring.collected_offers import collected_offers
    from brokerui.estate.selectors import estate_current
    from routing.common.moment import format_moment

    estate, at = estate_current().estate, timezone.now()
    urgent = most_urgent((one, one.meaning(estate, at)) for one in collected_waiting(estate))
    for (one, words), offer in zip(urgent, collected_offers(estate, urgent, at, TRIED_S), strict=True):
        collected_at = one.queue.collected_at
        yield {
            "instance": one.instance,
            "database": one.database,
            "to_service": one.row.to_service,
            "transmission_status": one.row.status,
            "says": f"{words.cause.render(translate)} {words.next_step.render(translate)}",
            "looks": [],
            "conversations": None,
            "messages": one.row.messages,
            "conversation_handle": None,
            "collected_at": None if collected_at is None else format_moment(collected_at),
            "remedies": [] if offer is None else [_remedy(offer, translate)],
        }


def _remedy(offer: ConversationOffer, translate: Translate) -> dict[str, Any]:
    statement = "command" if offer.is_command else "sql"
    says = " ".join(sentence.render(translate) for sentence in offer.says)
    return {"instance": offer.instance, statement: offer.sql, "says": says}


def _lines(found: list[dict[str, Any]], translate: Translate) -> Iterator[str]:
    if not found:
        yield say("No conversation is delayed.").render(translate)
    for number, one in enumerate(found):
        if number:
            yield ""
        yield one_line(_title(one, translate))
        yield one_line(f"  {one['says']}")
        for remedy in one["remedies"][:1]:
            yield one_line(say("  Remedy, to be run on {instance}", instance=remedy["instance"]).render(translate))
            yield from (f"      {line}" for line in (remedy.get("sql") or remedy["command"]).splitlines())
            yield one_line(f"    {remedy['says']}")


def _title(one: dict[str, Any], translate: Translate) -> str:
    place = f"{one['instance']}/{one['database']}"
    service = one["to_service"] or say("a service that was not collected").render(translate)
    messages = say_counted(one["messages"], "{count} message", "{count} messages").render(translate)
    if one["conversations"] is None:
        return say(
            "{place} to {service}: {messages}, collected", place=place, service=service, messages=messages
        ).render(translate)
    conversations = say_counted(one["conversations"], "{count} conversation", "{count} conversations")
    return say(
        "{place} to {service}: {conversations}, {messages}",
        place=place,
        service=service,
        conversations=conversations,
        messages=messages,
    ).render(translate)
