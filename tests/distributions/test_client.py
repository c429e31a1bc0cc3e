"""The client as a distribution of its own: alone, and beside the product."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import brokerui.client
from tests.distributions.conftest import Environment

NAMES = brokerui.client.__all__
FILE = "import brokerui.client; print(brokerui.client.__file__)"


def test_it_is_installed_alone_and_needs_the_standard_library(environment: Environment, client_wheel: Path) -> None:
    environment.install(client_wheel)
    assert environment.run(f"from brokerui.client import {', '.join(NAMES)}", "-I") == ""
    assert environment.run("import brokerui.client; print(brokerui.client.__all__)", "-I") == str(NAMES)
    loaded = "import sys, brokerui.client; print(*{n.partition('.')[0] for n in sys.modules} - sys.stdlib_module_names)"
    assert set(environment.run(loaded, "-I").split()) <= {"brokerui", "_brokerui_client", "__main__", "sitecustomize"}
    metadata = "from importlib.metadata import distribution; print(distribution('brokerui-client').requires)"
    assert environment.run(metadata, "-I") == "None"
    assert environment.run(UNREACHABLE, "-I") == "Unreachable"


UNREACHABLE = """
from brokerui.client import Client, Unreachable
try:
    Client("http://127.0.0.1:9", token="t", patience_s=0.1).dialog("0" * 32).end()
except Unreachable as fault:
    print(type(fault).__name__)
"""


def test_no_file_belongs_to_both(product_wheel: Path, client_wheel: Path) -> None:
    assert not set(ZipFile(product_wheel).namelist()) & set(ZipFile(client_wheel).namelist())


def test_both_may_be_installed_and_either_removed(
    environment: Environment, product_wheel: Path, client_wheel: Path
) -> None:
    folder = environment.site_packages / "brokerui"
    for wheel in (client_wheel, product_wheel):
        environment.install(wheel)
    assert environment.run(FILE) == str(folder / "client" / "__init__.py")
    environment.uninstall("brokerui")
    assert environment.run(FILE) == str(folder / "client.py")
    environment.install(product_wheel)
    environment.uninstall("brokerui-client")
    assert environment.run(FILE) == str(folder / "client" / "__init__.py")
