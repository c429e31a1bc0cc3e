"""The commands and programs of the documents do what the page says: each block is run, in the order of its page.

Every block of shell is run as it stands. A block of Python is a file: its first line has the name of the file and the
command that runs it. Blocks that cannot be run here stand in `NOT_RUN`, with the reason.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from brokerui.core.home import CHECKOUT
from tests.brokerui.product import Product, free_port, running

MESSAGING = ("docs/how-to/messaging.md", "docs/how-to/client.md")
REST = ("docs/reference/rest.md",)
SHELL = """set -euxo pipefail
curl() { command curl -sS --fail-with-body "$@"; }
"""
"""A request that is refused ends the script: curl itself would go on."""
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (\S+\.py): (.+)\n")
NOT_RUN = {
    "make run": "the deployments run already",
    "pip install ./distributions/client": "tests/distributions installs it",
    "brokerui failover A/Orders": "the instances of the page have no mirror",
}
"""A part of each block that is not run, and why."""


def blocks(page: str) -> Iterator[str]:
    """The blocks of a page as a script of the shell."""
    for language, text in BLOCK.findall((CHECKOUT / page).read_text(encoding="utf-8")):
        if any(part in text for part in NOT_RUN):
            continue
        found = FILE.match(text)
        if language == "sh":
            yield text
        else:
            assert found is not None, f"{page}: a block of Python names its file and its command first:\n{text}"
            yield f"cat > {found[1]} <<'PY'\n{text}PY\n{found[2]}\n"


def printed_by(pages: Sequence[str], folder: Path, here: Mapping[str, str], **environ: str) -> str:
    """Run the pages in a folder; return what they print. `here` replaces names of the pages."""
    for name in (".venv", "examples"):
        (folder / name).symlink_to(CHECKOUT / name)
    script = SHELL + "\n".join(text for page in pages for text in blocks(page))
    for written, known in here.items():
        script = script.replace(written, known)
    shell = ["bash", "-c", script]
    ended = subprocess.run(
        shell, check=False, cwd=folder, env={**os.environ, **environ}, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, (ended.stdout[-2_000:], ended.stderr[-4_000:])
    return ended.stdout


@pytest.fixture(scope="module")
def deployments(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The two deployments of the pages; what stands in a page in place of each of their folders and ports."""
    homes = [tmp_path_factory.mktemp(name) for name in "ab"]
    with running(homes[0], DEMO="0") as first, running(homes[1], DEMO="0") as second:
        yield _names(first, second)


def _names(first: Product, second: Product) -> dict[str, str]:
    ports = {f"127.0.0.1:{port}": f"127.0.0.1:{free_port()}" for port in (7001, 7002)}
    sites = {"127.0.0.1:8001": f"127.0.0.1:{first.port}", "127.0.0.1:8002": f"127.0.0.1:{second.port}"}
    return {"=/tmp/a ": f"={first.home} ", "=/tmp/b ": f"={second.home} ", **ports, **sites}


@pytest.mark.thorough  # two whole deployments, and programs that wait for messages
def test_the_pages_of_messaging_run_as_they_stand(deployments: dict[str, str], tmp_path: Path) -> None:
    printed = printed_by(MESSAGING, tmp_path, deployments)
    for words in ("aGVsbG8K", "b'order 1'", "received order 2", "done: order 2"):
        assert words in printed


@pytest.mark.thorough  # a whole deployment
def test_the_page_of_rest_runs_on_the_demo(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "folder"
    folder.mkdir()
    with running(home) as product:
        here = {"127.0.0.1:8000": f"127.0.0.1:{product.port}"}
        printed = printed_by(REST, folder, here, BROKERUI_HOME=str(home))
    assert "LabelsAtOffice" in printed
