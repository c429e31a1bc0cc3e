"""A round on generated traffic: what the live estate would do with a day of traffic that is drawn from a seed.

It takes in no file of the user's, and what it finds is marked as generated wherever it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from brokerui.analysis.traffic.jobs import PipelineCommand
from brokerui.analysis.traffic.simulated_day import CONVERSATIONS, SimulatedDay
from brokerui.changes.models import DraftState
from brokerui.changes.selectors import draft_base, draft_estate, draft_list
from brokerui.estate.errors import VersionNotFoundError
from brokerui.estate.models import Instance
from brokerui.estate.selectors import LiveEstate, estate_as_of, estate_current
from routing.documents.estate_document import write_estate
from routing.model.estate import Estate
from routing.simulation.estate_day import DayPlan

ROWS = 100_000
"""Conversations of the generated day."""
CLASSES = 1_000
"""The most kinds of conversation that are drawn."""
FOLDER = "generated"
"""Below the folder of the pipeline."""


class Compared(NamedTuple):
    """Two estates that the same traffic meets, with the names of their documents."""

    before: tuple[str, Estate]
    after: tuple[str, Estate]


def can_generate() -> bool:
    """Whether the live estate has an instance that traffic could begin at."""
    return Instance.objects.exists()


def generated_commands(asked_at: datetime, seed: int) -> list[PipelineCommand | SimulatedDay]:
    """The steps of the round in order, once their documents are written; the same seed draws the same day."""
    folder = settings.PIPELINE_FOLDER / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    live = estate_current()
    estate, traffic = _written(folder, _version_name(live.version), live.estate), folder / "traffic"
    midnight = (asked_at - timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    start, events = midnight.date().isoformat(), folder / "events"
    plan = DayPlan(
        estate=live.estate, seed=seed, start_ms=int(midnight.timestamp() * 1000), conversations=CONVERSATIONS
    )
    day = ("--rows", str(ROWS), "--classes", str(CLASSES), "--days", "1", "--seed", str(seed), "--start", start)
    return [
        PipelineCommand("generate", ("--estate", str(estate), *day, "--out", str(traffic)), traffic, is_loaded=False),
        _loaded(folder, "route", "--estate", estate, "--traffic", traffic, needs="generate"),
        *_replays(folder, traffic),
        SimulatedDay("simulate", plan, events),
        _loaded(folder, "telemetry", "--events", events, "--estate", estate, needs="simulate"),
    ]


def _replays(folder: Path, traffic: Path) -> Iterator[PipelineCommand]:
    compared = _compared()
    if compared is not None:
        before, after = (_written(folder, *side) for side in compared)
        sides = ("--baseline", before, "--proposed", after)
        yield _loaded(folder, "replay", *sides, "--traffic", traffic, needs="generate")


def _compared() -> Compared | None:
    """The newest draft with what it was made on, else the live version with the one before; None: there is neither."""
    draft = next((one for one in draft_list(state=DraftState.DRAFT) if one.edit_count), None)
    if draft is not None:
        base = draft_base(draft)
        return Compared(_side(base), (f"draft-{draft.id}.json", draft_estate(draft).estate))
    live = estate_current()
    try:
        return Compared(_side(estate_as_of(version=live.version - 1)), _side(live))
    except VersionNotFoundError:
        return None


def _side(live: LiveEstate) -> tuple[str, Estate]:
    return _version_name(live.version), live.estate


def _version_name(version: int) -> str:
    return f"version-{version}.json"


def _loaded(folder: Path, name: str, *arguments: str | Path, needs: str) -> PipelineCommand:
    out = folder / name
    return PipelineCommand(name, (*map(str, arguments), "--out", str(out)), out, is_loaded=True, needs=needs)


def _written(folder: Path, name: str, estate: Estate) -> Path:
    path = folder / name
    path.write_text(write_estate(estate), encoding="utf-8")
    return path
