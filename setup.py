"""Build what pyproject.toml cannot express: resource folders in the wheel, and on request a compiled engine.

A wheel holds only packages. The templates, stylesheets and scripts, the examples and the findings pages are copied
to `brokerui/_data`, where `brokerui.core.resources` finds them, and the translations are compiled.

With `BROKERUI_COMPILE=1` the part of the engine that works on every message is also compiled by mypyc, from the same
source: this needs mypy and a C compiler, and the wheel is for this platform and version of Python alone. Python uses a
compiled module where one lies beside its source.
"""

import os
import shutil
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
COMPILED = ("adjacent/fragment*.py", "adjacent/guard.py", "dialog/*.py", "runtime/*.py", "security/*.py")
"""Modules of `routing/` through which every message goes."""
NOT_COMPILED = ("__init__.py", "diagram.py", "forwarding.py", "status_*.py")
"""Of these folders: texts, and forwarded fragments, whose memory is counted by the sizes of Python's own objects."""


class BuildWithResources(build_py):
    """Copies the resource folders and compiles the translations, except for an editable installation."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            sys.path.insert(0, str(HERE))
            _copy_resources(Path(self.build_lib) / "brokerui" / "_data")
            _compile_translations(Path(self.build_lib) / "brokerui" / "locale")


def _copy_resources(target: Path) -> None:
    from brokerui.core.resources import FOLDERS  # noqa: PLC0415 - the source tree is on the path only now

    shutil.rmtree(target, ignore_errors=True)
    for name in FOLDERS:
        shutil.copytree(HERE / name, target / name)


def _compile_translations(locale: Path) -> None:
    from brokerui.core.catalogues import compile_stale  # noqa: PLC0415 - the same

    compile_stale(locale)


def _compiled_engine() -> list[Extension]:
    """Return the extension modules of the engine; none unless they are asked for."""
    if os.environ.get("BROKERUI_COMPILE") != "1":
        return []
    from mypyc.build import mypycify  # noqa: PLC0415 - an ordinary build does without it

    found = sorted(path for pattern in COMPILED for path in Path("routing").glob(pattern))
    modules = [str(path) for path in found if not any(map(path.match, NOT_COMPILED))]
    return mypycify(["--config-file=", "--strict", *modules], opt_level="2", debug_level="0")


setup(cmdclass={"build_py": BuildWithResources}, ext_modules=_compiled_engine())
