"""T-SQL in: the estate that scripts make. T-SQL out: the scripts that make an estate."""

from __future__ import annotations

from routing.tsql.export import export_sql
from routing.tsql.reading import ScriptGroup, read_scripts
from routing.tsql.text import decode_script

__all__ = ["ScriptGroup", "decode_script", "export_sql", "read_scripts"]
