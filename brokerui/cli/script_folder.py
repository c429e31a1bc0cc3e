"""Reads the files that a script names with `:r`, from the folder of that script and never from outside of it."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from brokerui.cli.inputs import STANDARD_INPUT, load_bytes
from routing.common.errors import Invalid
from routing.common.finding import Finding
from routing.common.sentence import listed, say
from routing.tsql.encodings import code_page_findings, script_from
from routing.tsql.inclusion import Parts


@dataclass(frozen=True, slots=True)
class ScriptFolder:
    """The files below the folder of each script."""

    max_size_bytes: int
    encoding: str | None = None
    remarks: list[Finding] = field(default_factory=list)
    """About the code pages of files that were read in."""

    def __call__(self, script: str, parts: Parts) -> tuple[str, str]:
        """Name and text of a file. Raises `Invalid` or `InputError` where there is none that may be read."""
        if script == STANDARD_INPUT:
            raise Invalid("", say("a script from standard input has no folder"))
        path = Path(script).parent
        for part in parts:
            path = path / _spelt(path, part)
            _check_below(path)
        if not path.is_file():
            raise Invalid("", say("there is no such file beside the script"))
        return str(path), self.script(str(path))

    def script(self, name: str) -> str:
        """The text of a file. Raises `InputError`."""
        content = load_bytes(name, self.max_size_bytes)
        text = script_from(content, where=name, encoding=self.encoding)
        self.remarks.extend(code_page_findings(content, where=name, encoding=self.encoding))
        return text


def _spelt(folder: Path, name: str) -> str:
    """The name as the folder has it: scripts come from machines where case makes no difference."""
    if "\0" in name:
        raise Invalid("", say("there is no such file beside the script"))
    if os.path.lexists(folder / name):
        return name
    try:
        alike = [one.name for one in folder.iterdir() if one.name.casefold() == name.casefold()]
    except OSError:
        return name
    if len(alike) > 1:
        raise Invalid("", say("{names} differ from it in case alone", names=listed(sorted(alike))))
    return alike[0] if alike else name


def _check_below(path: Path) -> None:
    """Raise `Invalid` unless `path` is a file or a folder. A symbolic link is neither: it may lead anywhere."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        raise Invalid("", say("there is no such file beside the script")) from None
    if stat.S_ISLNK(mode):
        raise Invalid("", say("it is a symbolic link, which may lead out of the folder of the script"))
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise Invalid("", say("it is no regular file"))
