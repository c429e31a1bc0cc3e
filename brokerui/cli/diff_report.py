"""A comparison of two estates as lines for a terminal, written piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from brokerui.analysis.effect.diff_report import SHOWN_ENTRIES, DiffReport
from brokerui.analysis.explanations.local_address import is_local, local_sentence
from brokerui.analysis.explanations.outcome_wording import if_it_is
from brokerui.analysis.lint.finding_text import one_line
from routing.classes.traffic_class import Node
from routing.common.sentence import Sentence, Translate, say, say_counted
from routing.diff.result import DiffGroup, Outcomes
from routing.rules.journey import in_order

SHOWN_GROUPS, SHOWN_APART = 50, 5
"""Groups in the text for a terminal: of intended classes, and of those that stand apart."""


def report_as_text(report: DiffReport, translate: Translate = str) -> Iterator[str]:
    """First the answer, then the groups of intended classes, worst first; at the end what stands apart from it."""
    yield _answer(report).render(translate) + "\n"
    yield from _groups(report, translate, SHOWN_GROUPS, intended=True)
    apart = report.changed - sum(report.intended.values())
    if apart:
        yield "\n" + "".join(f"{line.render(translate)}\n" for line in _apart(report, apart))
        yield from _groups(report, translate, SHOWN_APART, intended=False)


def _groups(report: DiffReport, translate: Translate, shown: int, *, intended: bool) -> Iterator[str]:
    """The groups with classes that are intended, or with others."""
    sizes = ((group, report.intended_of(group)) for group in report.comparison.groups)
    groups = [(group, n if intended else len(group.members) - n) for group, n in sizes]
    groups = [(group, number) for group, number in groups if number]
    for group, number in groups[:shown]:
        nodes = (node for node in group.members if report.is_intended(node, group) is intended)
        lines = _group_lines(report, group, nodes, number)
        yield "".join("\n" + one_line(line.render(translate)) for line in lines) + "\n"
    left = len(groups) - shown
    if left > 0:
        more = say_counted(
            left,
            "… and {count} more group; --format json has them all.",
            "… and {count} more groups; --format json has them all.",
        )
        yield f"\n{more.render(translate)}\n"


def _answer(report: DiffReport) -> Sentence:
    classes = f"{report.comparison.classes:,}"
    if not report.changed:
        return say("Nothing changes: each of {classes} classes of traffic keeps its outcome.", classes=classes)
    counts = {verdict: f"{count:,}" for verdict, count in report.intended.items()}
    return say_counted(
        sum(report.intended.values()),
        "{count} of {classes} classes of traffic changes: {worse} worse, {moved} moved, {better} better.",
        "{count} of {classes} classes of traffic change: {worse} worse, {moved} moved, {better} better.",
        classes=classes,
        **counts,
    )


def _apart(report: DiffReport, apart: int) -> Iterator[Sentence]:
    """Yield changes that are no part of the verdict, with the reason."""
    counts = {verdict: f"{report.summary[verdict] - count:,}" for verdict, count in report.intended.items()}
    yield say_counted(
        apart,
        "Not counted above: {count} class that nobody is likely to send ({worse} worse, {moved} moved, {better}"
        " better): never delivered, and no route is for this service and identifier.",
        "Not counted above: {count} classes that nobody is likely to send ({worse} worse, {moved} moved, {better}"
        " better): never delivered, and no route is for this service and identifier.",
        **counts,
    )
    yield say("* stands for any service name, or any identifier, that occurs in neither estate.")


def _group_lines(report: DiffReport, group: DiffGroup, nodes: Iterator[Node], number: int) -> Iterator[Sentence]:
    yield _group_title(report, group)
    yield say("  before  {ends}", ends=_ends_as_text(group.before))
    yield say("  after   {ends}", ends=_ends_as_text(group.after))
    members = list(islice(nodes, SHOWN_ENTRIES))
    yield from _beside(report, group, members[0])
    first = tuple(map(_entry_as_text, members))
    more = number - len(first)
    if more > 0:
        yield say("  from    {entries} and {count} more", entries=first, count=f"{more:,}")
    else:
        yield say("  from    {entries}", entries=first)


def _beside(report: DiffReport, group: DiffGroup, node: Node) -> Iterator[Sentence]:
    """Yield the conditions of the outcome afterwards, and the listener at an address of the sender's own machine."""
    supposed = report.supposed(node, group)
    if supposed is not None:
        yield say("  unless  {supposed}", supposed=next(if_it_is(supposed)))
    for end in filter(is_local, in_order(group.after)):
        yield say("  there   {listener}", listener=local_sentence(end, report.after))


def _group_title(report: DiffReport, group: DiffGroup) -> Sentence:
    facts = {"verdict": group.verdict, "kind": group.kind, "service": group.traffic.shown_service}
    identifier = group.traffic.to_broker_instance
    to = say("{verdict} ({kind}): to {service}", **facts)
    if identifier is not None:
        to = say("{to}, identifier {identifier}", to=to, identifier=identifier)
    if group.traffic.is_reply:
        to = say("{to} (replies)", to=to)
    messages = report.messages(group)
    return to if messages is None else say_counted(messages, "{to}, {count} message", "{to}, {count} messages", to=to)


def _entry_as_text(node: Node) -> Sentence | str:
    return say("outside {instance}", instance=node[0]) if node[1] is None else f"{node[0]}/{node[1]}"


def _ends_as_text(outcomes: Outcomes) -> Sentence:
    if not outcomes:
        return say("no such entry point")
    ends = [say("{kind} {instance} {detail}", kind=kind, instance=i, detail=d) for kind, i, d in in_order(outcomes)]
    sentence = ends[0]
    for end in ends[1:]:
        sentence = say("{one}; {other}", one=sentence, other=end)
    return sentence
