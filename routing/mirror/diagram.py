"""The phases of a mirrored route as a Mermaid diagram and as a Markdown table, for the documentation."""

from __future__ import annotations

from routing.common import state_drawing
from routing.mirror.state_machine import INPUTS, NEVER, PHASES, STEPS, Phase


def diagram() -> str:
    """Mermaid diagram of the phases and transitions; transitions from a phase to itself are left out."""
    ways = [(phase, given, to) for (phase, given), to in STEPS.items() if to is not NEVER]
    return state_drawing.diagram(PHASES.items(), ways)


def matrix() -> str:
    """Markdown table of the next phase for every phase and input; a dash where the input cannot occur."""
    rows = ((given, [_cell(phase, STEPS[phase, given]) for phase in PHASES]) for given in INPUTS)
    return state_drawing.matrix(PHASES, rows)


def _cell(phase: Phase, to: Phase | None) -> str:
    if to is NEVER:
        return "—"
    return "·" if to == phase else f"**{to}**"


def legend() -> str:
    """Markdown table of the phases and inputs with their meaning."""
    return state_drawing.legend([*PHASES.items(), *INPUTS.items()])


def redrawn(text: str) -> str:
    """Fill every place `<!-- drawn: NAME -->` … `<!-- end -->` of a Markdown text from the table."""
    return state_drawing.redrawn(
        text, {"phases": lambda: state_drawing.mermaid(diagram()), "table": matrix, "legend": legend}
    )
