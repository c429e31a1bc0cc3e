"""The style of the picture where it stands alone: in plain colours, which every program that shows SVG knows."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from django.conf import settings

_TOKEN = re.compile(r"^\s*(--[\w-]+):\s*(.+?);\s*$", re.MULTILINE)
_LIGHT = re.compile(r"light-dark\(([^,()]+),[^()]+\)")
_USE = re.compile(r"var\((--[\w-]+)\)")


@cache
def picture_style() -> str:
    """The style sheet of the picture with the colours of the light theme in place of their names."""
    tokens = {name: _LIGHT.sub(r"\1", value) for name, value in _TOKEN.findall(_sheet("tokens"))}
    text = _sheet("map-picture")
    while _USE.search(text):
        text = _USE.sub(lambda found: tokens[found[1]], text)
    return text


def _sheet(name: str) -> str:
    return (Path(settings.STATIC_FOLDER) / "css" / f"{name}.css").read_text(encoding="utf-8")
