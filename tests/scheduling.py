"""Which process runs which test, where there are several."""

from __future__ import annotations

from typing import Final

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

SPARK: Final = "tests/pipeline/"


class FoldersOfSpark(LoadScopeScheduling):
    """Each test by itself, as one becomes free; those of one folder of the pipeline in one process, on one Spark.

    Marks of groups would say the same; xdist 3.8 writes them into a name that pytest 9.2 does not read.

    A process that dies costs the test that it was at, and nothing else. As xdist 3.8 has it, all that the process had
    done is given out again, as work with no test in it: whoever gets it has too little to go on, and all wait for ever.
    """

    def remove_node(self, node: WorkerController) -> str | None:
        """Who has ended, or died: then the test that he was at, which is over, and the others get the rest."""
        had = self.assigned_work.pop(node)
        if self.collection is None:  # while it looked for the tests, of which nothing has been given out
            self.registered_collections.pop(node, None)
            return None
        left = [(scope, test) for scope, tests in had.items() for test, is_done in tests.items() if not is_done]
        for scope, test in left[1:]:
            self.workqueue.setdefault(scope, {})[test] = False
        for other in self.nodes:
            self._reschedule(other)
        return left[0][1] if left else None

    def _reschedule(self, node: WorkerController) -> None:
        """Until it has two tests, since it begins one only when it knows the next, or is told that there is none."""
        if node not in self.registered_collections:
            return  # it has just been started
        super()._reschedule(node)
        while not node.shutting_down and self._pending_of(self.assigned_work[node]) < 2:
            super()._reschedule(node)

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.partition("::")[0].rpartition("/")[0] if nodeid.startswith(SPARK) else nodeid
