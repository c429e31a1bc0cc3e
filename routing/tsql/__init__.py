"""T-SQL in and out: reads scripts into an estate, and writes scripts that create an estate."""

from __future__ import annotations

from routing.tsql.export import export_sql
from routing.tsql.reading import ScriptGroup, read_import, read_scripts
from routing.tsql.text import decode_script

__all__ = ["ScriptGroup", "decode_script", "export_sql", "read_import", "read_scripts"]
