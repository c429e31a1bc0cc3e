"""A name that no file system takes is one error with the name in it, for each command of a lake."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.cli import main

LONG = "n" * 300
LOOP = "loop"


@pytest.mark.parametrize("words", [("history",), ("sql", "--for", "duckdb")], ids=lambda words: words[0])
@pytest.mark.parametrize(("name", "reason"), [(LONG, "File name too long"), (LOOP, "symbolic links")])
def test_a_name_that_no_file_system_takes_is_one_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], name: str, reason: str
) -> None:
    (tmp_path / LOOP).symlink_to(LOOP)
    command, *options = words
    assert main(["lake", command, str(tmp_path / name), *options]) == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert name in line
    assert line.endswith(reason)
