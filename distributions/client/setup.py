"""Copies the source of the client from the checkout; a source distribution has the copy already."""

import shutil
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).resolve().parent
SOURCE, COPY = HERE.parents[1] / "brokerui" / "client", HERE / "_brokerui_client"

if SOURCE.is_dir():
    shutil.rmtree(COPY, ignore_errors=True)
    shutil.copytree(SOURCE, COPY, ignore=shutil.ignore_patterns("__pycache__"))

setup()
