"""`brokerui lint`: the findings of an estate, each with its reason and its remedy."""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Iterator
from datetime import datetime

from brokerui.analysis.lint.finding_text import counted, findings_as_text, one_line
from brokerui.analysis.lint.remedy_offer import Offers
from brokerui.analysis.remedies.trials import RemedyTrials
from brokerui.cli.arguments import (
    add_at,
    add_estate,
    add_format,
    add_max_size,
    now_unless,
    one_from_standard_input,
)
from brokerui.cli.inputs import load_bytes, load_estate
from brokerui.core.languages import here, local
from routing.common.errors import InputError
from routing.common.finding import ERROR, Finding
from routing.common.sentence import Sentence, Translate, say
from routing.lint.missing import missing_instances, still_missing
from routing.lint.registry import CHECKS, lint
from routing.lint.suppression import FindingSuppression, Suppressed, read_suppressions, suppress
from routing.model.estate import Estate

TRIED_S = 5.0
"""Seconds for trying remedies; on an estate of some thousand routes that is enough for all of them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_estate(parser)
    help_text = local(say("suppressed findings, each with its owner, - for standard input"))
    parser.add_argument("--suppress", metavar="FILE", help=help_text)
    add_at(parser)
    add_format(parser)
    add_max_size(parser)


def run(options: argparse.Namespace) -> int:
    """0 when no finding is an error, 1 when some is."""
    gc.disable()  # this process makes no cycles worth collecting, and ends soon
    one_from_standard_input(options.estate, options.suppress)
    suppressions = _load(options.suppress, options.max_size) if options.suppress else ()
    estate = load_estate(options.estate, options.max_size)
    at = now_unless(options.at)
    result = suppress(lint(estate, at), suppressions, at)
    translate = here()
    as_json = options.format == "json"
    offers = RemedyTrials(estate, at, TRIED_S).of
    pieces = (
        _as_json(result.findings, translate, offers) if as_json else _as_text(estate, at, result, translate, offers)
    )
    for piece in pieces:
        sys.stdout.write(piece)
    for sentence in _about(result):
        sys.stderr.write(f"{one_line(sentence.render(translate))}\n")
    return int(any(finding.severity == ERROR for finding in result.findings))


def _load(name: str, max_size: int) -> tuple[FindingSuppression, ...]:
    try:
        text = load_bytes(name, max_size).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(name, "", say("is not UTF-8: {reason}", reason=error.reason)) from None
    return read_suppressions(text, (check.code for check in CHECKS), where=name)


def _as_json(findings: tuple[Finding, ...], translate: Translate, offers: Offers) -> Iterator[str]:
    """One array, a finding a line."""
    before = "["
    for finding in findings:
        offer = offers(finding)
        does = " ".join(sentence.render(translate) for sentence in offer.says) or None
        line = finding.as_json(translate) | {"remedy_sql": offer.sql, "remedy_does": does}
        yield before + "\n " + json.dumps(line, ensure_ascii=False)
        before = ","
    yield "\n]\n" if findings else "[]\n"


def _as_text(estate: Estate, at: datetime, result: Suppressed, translate: Translate, offers: Offers) -> Iterator[str]:
    if result.findings:
        yield from findings_as_text(result.findings, {check.code: check.title for check in CHECKS}, translate, offers)
        missing = still_missing(missing_instances(estate, at))
        if missing is not None:
            yield f"{one_line(missing.render(translate))}\n"
        yield f"{counted(result.findings, translate)}\n"
    else:
        nothing = say("None of these {count} checks found anything.", count=len(CHECKS))
        yield f"{nothing.render(translate)}\n"
    if result.count:
        yield f"{say('suppressed: {count}', count=result.count).render(translate)}\n"


def _about(result: Suppressed) -> Iterator[Sentence]:
    """Yield sentences for the owners of suppressions."""
    for each in result.expired:
        yield say("suppression expired: {which}", which=_which(each))
    for each in result.unused:
        yield say("suppression matches no finding any more: {which}", which=_which(each))


def _which(each: FindingSuppression) -> str:
    place = "/".join(part for part in (each.instance, each.database, each.object) if part)
    return f"{each.code} {place} ({each.owner}: {each.reason})"
