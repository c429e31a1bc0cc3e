"""The one preview of every save, and the consent that it asks for.

A token stands for what a preview shows: exactly this change, with exactly these conversations that get worse. The
services that save for a page (`saving.py` beside this, `run_apply` of imports) refuse a change that makes a
conversation worse without the token, so that no page can forget to ask.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from brokerui.analysis.effect.change import Change
from brokerui.analysis.effect.effect import Effect, effect_shown, progress_of
from brokerui.analysis.effect.kinds import KindWords, kind_from_json, kind_words
from brokerui.analysis.effect.wording import effect_in_words
from brokerui.core.sentence_json import sentence_as_json, sentence_from_json
from routing.common.sentence import Sentence
from routing.diff.result import BETTER, MOVED, WORSE

SHOWN = 20
"""Rows of conversations that get worse, which a preview names; of more it has the count."""
TOKEN_CHARS = 16
_VERDICTS = (WORSE, MOVED, BETTER)


class ConsentMissingError(Exception):
    """Conversations get worse, or may: nobody has confirmed that they were seen. Nothing was written."""

    def __init__(self, preview: SavePreview) -> None:
        super().__init__(f"{preview.worse} kinds of conversation get worse, and nobody has confirmed it")
        self.preview = preview


@dataclass(frozen=True)
class SavePreview:
    """The effect of a save on conversations, and the token that confirms it."""

    counts: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(_VERDICTS, 0))
    """Kinds of conversation that end worse, elsewhere and better."""
    apart: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(_VERDICTS, 0))
    """The same of conversations that nobody is likely to send: nothing is asked about them."""
    says: tuple[Sentence, ...] = ()
    """The sentence of the effect, then its evidence; empty while it is counted."""
    kinds: tuple[KindWords, ...] = ()
    """The first rows, worst first: all that get worse, up to `SHOWN`; where none does, the first others."""
    is_settled: bool = True
    done: int = 0
    """Targets that are compared already, of `total`."""
    total: int = 0
    token: str = ""
    """Empty: nothing is asked."""
    warned: int = 0
    """Warnings that are confirmed together with it."""
    held: tuple[Sentence, ...] = ()
    """Queues and brokers that hold messages from the change on; they are confirmed together with it too."""
    counting_token: str = ""
    """The token of the preview while it was counted: a user who sends it accepts any result of the count."""

    @property
    def worse(self) -> int:
        return self.counts[WORSE]

    @property
    def worse_left(self) -> int:
        """Kinds that get worse and are not named."""
        return self.worse - sum(kind.count for kind in self.kinds if kind.verdict == WORSE)

    @property
    def asks(self) -> bool:
        """Whether it has to be confirmed."""
        return bool(self.token)

    @property
    def apart_total(self) -> int:
        return sum(self.apart.values())

    def is_confirmed(self, consent: str) -> bool:
        """Whether a reader has confirmed what this preview shows."""
        return not self.asks or (bool(consent) and consent in (self.token, self.counting_token))

    def require(self, consent: str) -> None:
        """Raise `ConsentMissingError` unless it is confirmed."""
        if not self.is_confirmed(consent):
            raise ConsentMissingError(self)

    def as_json(self) -> dict[str, Any]:
        """Return a settled preview, to be kept."""
        return {
            "counts": dict(self.counts),
            "apart": dict(self.apart),
            "says": [json.loads(sentence_as_json(one)) for one in self.says],
            "kinds": [kind.as_json() for kind in self.kinds],
            "held": [json.loads(sentence_as_json(one)) for one in self.held],
            "token": self.token,
        }


NO_CHANGE = SavePreview()


def preview_from_json(kept: Mapping[str, Any]) -> SavePreview:
    """Return a preview that was kept."""
    return SavePreview(
        counts=kept["counts"],
        apart=kept["apart"],
        says=tuple(sentence_from_json(json.dumps(one)) for one in kept["says"]),
        kinds=tuple(map(kind_from_json, kept["kinds"])),
        token=kept["token"],
        held=tuple(sentence_from_json(json.dumps(one)) for one in kept.get("held", ())),
    )


def save_preview(change: Change, at: datetime, seconds: float, warnings: Collection[object] = ()) -> SavePreview:
    """Compare for about `seconds`, and return how far it came; a background job goes on where it takes longer than
    requests may. `warnings` are confirmed together with the rest."""
    if change.is_none:
        return NO_CHANGE
    effect, job = effect_shown(change, at, seconds)
    if job is not None and not job.is_open:  # cancelled or failed: without it, requests go on
        effect.work(seconds)
    preview = preview_of_effect(effect, change, warnings)
    done, total = progress_of(effect, job)
    return replace(preview, done=done, total=total)


def preview_of_effect(effect: Effect, change: Change, warnings: Collection[object] = ()) -> SavePreview:
    """Return the preview of an effect as far as it was worked out."""
    counting = _token(change, "counting", warnings)
    shared: dict[str, Any] = {
        "counts": {verdict: effect.ends.counts[verdict] for verdict in _VERDICTS},
        "apart": {verdict: effect.ends.apart[verdict] for verdict in _VERDICTS},
        "done": effect.done,
        "total": effect.total,
        "warned": len(warnings),
        "counting_token": counting,
    }
    if not effect.is_settled:
        return SavePreview(**shared, is_settled=False, token=counting)
    words = effect_in_words(effect)
    rows = [row for row in effect.rows if row.verdict == WORSE] or effect.rows
    kinds = tuple(kind_words(row, effect.after) for row in rows[:SHOWN])
    held = tuple(one.says for one in effect.held if one.is_held)
    asks = bool(effect.ends.counts[WORSE] or warnings or held)
    token = _token(change, _worse_of(effect), warnings) if asks else ""
    return SavePreview(**shared, says=(words.title, *words.evidence), kinds=kinds, held=held, token=token)


def _worse_of(effect: Effect) -> str:
    """Return what tells the conversations that get worse, or whose messages wait, from any others."""
    worse = sorted(
        repr((row.service, row.identifiers, row.entries, row.entry_count, sorted(row.before), sorted(row.after)))
        for row in effect.rows
        if row.verdict == WORSE
    )
    held = sorted(repr(one.says) for one in effect.held if one.is_held)
    return "\n".join((str(effect.ends.counts[WORSE]), *worse, *held))


def _token(change: Change, about: str, warnings: Collection[object]) -> str:
    parts = (change.before.digest, change.after.digest, about, *sorted(map(repr, warnings)))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:TOKEN_CHARS]
