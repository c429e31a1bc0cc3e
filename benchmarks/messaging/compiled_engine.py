"""Deployments whose processes run the compiled engine, which `make compiled` unpacks into `build/compiled`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]


def add_option(arguments: argparse.ArgumentParser) -> None:
    """Add `--compiled FOLDER`."""
    help_text = "where `make compiled` has built the engine; default: the pure one of the checkout"
    arguments.add_argument("--compiled", type=_built, metavar="FOLDER", help=help_text)


def _built(text: str) -> Path:
    """A folder with a compiled engine. Raises `argparse.ArgumentTypeError`: a figure would be that of the pure one."""
    folder = Path(text).resolve()
    if not any((folder / "routing" / "dialog").glob("*.so")):
        raise argparse.ArgumentTypeError(f"{folder} holds no compiled engine: make compiled")
    return folder


def settings_of(compiled: Path | None, before: Iterable[Path] = ()) -> dict[str, str]:
    """The environment of a deployment's processes. They would find the checkout first, as they are started in it.
    `before`: folders in which Python looks first."""
    folders = [*before, *([] if compiled is None else [compiled, ROOT])]
    if not folders:
        return {}
    path = {"PYTHONPATH": ":".join(map(str, folders))}
    return path if compiled is None else {**path, "PYTHONSAFEPATH": "1"}
