"""Does a test find each planted fault? `python -m tests.planted [AREA…]`: a line for each fault.

Each fault is put alone into a copy of the checkout, and the tests that have to find it run there. First they run in the
copy as it is, where all of them have to pass.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Final

from tests.planted.faults import FAULTS, Fault
from tests.planted.trees import address_of, source_of

ROOT: Final = Path(__file__).resolve().parents[2]
PASSED, FAILED, ENDLESS = 0, 1, 124
"""Exit statuses: the first two are those of pytest, the last one of tests that did not end."""
LIMIT_S: Final = 600
"""How long the tests of one fault may take."""


def copy_checkout(into: Path) -> None:
    """Copy what git knows, and the catalogues that were made from it; use the installed packages from here."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    files = [ROOT / name for name in listed.stdout.decode().splitlines()]
    for file in (*files, *(ROOT / "brokerui" / "locale").rglob("*.mo")):
        if file.is_file():
            target = into / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)


def run_tests(root: Path, names: Sequence[str], on_postgresql: bool, faults: int = 1) -> int:
    """The exit status of pytest in a copy, with the tests of a number of faults."""
    addresses = [address_of(root, name) for name in names]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *addresses]
    if on_postgresql:
        command = [sys.executable, "scripts/postgres.py", *command]
    environ = {**os.environ, "BROKERUI_HOME": str(root / "var" / "test")}
    environ.pop("DATABASE_URL", None)
    limit_s = LIMIT_S * faults
    try:
        ended = subprocess.run(
            command, cwd=root, env=environ, capture_output=True, text=True, timeout=limit_s, check=False
        )
    except subprocess.TimeoutExpired:
        sys.stdout.write(f"{', '.join(names)}: not at the end after {limit_s} s\n")
        return ENDLESS
    if ended.returncode not in (PASSED, FAILED):
        sys.stdout.write(ended.stdout + ended.stderr)
    return ended.returncode


def is_found(root: Path, fault: Fault) -> bool:
    """Whether a test fails while the fault is in the copy."""
    path = source_of(root, fault.text)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(fault.text, fault.replacement), encoding="utf-8")
    try:
        return run_tests(root, fault.tests, fault.on_postgresql) == FAILED
    finally:
        path.write_text(text, encoding="utf-8")


def passes_without(root: Path, faults: Sequence[Fault]) -> bool:
    """Whether all those tests pass where nothing is planted."""
    for on_postgresql in (False, True):
        of_database = [one for one in faults if one.on_postgresql is on_postgresql]
        names = sorted({name for one in of_database for name in one.tests})
        if names and run_tests(root, names, on_postgresql, len(of_database)) != PASSED:
            return False
    return True


def main(words: Sequence[str]) -> int:
    """Return 0 when each fault is found, 1 when one is not, 2 when nothing was tried."""
    areas = {one.area for one in FAULTS}
    if unknown := [word for word in words if word not in areas]:
        sys.stderr.write(f"no area {', '.join(unknown)}: there are {', '.join(sorted(areas))}\n")
        return 2
    faults = [one for one in FAULTS if not words or one.area in words]
    missed = 0
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        root = Path(folder)
        copy_checkout(root)
        if not passes_without(root, faults):
            sys.stdout.write("tests fail although no fault is planted\n")
            return 2
        for fault in faults:
            began = monotonic()
            found = is_found(root, fault)
            missed += not found
            word = "found" if found else "NOT FOUND"
            sys.stdout.write(f"{fault.area:10} {fault.what:90} {word:10} {monotonic() - began:6.1f} s\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(faults)} faults, {missed} not found\n")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
