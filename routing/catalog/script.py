"""The script that collects the catalog of an instance."""

from __future__ import annotations

from importlib.resources import files


def collect_script() -> str:
    """The read-only T-SQL script, for SQL Server 2012 to 2025."""
    return (files("routing.catalog") / "collect.sql").read_text(encoding="utf-8")
