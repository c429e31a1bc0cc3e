"""The blocks of the documents as a script of the shell, and what each of them has to print.

A block runs as it stands. A comment in the source of the page, in the line before the block, says otherwise:

- `<!-- not run: REASON -->`: it needs a cluster, a package index or another thing that the machine of the tests lacks
- `<!-- on the demo: REASON -->`: it needs a running product
- `<!-- exits with 1: REASON -->`: the status of its last command
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, starmap
from pathlib import Path
from typing import Final

from brokerui.core.home import CHECKOUT

TOP: Final = ("README.md", "CONTRIBUTING.md", "distributions/client/README.md", "examples/three-servers/README.md")
PAGES: Final = sorted([*TOP, *(str(page.relative_to(CHECKOUT)) for page in (CHECKOUT / "docs").rglob("*.md"))])
RUN: Final = {"sh", "python"}
_FENCE: Final = re.compile(
    r"(?:^<!-- (?P<mark>not run|on the demo|exits with \d+): (?P<reason>[^\n]+) -->\n)?"
    r"^```(?P<language>\w*)\n(?P<text>.*?)^```$|^(?P<heading>#+ [^\n]+)$",
    re.MULTILINE | re.DOTALL,
)
_FILE: Final = re.compile(r"# (\S+\.py): (.+)\n")
_SHELL: Final = """set -euxo pipefail
export PATH="$PWD/.venv/bin:$PATH"
curl() { command curl -sS --fail-with-body "$@"; }
"""
"""A request that is refused ends the script: curl itself would go on."""
_BEGIN: Final = "@@ block "
_ANY: Final = re.compile(r"^seconds |…")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a page that a reader runs, and what stands below it as its answer."""

    page: str
    text: str
    language: str
    mark: str = ""
    answer: str = ""

    @property
    def is_run(self) -> bool:
        return self.mark != "not run"

    @property
    def needs_demo(self) -> bool:
        return self.mark == "on the demo"

    def script(self) -> str:
        """The block as a script; the first line of a block of Python names its file and the command that runs it."""
        if self.language == "python":
            found = _FILE.match(self.text)
            assert found is not None, f"{self.page}: the first line names no file and no command:\n{self.text}"
            return f"cat > {found[1]} <<'PY'\n{self.text}PY\n{found[2]}\n"
        if self.mark.startswith("exits with"):
            status = self.mark.removeprefix("exits with ")
            return f"set +e\n( set -e\n{self.text})\ntest $? = {status} || exit 1\nset -e\n"
        return self.text


def blocks(page: str) -> Iterator[Block]:
    """Each block that a reader runs, in the order of the page."""
    last: Block | None = None
    for found in _FENCE.finditer((CHECKOUT / page).read_text(encoding="utf-8")):
        language, text = found["language"], found["text"]
        if last is not None:
            yield Block(last.page, last.text, last.language, last.mark, text if language == "text" else "")
            last = None
        if language in RUN:
            last = Block(page, text, language, found["mark"] or "")
    if last is not None:
        yield last


def answers(script: Sequence[Block], folder: Path, here: Mapping[str, str], **environ: str) -> list[str]:
    """Run blocks in a folder, the variables of each page its own; return what each block prints.

    `here` has what stands in place of some names of the pages.
    """
    for name in (".venv", "examples", "distributions"):
        (folder / name).symlink_to(CHECKOUT / name)
    pages = groupby(enumerate(script), key=lambda numbered: numbered[1].page)
    text = _SHELL + "".join(f"(\n{''.join(starmap(_numbered, page))})\n" for _, page in pages)
    for written, known in here.items():
        text = text.replace(written, known)
    shell = ["bash", "-c", text]
    ended = subprocess.run(
        shell, check=False, cwd=folder, env={**os.environ, **environ}, capture_output=True, text=True, timeout=600
    )
    assert ended.returncode == 0, (ended.stdout[-2_000:], ended.stderr[-4_000:])
    return [part.partition("\n")[2] for part in ended.stdout.split(f"\n{_BEGIN}")[1:]]


def _numbered(number: int, block: Block) -> str:
    return f"echo; echo '{_BEGIN}{number}'\n{block.script()}"


def lacking(block: Block, printed: str) -> list[str]:
    """The lines below a block that it did not print, but for seconds and for lines with `…`."""
    known = set(_lines(printed))
    return [line for line in _lines(block.answer) if line not in known and not _ANY.search(line)]


def _lines(text: str) -> Iterator[str]:
    return (" ".join(line.split()) for line in text.splitlines() if line.strip())
