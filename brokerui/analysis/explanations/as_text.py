"""An explanation as lines for a terminal: first the answer, then the ways it may end, then the reason."""

from __future__ import annotations

from brokerui.analysis.explanations.hop_wording import hop_decides, hop_title
from brokerui.analysis.explanations.wording import OutcomeWords, Wording, word
from brokerui.analysis.lint.finding_text import one_line
from brokerui.analysis.lint.remedy_offer import ConversationOffer
from routing.common.sentence import Sentence, Translate, say
from routing.model.estate import Estate
from routing.rules.explanation import Explanation
from routing.rules.journey_account import Journey
from routing.rules.trace import RuleStep


def explanation_as_text(
    explanation: Explanation, estate: Estate, translate: Translate, offers: tuple[ConversationOffer, ...] = ()
) -> str:
    """Some dozens of lines; `*` marks the rules that decided. `offers` are remedies that were tried."""
    words = word(explanation, estate)
    lines = _answer(words, translate)
    lines += [line for offer in offers for line in _offer(offer, translate)]
    if len(words.outcomes) > 1:
        lines += ["", say("Every outcome").render(translate)]
        for outcome in words.outcomes:
            lines += _outcome(outcome, translate)
    lines += ["", say("Why").render(translate), *_hops(explanation.forward, translate)]
    for back, words_of_back in zip(explanation.returns, words.returns, strict=True):
        lines += ["", words_of_back.title.render(translate), *_indented(words_of_back.details, translate)]
        lines += _hops(back.journey, translate)
    return "".join(f"{one_line(line)}\n" for line in lines)


def _answer(words: Wording, translate: Translate) -> list[str]:
    head = words.headline
    chips = ", ".join(chip.label.render(translate) for chip in head.chips)
    return [f"{chips}: {head.title.render(translate)}", *_indented(head.details, translate)]


def _offer(offer: ConversationOffer, translate: Translate) -> list[str]:
    title = say("Remedy, to be run on {instance}", instance=offer.instance).render(translate)
    return ["", title, *(f"    {line}" for line in offer.sql.splitlines()), *_indented(offer.says, translate)]


def _outcome(outcome: OutcomeWords, translate: Translate) -> list[str]:
    title = f"  {outcome.chip.label.render(translate)}: {outcome.title.render(translate)}"
    way = " > ".join(f"{leg.instance} ({leg.send.route})" for leg in outcome.end.legs)
    lines = [title, *_indented(outcome.details, translate, 4)]
    return [*lines, f"    {way} > {outcome.end.instance}"] if way else lines


def _hops(journey: Journey, translate: Translate) -> list[str]:
    lines: list[str] = []
    for hop in journey.hops:
        lines.append("  " + hop_title(hop).render(translate))
        lines += [line for step in hop.steps for line in _step(step, translate)]
        lines += _indented(hop_decides(hop), translate, 4)
    return lines


def _step(step: RuleStep, translate: Translate) -> list[str]:
    mark = "*" if step.taken else "-"
    branch = f" [{step.branch}]" if step.branch else ""
    lines = [f"    {mark} {step.rule:<10} {step.says.render(translate)}{branch}"]
    lines += [f"        {rejected.route}: {rejected.clause.render(translate)}" for rejected in step.rejected]
    if step.more_rejected:
        more = say("{count} more routes are for other services", count=step.more_rejected)
        lines.append(f"        {more.render(translate)}")
    return lines


def _indented(sentences: tuple[Sentence, ...], translate: Translate, by: int = 2) -> list[str]:
    return [" " * by + sentence.render(translate) for sentence in sentences]
