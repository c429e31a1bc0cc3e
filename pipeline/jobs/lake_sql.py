"""`pipeline lake sql`: print the statements that make a lake, or a result, known to a catalog."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.files.location import Location
from pipeline.lake.lake import existing_lake, is_lake
from pipeline.lake.tables import SILVER, silver_log
from pipeline.results.catalog_statements import statements
from pipeline.results.output_folder import read_record
from pipeline.results.table_folders import result_place
from pipeline.results.table_logs import delta_tables_of
from pipeline.runtime.session import SparkSettings, start_for_urls
from routing.common.errors import InputError
from routing.common.sentence import say

TRAFFIC = "traffic"
"""The name of the clean rows in a catalog."""


@dataclass(frozen=True, slots=True)
class SqlOptions:
    """Options of `lake sql`."""

    place: str
    """A lake, or a result of any job but `graph`."""
    program: str
    schema: str = "brokerui"


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements to be printed, in their order."""

    lines: Sequence[str]

    @property
    def counts(self) -> dict[str, int]:
        """The number of statements."""
        return {"statements": len(self.lines)}

    def report(self) -> None:
        """Print each statement on a line, with a semicolon."""
        sys.stdout.writelines(f"{line};\n" for line in self.lines)


def catalog_sql(options: SqlOptions, settings: SparkSettings) -> Statements:
    """Find the Delta tables of a lake or a result. Raises `InputError` if it has none."""
    start_for_urls(settings, options.place)
    return Statements(tuple(statements(options.program, options.schema, catalog_tables(options.place))))


def catalog_tables(name: str) -> dict[str, Location]:
    """Return the Delta tables of a lake or a result, by their names in a catalog. Raises `InputError` if it has
    none."""
    tables = _lake_table(name) if is_lake(name) else _result_tables(name)
    if not tables:
        problem = say("has no Delta tables: name a lake with rows, or a result of any job but graph")
        raise InputError(name, "", problem)
    return tables


def _lake_table(name: str) -> dict[str, Location]:
    root = existing_lake(name).root
    return {TRAFFIC: root / SILVER} if silver_log(root).exists() else {}


def _result_tables(name: str) -> dict[str, Location]:
    """Return the tables of a result, with the name of its job before theirs: `route` and `replay` share some names."""
    place = result_place(name)
    record = read_record(place) or {}
    return {
        f"{record['job']}_{table.lstrip('_').replace('/', '_')}": folder
        for table, folder in delta_tables_of(place, record).items()
    }
