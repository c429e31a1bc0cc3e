"""Checks a certificate against both documents, claim by claim, by brute force."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from routing.common.sentence import Sentence, say
from routing.verification.certificate_file import (
    RULES,
    SWITCHES,
    VERDICTS,
    ChangeCertificate,
    ClaimedGroup,
    ClaimedTraffic,
    Endings,
)
from routing.verification.document import Entry, ReadDocument
from routing.verification.enumeration import ClaimedName, Enumeration
from routing.verification.evaluation import ConversationKind, Evaluation
from routing.verification.untouched import NOWHERE, Untouched

_BEST_FIRST = ("delivered", "exits", "delayed", "dropped")
SHOWN_ENDINGS = 8
"""Outcomes of a set that a fault lists."""


@dataclass(frozen=True, slots=True)
class DocumentToCheck:
    """A document as a user gives it, and the hash of its canonical text."""

    value: Mapping[str, Any]
    sha256: str


@dataclass(frozen=True, slots=True)
class FailedClaim:
    """A claim of a certificate that does not hold."""

    path: str
    """Its place in the certificate, as a JSON path."""
    says: Sentence


def first_failed_claim(
    certificate: ChangeCertificate, before: DocumentToCheck, after: DocumentToCheck
) -> FailedClaim | None:
    """The first claim of a certificate that does not hold; None: all hold. The documents must be valid."""
    return next(_failed_claims(certificate, before, after), None)


def _failed_claims(
    certificate: ChangeCertificate, before: DocumentToCheck, after: DocumentToCheck
) -> Iterator[FailedClaim]:
    yield from _other_documents(certificate, before, after)
    yield from _other_rules(certificate)
    checking = _Checking(
        certificate,
        ReadDocument(dict(before.value), certificate.at),
        ReadDocument(dict(after.value), certificate.at),
    )
    yield from checking.failed()


def _other_documents(
    certificate: ChangeCertificate, before: DocumentToCheck, after: DocumentToCheck
) -> Iterator[FailedClaim]:
    for path, claimed, document in (("before", certificate.before, before), ("after", certificate.after, after)):
        if claimed != document.sha256:
            problem = say("is the hash of another document: this one has the SHA-256 {hash}", hash=document.sha256)
            yield FailedClaim(path, problem)


def _other_rules(certificate: ChangeCertificate) -> Iterator[FailedClaim]:
    if certificate.rules != RULES:
        yield FailedClaim("rules", say("are not those of this checker, {rules}", rules=RULES))
    for key in sorted(SWITCHES.keys() | certificate.switches.keys()):
        if certificate.switches.get(key) != SWITCHES.get(key):
            yield FailedClaim(f"switches.{key}", say("is not as this checker reads the rules"))


class _Checking:
    """The state of one check."""

    def __init__(self, certificate: ChangeCertificate, before: ReadDocument, after: ReadDocument) -> None:
        self._certificate = certificate
        self._before, self._after = before, after
        self._all = Enumeration(before, after)
        self._index = {entry: number for number, entry in enumerate(self._all.entries)}
        self._untouched = Untouched(before, after)
        self._counts: Counter[str] = Counter()

    def failed(self) -> Iterator[FailedClaim]:
        if list(self._certificate.entries) != self._all.entries:
            yield FailedClaim("entries", _difference(self._certificate.entries, self._all.entries))
            return
        yield from self._names()
        for index, traffic in enumerate(self._certificate.traffic):
            for failed in self._traffic(traffic):
                yield FailedClaim(f"traffic[{index}]{failed.path}", failed.says)
        yield from self._sums()

    # ---------------------------------------------------------------- complete, and each once

    def _names(self) -> Iterator[FailedClaim]:
        """Every class is claimed once: by its name among the untouched ones, or with all kinds of its name."""
        for index, name in enumerate(self._certificate.untouched):
            if name not in self._all.names or self._untouched.touched(name.service) != NOWHERE:
                yield FailedClaim(f"untouched[{index}]", say("{name}: the documents differ for it", name=name.label))
        claimed = Counter(self._certificate.untouched) + Counter(
            dict.fromkeys((one.name for one in self._certificate.traffic), 1)
        )
        for name in sorted(self._all.names | claimed.keys()):
            if name not in self._all.names:
                yield FailedClaim("traffic", say("{name}: no document has this service", name=name.label))
            elif claimed[name] != 1:
                problem = say("{name}: is claimed {count} times", name=name.label, count=claimed[name])
                yield FailedClaim("traffic", problem)
        yield from self._kinds()

    def _kinds(self) -> Iterator[FailedClaim]:
        untouched = set(self._certificate.untouched)
        needed = {(name, kind) for name in self._all.names - untouched for kind in self._all.kinds(name)}
        claimed = Counter((one.name, _kind_of(one)) for one in self._certificate.traffic)
        for name, kind in sorted(needed | claimed.keys(), key=repr):
            if claimed[name, kind] != int((name, kind) in needed):
                yield FailedClaim("traffic", _claimed_times(name, kind, claimed[name, kind]))

    # ---------------------------------------------------------------- outcomes

    def _traffic(self, traffic: ClaimedTraffic) -> Iterator[FailedClaim]:
        kind = _kind_of(traffic)
        sides = Evaluation(self._before, kind), Evaluation(self._after, kind)
        seen: set[int] = set()
        for number, group in enumerate(traffic.groups):
            path = f".groups[{number}]"
            for index in group.indexes():
                if index in seen:
                    yield FailedClaim(path, say("claims the entry point {index} once more", index=index))
                seen.add(index)
                for failed in self._outcomes(sides, self._all.entries[index], group):
                    yield FailedClaim(f"{path}.{failed.path}", failed.says)
        left_out = self._wrongly_left_out(traffic, seen)
        if left_out is not None:
            yield FailedClaim("", say("leaves out the entry point {entry}", entry=_shown(left_out)))

    def _wrongly_left_out(self, traffic: ClaimedTraffic, seen: set[int]) -> Entry | None:
        """The first entry point that the groups lack and that is not untouched."""
        touched = None if traffic.is_complete else self._untouched.touched(traffic.name.service)
        if touched is None:
            needed: Iterable[int] = range(len(self._all.entries))
        else:
            needed = sorted(self._index[entry] for entry in touched)
        return next((self._all.entries[index] for index in needed if index not in seen), None)

    def _outcomes(
        self, sides: tuple[Evaluation, Evaluation], entry: Entry, group: ClaimedGroup
    ) -> Iterator[FailedClaim]:
        ends = [side.endings(entry) for side in sides]
        for path, claimed, found in zip(("before", "after"), (group.before, group.after), ends, strict=True):
            if self._certificate.outcomes[claimed] != found:
                problem = say("from {entry}: the outcomes are {found}", entry=_shown(entry), found=_listed(found))
                yield FailedClaim(path, problem)
        verdict = _verdict(*ends)
        if group.verdict != verdict:
            yield FailedClaim("verdict", say("from {entry}: it is {verdict}", entry=_shown(entry), verdict=verdict))
        self._counts[verdict] += 1

    def _sums(self) -> Iterator[FailedClaim]:
        count = self._all.count
        if self._certificate.classes != count:
            yield FailedClaim("classes", say("there are {count}", count=count))
        listed = sum(self._counts.values())
        counts = {verdict: self._counts[verdict] for verdict in VERDICTS}
        counts["unchanged"] += count - listed
        for verdict in VERDICTS:
            if self._certificate.summary[verdict] != counts[verdict]:
                yield FailedClaim(f"summary.{verdict}", say("there are {count}", count=counts[verdict]))


def _kind_of(traffic: ClaimedTraffic) -> ConversationKind:
    return ConversationKind(traffic.name.service, traffic.identifier, traffic.is_reply)


def _claimed_times(name: ClaimedName, kind: ConversationKind, count: int) -> Sentence:
    facts = {"name": name.label, "identifier": kind.identifier or say("none"), "count": count}
    if kind.is_reply:
        return say("{name}, identifier {identifier}, replies: is claimed {count} times", **facts)
    return say("{name}, identifier {identifier}: is claimed {count} times", **facts)


def _verdict(before: Endings, after: Endings) -> str:
    """A set is as good as its worst outcome, then as its best; an entry point of one side only is moved."""
    if before == after:
        return "unchanged"
    if not before or not after:
        return "moved"
    old, new = _rank(before), _rank(after)
    if old == new:
        return "moved"
    return "worse" if new > old else "better"


def _rank(endings: Endings) -> tuple[int, int]:
    ranks = [_BEST_FIRST.index(one.kind) for one in endings]
    return max(ranks), min(ranks)


def _difference(claimed: tuple[Entry, ...], needed: list[Entry]) -> Sentence:
    missing = [entry for entry in needed if entry not in set(claimed)]
    if missing:
        return say("lack {entry}", entry=_shown(missing[0]))
    more = [entry for entry in claimed if entry not in set(needed)]
    if more:
        return say("have {entry}, which no document has", entry=_shown(more[0]))
    return say("are not in order, each once")


def _shown(entry: Entry) -> Sentence | str:
    return say("outside {instance}", instance=entry[0]) if entry[1] is None else f"{entry[0]}/{entry[1]}"


def _listed(endings: Endings) -> Sentence | str:
    if not endings:
        return say("none: there is no such entry point")
    texts = sorted(" ".join(one) for one in endings)
    more = len(texts) - SHOWN_ENDINGS
    shown = ", ".join(texts[:SHOWN_ENDINGS])
    return say("{outcomes} and {count} more", outcomes=shown, count=more) if more > 0 else shown


def canonical(value: Any) -> str:
    """The canonical text of a JSON value: sorted keys, no spaces, one line."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
