"""Background jobs: requested once per key, claimed by one worker, tried again, and shown.

Begin with `requests`: a page asks for a job of one of the `kinds`, and `wake` wakes a worker. `tasks` has the worker
look for it, `claims` gives it to one worker alone, `running` does it by its `work`, which beats and shows progress, and
`endings` says what becomes of it. `selectors` read jobs, and `pruning` deletes old ones.
"""
