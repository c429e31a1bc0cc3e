"""Reachability: which service names each entry point reaches, as verdicts of all pairs.

Begin with `selectors`: `known_of` works a small estate out at once (`matrix`), and reads that of a large one from the
database, or has a worker make it (`services`, `job_kinds`, `packing`, `models`). Then `caveats` name what a verdict
hangs on, and `changed_pairs` what a draft changes.
"""
