"""Put the resource folders of the repository into the wheel, which pyproject.toml cannot express.

A wheel holds only packages. The templates, stylesheets and scripts, the examples and the findings pages are copied
to `brokerui/_data`, where `brokerui.core.resources` finds them, and the translations are compiled.
"""

import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent


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


setup(cmdclass={"build_py": BuildWithResources})
