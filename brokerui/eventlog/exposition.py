"""The text format of Prometheus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class Metric(NamedTuple):
    """A metric with its values by labels."""

    name: str
    kind: str
    """`gauge` or `counter`."""
    help: str
    values: Iterable[tuple[Mapping[str, object], float]]


def exposed(metrics: Iterable[Metric]) -> str:
    """One text of all."""
    lines: list[str] = []
    for metric in metrics:
        lines += [f"# HELP {metric.name} {_plain(metric.help)}", f"# TYPE {metric.name} {metric.kind}"]
        lines += [f"{metric.name}{_labelled(labels)} {_number(value)}" for labels, value in metric.values]
    return "\n".join(lines) + "\n"


def _labelled(labels: Mapping[str, object]) -> str:
    said = ",".join(f'{name}="{_plain(str(value), quoted=True)}"' for name, value in labels.items())
    return f"{{{said}}}" if said else ""


def _plain(text: str, *, quoted: bool = False) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quoted else text


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))
