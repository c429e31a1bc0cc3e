"""Is every mutation found? `python -m tests.simulation.mutants [NAME…]`: a line each, with the seed and the promise.

Without a name it searches from the first seed on and records, in `mutant_seeds.json`, which seed shows which mutation;
the tests look there first.
"""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path
from time import process_time
from typing import Final

from routing.simulation.shrinking import simulate
from tests.simulation.mutations import MUTATIONS, Mutation

SEEDS = 500
RECORDED: Final = Path(__file__).with_name("mutant_seeds.json")


def recorded(mutation: Mutation) -> int:
    """The seed that showed it when they were recorded; 0 for a new one."""
    return int(json.loads(RECORDED.read_text(encoding="utf-8")).get(mutation.name, 0))


def found(mutation: Mutation, likely: int = 0) -> tuple[int, str] | None:
    """A seed whose world shows it, the likely one if it does, and the promise that is broken there."""
    for seed in dict.fromkeys((likely, *range(SEEDS))):
        with mutation.applied():
            broken = [violation.promise for violation in simulate(seed).violations]
        if broken and mutation.promise in ("", *broken):
            return seed, mutation.promise or broken[0]
    return None


def main(wanted: list[str]) -> int:
    """0 when all are found, 1 when one is not, 2 when no mutation has a wanted word in its name."""
    if unknown := [word for word in wanted if not any(word in mutation.name for mutation in MUTATIONS)]:
        sys.stderr.write(f"no mutation is named like {', '.join(unknown)}\n")
        return 2
    missed = 0
    seeds = {}
    for mutation in MUTATIONS:
        if wanted and not any(word in mutation.name for word in wanted):
            continue
        began = process_time()
        seen = found(mutation)
        missed += seen is None
        seeds[mutation.name] = seen[0] if seen else 0
        what = f"seed {seen[0]:3}, {seen[1]}" if seen else "NOT FOUND"
        sys.stdout.write(f"{mutation.name:50} {what:40} {process_time() - began:6.1f} s\n")
        sys.stdout.flush()
        gc.collect()
    if not wanted:
        RECORDED.write_text(json.dumps(seeds, indent=1) + "\n", encoding="utf-8")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
