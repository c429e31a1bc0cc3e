"""Whole brokers in a seeded world with faults, and independent checkers that read its records.

`running.run(world)` lets the brokers of a world live through their faults and gives the history; `checking.check`
reads that history alone. docs/reference/simulation.md describes worlds, faults and promises.
"""
