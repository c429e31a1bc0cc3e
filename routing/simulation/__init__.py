"""Whole brokers in a seeded world that misbehaves, and independent checkers of what was recorded there.

`running.run(world)` lets the brokers of a world live through their faults and gives the history; `checking.check`
reads that history alone. docs/reference/simulation.md describes worlds, faults and promises.
"""
