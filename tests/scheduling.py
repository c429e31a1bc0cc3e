"""Which process runs which test, where there are several."""

from __future__ import annotations

from typing import Final

from xdist.scheduler import LoadScopeScheduling

SPARK: Final = "tests/pipeline/"


class FoldersOfSpark(LoadScopeScheduling):
    """Each test by itself, as one becomes free; those of one folder of the pipeline in one process, on one Spark.

    Marks of groups would say the same; xdist 3.8 writes them into a name that pytest 9.2 does not read.
    """

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.partition("::")[0].rpartition("/")[0] if nodeid.startswith(SPARK) else nodeid
