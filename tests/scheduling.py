"""Which process runs which test, where there are several."""

from __future__ import annotations

from typing import Final

from xdist.scheduler import LoadScopeScheduling

SPARK: Final = "tests/pipeline/"


class OneSpark(LoadScopeScheduling):
    """Each test by itself, as one becomes free; those of the pipeline in one process, which starts Spark once.

    Marks of groups would say the same; xdist 3.8 writes them into a name that pytest 9.2 does not read.
    """

    def _split_scope(self, nodeid: str) -> str:
        return SPARK if nodeid.startswith(SPARK) else nodeid
