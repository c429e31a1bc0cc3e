"""The commands and programs of the documents do what the page says: each block is run, in the order of its page.

Every block of shell is run as it stands, and the block of text below it is what it prints. A block of Python is a file:
its first line has the name of the file and the command that runs it. `tests/doc_blocks.py` has the marks of blocks that
need more than a checkout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from brokerui.core.home import CHECKOUT
from tests.brokerui.product import Product, free_port, running
from tests.doc_blocks import PAGES, Block, answers, blocks, lacking

MESSAGING = ("docs/how-to/messaging.md", "docs/how-to/client.md", "docs/how-to/endpoints.md")
REST = ("docs/reference/rest.md",)
PIPELINE = ("docs/how-to/pipeline.md",)
ALONE = [page for page in PAGES if page not in {*MESSAGING, *REST, *PIPELINE}]
"""Pages whose blocks without a mark need no more than a checkout."""
FENCE = re.compile(r"^ *```(?:sh|bash|shell|console|python)\b|^<!-- (?:not run|on the demo|exits)", re.MULTILINE)


def of(pages: Sequence[str]) -> list[Block]:
    """The blocks of pages that are run."""
    return [block for page in pages for block in blocks(page) if block.is_run]


def as_the_pages_say(script: Sequence[Block], folder: Path, here: dict[str, str], **environ: str) -> str:
    """Run blocks, compare what they print with the pages, and return all of it."""
    printed = answers(script, folder, here, **environ)
    for block, text in zip(script, printed, strict=True):
        assert lacking(block, text) == [], (block.page, block.text, text)
    return "".join(printed)


@pytest.mark.parametrize("document", PAGES)
def test_each_block_and_mark_is_found(document: str) -> None:
    found = list(blocks(document))
    marks = [block for block in found if block.mark]
    assert len(FENCE.findall((CHECKOUT / document).read_text(encoding="utf-8"))) == len(found) + len(marks)


def test_what_asks_the_rules_alone_runs_as_it_stands(tmp_path: Path) -> None:
    script = [block for block in of(ALONE) if not block.needs_demo]
    assert {"README.md", "docs/how-to/import.md", "docs/how-to/routing-tests.md"} <= {block.page for block in script}
    as_the_pages_say(script, tmp_path, {})


@pytest.fixture(scope="module")
def deployments(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The two deployments of the pages; what stands in a page in place of each of their folders and ports."""
    homes = [tmp_path_factory.mktemp(name) for name in "ab"]
    with running(homes[0], DEMO="0") as first, running(homes[1], DEMO="0") as second:
        yield _names(first, second)


def _names(first: Product, second: Product) -> dict[str, str]:
    ports = {f"127.0.0.1:{port}": f"127.0.0.1:{free_port()}" for port in (7001, 7002, 7003)}
    sites = {"127.0.0.1:8001": f"127.0.0.1:{first.port}", "127.0.0.1:8002": f"127.0.0.1:{second.port}"}
    return {"=/tmp/a ": f"={first.home} ", "=/tmp/b ": f"={second.home} ", **ports, **sites}


@pytest.mark.thorough  # two whole deployments, and programs that wait for messages
def test_the_pages_of_messaging_run_as_they_stand(deployments: dict[str, str], tmp_path: Path) -> None:
    printed = as_the_pages_say(of(MESSAGING), tmp_path, deployments)
    for words in ("aGVsbG8K", "b'order 1'", "received order 2", "done: order 2"):
        assert words in printed


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A product with the demo, an event log, and a host to which alerts may go. It does no rounds of the pipeline."""
    settings = {"EVENT_LOG": "1", "EVENT_LOG_SECONDS": "2", "ALERT_HOSTS": "127.0.0.1/32", "PIPELINE_MINUTES": "9999"}
    with running(tmp_path_factory.mktemp("demo"), **settings) as product:
        yield product


def on_the_demo(demo: Product, pages: Sequence[str], folder: Path) -> str:
    """Run pages beside a product, whose home is the `var` of the folder."""
    folder.mkdir()
    (folder / "var").symlink_to(demo.home)
    here = {"127.0.0.1:8000": f"127.0.0.1:{demo.port}", "/tmp/": f"{folder}/"}
    return as_the_pages_say(of(pages), folder, here, BROKERUI_HOME=str(demo.home))


@pytest.mark.thorough  # a whole deployment
def test_the_pages_with_a_live_estate_run_on_the_demo(demo: Product, tmp_path: Path) -> None:
    marked = [page for page in ALONE if any(block.needs_demo for block in blocks(page))]
    assert "LabelsAtOffice" in on_the_demo(demo, (*REST, *marked), tmp_path / "folder")


@pytest.mark.thorough  # a whole deployment, and a Java for each job
def test_the_page_of_the_pipeline_runs_on_the_demo(demo: Product, tmp_path: Path) -> None:
    on_the_demo(demo, PIPELINE, tmp_path / "folder")
