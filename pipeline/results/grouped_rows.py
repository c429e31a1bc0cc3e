"""Groups of rows, each written by one task of Spark, so that it becomes one file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Final, TypeVar

from pyspark.sql import DataFrame

from pipeline.files.location import Location
from pipeline.results.output_folder import write_rows

AT_ONCE: Final = 64
"""Groups that one job of Spark writes: a plan of more takes long to make."""

Group = TypeVar("Group")


def write_groups(
    groups: Sequence[Group],
    read: Callable[[Group], DataFrame],
    order: Sequence[str],
    folder: Location,
    *partitions: str,
) -> None:
    """Write the rows of each group as one file, in this order."""
    for first in range(0, len(groups), AT_ONCE):
        tables = [read(group).coalesce(1).sortWithinPartitions(*order) for group in groups[first : first + AT_ONCE]]
        write_rows(reduce(DataFrame.unionAll, tables), folder, *partitions)
