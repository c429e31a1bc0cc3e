"""The phases of a mirrored route as a Mermaid diagram and as a Markdown table, for the documentation."""

from __future__ import annotations

from routing.common import state_drawing
from routing.mirror.state_machine import INPUTS, NEVER, PHASES, STEPS, Phase


def diagram() -> str:
    """The phases and what leads from one to another, in Mermaid; what changes nothing is left out."""
    ways = [(phase, given, to) for (phase, given), to in STEPS.items() if to is not NEVER]
    return state_drawing.diagram(PHASES.items(), ways)


def matrix() -> str:
    """Every phase and every input: the next phase, or a dash where there is none."""
    rows = ((given, [_cell(phase, STEPS[phase, given]) for phase in PHASES]) for given in INPUTS)
    return state_drawing.matrix(PHASES, rows)


def _cell(phase: Phase, to: Phase | None) -> str:
    if to is NEVER:
        return "—"
    return "·" if to == phase else f"**{to}**"


def legend() -> str:
    """What the phases and the inputs are called."""
    return state_drawing.legend([*PHASES.items(), *INPUTS.items()])


def redrawn(text: str) -> str:
    """A Markdown text with every place `<!-- drawn: NAME -->` … `<!-- end -->` filled from the table."""
    return state_drawing.redrawn(
        text, {"phases": lambda: state_drawing.mermaid(diagram()), "table": matrix, "legend": legend}
    )
