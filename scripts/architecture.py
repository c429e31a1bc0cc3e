"""Draw the pictures of docs/architecture.md from the code.

    python scripts/architecture.py            write the pictures into the document
    python scripts/architecture.py --check    change nothing; fail if a picture differs from the code

Each picture is a Mermaid diagram between `<!-- NAME -->` and `<!-- end -->`: the storeys from the import contracts in
pyproject.toml, the processes from `brokerui.running.up`, their queues from the settings of Celery.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerui.settings")

from django.conf import settings  # noqa: E402 - a script finds the project only now

from brokerui.running.up import programs  # noqa: E402 - the same

DOCUMENT = ROOT / "docs" / "architecture.md"
_PICTURE = re.compile(r"(<!-- ([a-z]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def layers_of(package: str) -> list[list[str]]:
    """The layers of a package's import contract, from the top, each with its members."""
    contracts: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
    layers = next(one["layers"] for one in contracts if one.get("containers") == [package])
    return [re.split(r"\s*[|:]\s*", layer) for layer in layers]


def drawn_layers(package: str) -> Iterator[str]:
    """One box per layer, each with an arrow to the next one down."""
    yield "flowchart TB"
    layers = layers_of(package)
    for number, members in enumerate(layers):
        yield f'  l{number}["{" · ".join(members)}"]'
    for number in range(len(layers) - 1):
        yield f"  l{number} --> l{number + 1}"


def queues_of_tasks() -> dict[str, list[str]]:
    """The tasks of each queue that has routes of its own, by the last part of their names."""
    found: dict[str, list[str]] = defaultdict(list)
    routes: Mapping[str, Mapping[str, str]] = settings.CELERY_TASK_ROUTES
    for task, route in routes.items():
        found[route["queue"]].append(task.rpartition(".")[2])
    return dict(found)


def drawn_processes() -> Iterator[str]:
    """The processes of `brokerui up`, the queues of Celery, and what flows between them."""
    yield "flowchart LR"
    yield "  browser((browser)) -- HTTP --> web"
    yield "  peer((other instances)) -- TCP --> endpoint"
    for name in ("web", *programs()):
        yield f'  {name}["{name}"]'
    yield "  database[(database)]"
    yield '  valkey[("Redis or Valkey")]'
    for name in ("web", *programs()):
        yield f"  {name} --> database"
    yield '  endpoint -- "frames, events" --> valkey'
    yield "  beat -- wake-ups --> valkey"
    yield "  web -- wake-ups --> valkey"
    for queue in settings.CELERY_TASK_QUEUES:
        rest = "all other tasks" if queue.name == settings.CELERY_TASK_DEFAULT_QUEUE else "readers of queues"
        tasks = ", ".join(sorted(queues_of_tasks().get(queue.name, [rest])))
        yield f'  valkey -- "{queue.name}: {tasks}" --> worker'


PICTURES: Mapping[str, Callable[[], Iterator[str]]] = {
    "storeys": lambda: drawn_layers("brokerui"),
    "rooms": lambda: drawn_layers("routing"),
    "pipeline": lambda: drawn_layers("pipeline"),
    "processes": drawn_processes,
}


def redrawn(text: str) -> str:
    """The document with each picture as the code has it now."""

    def picture(match: re.Match[str]) -> str:
        lines = "\n".join(PICTURES[match[2]]())
        return f"{match[1]}```mermaid\n{lines}\n```\n{match[4]}"

    return _PICTURE.sub(picture, text)


def main(arguments: list[str]) -> int:
    """Write the document, or compare it. 1 where a picture differs."""
    old = DOCUMENT.read_text(encoding="utf-8")
    new = redrawn(old)
    if "--check" in arguments:
        return int(old != new)
    DOCUMENT.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
