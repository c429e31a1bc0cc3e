"""Is every mutation found? `python -m tests.simulation.mutants [NAME…]`: a line each, with the seed and the promise."""

from __future__ import annotations

import gc
import sys
from time import process_time

from routing.simulation.shrinking import simulate
from tests.simulation.mutations import MUTATIONS, Mutation

SEEDS = 500


def found(mutation: Mutation, seeds: int = SEEDS) -> tuple[int, str] | None:
    """The first seed whose world shows it, and the promise that is broken there: its own, where it has one."""
    for seed in range(seeds):
        with mutation.applied():
            broken = [violation.promise for violation in simulate(seed).violations]
        if broken and mutation.promise in ("", *broken):
            return seed, mutation.promise or broken[0]
    return None


def main(wanted: list[str]) -> int:
    """0 when all are found."""
    missed = 0
    for mutation in MUTATIONS:
        if wanted and not any(word in mutation.name for word in wanted):
            continue
        began = process_time()
        seen = found(mutation)
        missed += seen is None
        what = f"seed {seen[0]:3}, {seen[1]}" if seen else "NOT FOUND"
        sys.stdout.write(f"{mutation.name:50} {what:40} {process_time() - began:6.1f} s\n")
        sys.stdout.flush()
        gc.collect()
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
